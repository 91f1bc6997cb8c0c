"""Make the names of months, weekdays and units of time (graphdream/language/months.json, weekdays.json,
time_units.json) from the locale data of dateparser.

    python tools/calendar_names.py

Kept are the full names in all their cases and the longer short ones: the others are words of their language as well
(German `mit`, `die`, `so`). A name that is two in two languages (`listopad`) is left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from graphdream.language.calendar import MONTHS, UNITS, WEEKDAYS, names_in  # noqa: E402  (the tools folder is not a package)
from graphdream.language.folding import fold  # noqa: E402

LANGUAGES = {
    **dict.fromkeys(("en", "de", "es", "fr", "pt", "ru", "it", "nl", "pl", "sv", "tr"), 4),
    **dict.fromkeys(("da", "nb", "fi", "cs", "uk", "ro", "id"), 5),
}
"""Language -> letters of its shortest short form; those of four are words of others, too (Ukrainian `лист`)."""
FOLDER = ROOT / "graphdream" / "language"


def names_of_all(names: Sequence[str], first: int, *, short: bool) -> dict[str, int]:
    """Folded name, in all languages -> its number.

    Args:
        names: the English ones, in order.
        first: the number of the first of them.
        short: with forms that are shorter than the longest.
    """
    found: dict[str, set[int]] = {}
    for language, least in LANGUAGES.items():
        info = import_module(f"dateparser.data.date_translation_data.{language}").info
        for number, name in enumerate(names, first):
            for word in names_in(info, name, unspaced=False, least=least if short else len(max(info[name], key=len))):
                if word.replace("-", "").isalpha():
                    found.setdefault(fold(word), set()).add(number)
    return {word: min(numbers) for word, numbers in sorted(found.items()) if len(numbers) == 1}


def made() -> dict[Path, dict[str, int]]:
    """Each file and what is in it: months are 1 to 12, weekdays 0 for Monday to 6, units of time 0 for
    seconds to 6 for years."""
    return {
        FOLDER / "months.json": names_of_all(MONTHS, 1, short=True),
        FOLDER / "weekdays.json": names_of_all(WEEKDAYS, 0, short=False),
        FOLDER / "time_units.json": names_of_all(UNITS, 0, short=True),
    }


def main() -> None:
    """Write the files."""
    for path, names in made().items():
        path.write_text(json.dumps(names, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
