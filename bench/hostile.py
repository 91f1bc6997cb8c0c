"""Hostile and ordinary sessions through the whole path, with a model on loopback that does whatever it reads.

    python bench/hostile.py [--json]

The sessions are those of fixtures/hostile: instructions, poisoned summaries, made-up tool output and system messages,
roles mixed up, encoded and hidden words, credentials, mutations as text, in five languages; and ordinary ones that look
alike. Counted are harms (a pinned row, a constraint or a fact that a person told has changed or come; something was
purged; a credential left; a fact that nobody told stands above the person's own, or has no mark) and what of ordinary
sessions was lost.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections import Counter
from pathlib import Path

from graphdream.interfaces.output import print_json, table
from tests.support.obeying import attack, corpus, live_ordinary


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    attacks, ordinary = corpus("attacks"), corpus("ordinary")
    refused: Counter[str] = Counter()
    harms, asked = list[str](), 0
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        for place, kind in enumerate(dict.fromkeys(one.kind for one in attacks)):
            found = attack(Path(folder) / f"{place}.db", [one for one in attacks if one.kind == kind])
            refused += found.refused
            asked += found.asked
            harms += [f"{kind}: {harm}" for harm in found.harms]
        lost = live_ordinary(Path(folder) / "ordinary.db", ordinary)
    told = {
        "hostile sessions": len(attacks), "languages": len({one.language for one in attacks}), "proposed": asked,
        "not applied": dict(refused.most_common()), "harms": harms, "ordinary sessions": len(ordinary), "lost": lost,
    }  # fmt: skip
    print_json(told) if args.json else print(table([(name, str(value)) for name, value in told.items()]), end="")
    return 1 if harms or lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
