"""The pictures of docs/dashboard.md: a real server, a real browser, the memory that ships with the package.

python tools/screenshots.py [FOLDER]     default: docs/pictures
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from browser import browser
from graphdream.interfaces.cli.demo import demo_graph
from graphdream.journal.merged import merges_in
from graphdream.library import open as open_graph

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
# name -> path, width, dark, whole page or the first screen
SHOTS = {
    "status": ("/", 1280, False, True),
    "pass": ("/passes/3", 1280, False, False),
    "pass-dark": ("/passes/3", 1280, True, False),
    "pass-narrow": ("/passes/3", 400, False, False),
    "merge": ("/passes/3/merges/{merge}", 1280, False, False),
    "entity": ("/entities/{merge}", 1280, False, False),
    "recall": ("/recall?q=who+is+Tessa+Marlow", 1280, False, False),
    "review": ("/review/2", 1280, False, False),
    "review-dark-narrow": ("/review/2", 400, True, False),
}


def main(arguments: list[str]) -> int:
    """Take every picture; prints what was written."""
    folder = Path(arguments[0]) if arguments else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graphdream-pictures-") as place, browser() as page:
        planned, dreamt, merge = _remember(Path(place))
        for memory, of_plan in ((planned, True), (dreamt, False)):
            with _served(memory) as url:
                for name, (where, width, dark, whole) in SHOTS.items():
                    if where.startswith("/review") != of_plan:
                        continue
                    page.look(width=width, height=1000 if width > 400 else 1400, dark=dark)
                    page.open(url + where.format(merge=merge))
                    target = folder / f"{name}.png"
                    target.write_bytes(page.picture(whole=whole))
                    print(f"{target}: {target.stat().st_size:,} bytes")
    return 0


@contextmanager
def _served(path: Path) -> Iterator[str]:
    words = ["serve", "--db", str(path), "--port", "0", "--json", "--no-schedule"]
    server = subprocess.Popen(
        [sys.executable, "-m", "graphdream", *words], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"GRAPHDREAM_HOME": str(path.parent)},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["said"].rpartition(" at ")[2].rstrip("/")
    finally:
        server.terminate()
        server.wait(20)


def _remember(folder: Path) -> tuple[Path, Path, str]:
    """A memory with an open plan, one in which it was approved, and there the survivor of the largest merge."""
    planned, dreamt = folder / "planned" / "memory.db", folder / "dreamt" / "memory.db"
    with open_graph(planned) as graph:
        graph.import_graph(demo_graph())
        graph.dream(compact=True, review=True)
    shutil.copytree(planned.parent, dreamt.parent)
    with open_graph(dreamt) as graph:
        graph.approve(2)
        survivor = next(iter(merges_in(graph.store.connection, 3)))
    return planned, dreamt, f"e{survivor}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
