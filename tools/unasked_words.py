"""Write the words that a question is not about, by language (graphdream/language/unasked.json).

    python tools/unasked_words.py

They are the closed classes of graphdream/language/classes.yaml, its interrogatives, and what is left of a word before a
vowel; run it after a change of that file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from graphdream.language.classes import function_words, words_of  # noqa: E402  (the tools folder is not a package)

FILE = ROOT / "graphdream" / "language" / "unasked.json"


def text() -> str:
    """What the file holds: a JSON object, a line for each language."""
    words = {
        code: " ".join(sorted(closed | words_of("asks", code) | words_of("elides", code)))
        for code, closed in sorted(function_words().items())
    }
    return json.dumps(words, ensure_ascii=False, indent=0) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
