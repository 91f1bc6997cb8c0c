"""Make the names of months that dates are read by (graphdream/language/months.json) from the locale data of dateparser.

    python tools/month_names.py

Kept are the full names in all their cases and the longer short ones: the others are words of their language as well
(German `mit`, `die`, `so`). A name that is two months in two languages (`listopad`) is left out.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from graphdream.language.calendar import MONTHS, names_in  # noqa: E402  (the tools folder is not a package)
from graphdream.language.folding import fold  # noqa: E402

LANGUAGES = {
    **dict.fromkeys(("en", "de", "es", "fr", "pt", "ru", "it", "nl", "pl", "sv", "tr"), 4),
    **dict.fromkeys(("da", "nb", "fi", "cs", "uk", "ro", "id"), 5),
}
"""Language -> letters of its shortest short form; those of four are words of others, too (Ukrainian `лист`)."""
MADE = ROOT / "graphdream" / "language" / "months.json"


def month_names() -> dict[str, int]:
    """Folded name -> number of the month, 1 to 12."""
    found: dict[str, set[int]] = {}
    for language, least in LANGUAGES.items():
        info = import_module(f"dateparser.data.date_translation_data.{language}").info
        for number, name in enumerate(MONTHS, 1):
            for word in names_in(info, name, unspaced=False, least=least):
                if word.isalpha():
                    found.setdefault(fold(word), set()).add(number)
    return {word: min(numbers) for word, numbers in sorted(found.items()) if len(numbers) == 1}


def main() -> None:
    """Write the file."""
    MADE.write_text(json.dumps(month_names(), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
