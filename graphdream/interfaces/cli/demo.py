"""`graphdream demo`: the whole story, on a bloated graph that ships with the package."""

from __future__ import annotations

import io
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

import graphdream
from graphdream.errors import NotFoundError, UsageError
from graphdream.interfaces.cli.dream import as_json, printable_report
from graphdream.interfaces.output import print_json
from graphdream.interfaces.overview_text import WIDTH
from graphdream.outputs import confirm_not_ours
from graphdream.paths import database_path
from graphdream.shown import printable

_PACKAGE = Path(__file__).resolve().parents[2]
FIXTURE = "small.jsonl.gz"
_INDENT = "   "
_KINDS, _EXAMPLES = 4, 3  # so that the whole story stays on one screen


def demo_graph() -> Path:
    """The graph that ships with the package; in a source tree it lies among the fixtures.

    Raises:
        NotFoundError: the installation is incomplete.
    """
    for path in (_PACKAGE / "demo" / FIXTURE, _PACKAGE.parent / "fixtures" / FIXTURE):
        if path.is_file():
            return path
    raise NotFoundError("the demo's graph is missing from this installation", "install graphdream again")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `demo`."""
    parser.add_argument("--keep", metavar="FILE", help="keep the database in this new file instead of throwing it away")


def run(args: Namespace) -> int:
    """Import, dream, show, undo, verify; exit code 1 if anything did not come out as it should."""
    with tempfile.TemporaryDirectory(prefix="graphdream-demo-") as folder:
        path = database_path(args.keep) if args.keep else Path(folder) / "demo.db"
        if path.exists():
            raise UsageError(f"{path} is there already: nothing is written into it", "name a file that is not there")
        confirm_not_ours(path)
        with graphdream.open(path) as graph:
            return _as_json(graph) if args.json else _tell(graph)


def _as_json(graph: graphdream.Graph) -> int:
    """The same story as one object."""
    graph.import_graph(demo_graph())
    sizes, imported = [_sizes(graph)], _export(graph)
    report = graph.dream(compact=True)
    sizes.append(_sizes(graph))
    again = graph.dream(compact=True).status
    undone = report.pass_id is not None and graph.undo(report.pass_id) is not None and _export(graph) == imported
    verified = not graph.verify().faults
    ok = undone and verified and again == "nothing"
    print_json(
        {"imported": sizes[0], "dream": as_json(report), "dreamed": sizes[1], "again": again, "undone": undone,
         "verified": verified, "ok": ok}
    )  # fmt: skip
    return 0 if ok else 1


def _tell(graph: graphdream.Graph) -> int:
    source = demo_graph()
    print(f"1. Import a bloated graph ({source.name})")
    graph.import_graph(source)
    before = _size(graph)
    imported = _export(graph)

    print("2. Dream: the whole graph, without a model, without a network")
    report = graph.dream(compact=True)
    seen = graph.overview(report.pass_id) if report.pass_id is not None else None
    shown = printable_report(report, seen, most=_EXAMPLES, kinds=_KINDS, width=WIDTH - len(_INDENT), asks=False)
    print(_indented(shown), end="")
    print(f"   before: {before}")
    print(f"   after:  {_size(graph)}")
    if report.pass_id is None:
        print("   the pass changed nothing, so there is nothing to take back")
        return 1

    print("3. Dream again")
    again = graph.dream(compact=True)
    print(f"   {again.summary}")

    print("4. Take it back")
    graph.undo(report.pass_id)
    same = _export(graph) == imported
    print(f"   the graph is {'exactly' if same else 'NOT'} what was imported")

    print("5. Verify: state, journal, hash chain and anchor agree")
    verified = graph.verify()
    print(_indented(verified.as_text() + "\n"), end="")
    print("With your own notes: graphdream import MEMORY.md")
    return 0 if same and not verified.faults and again.status == "nothing" else 1


def _size(graph: graphdream.Graph) -> str:
    *counted, tokens = (f"{number:,} {what}" for what, number in _sizes(graph).items())
    return f"{', '.join(counted)}, {tokens} (about)"


def _sizes(graph: graphdream.Graph) -> dict[str, int]:
    """How much of what the graph holds."""
    count = graph.store.connection.execute(
        "SELECT (SELECT count(*) FROM entity WHERE status = 'active'), (SELECT count(*) FROM attribute WHERE"
        " status = 'active'), (SELECT count(*) FROM link WHERE status = 'active'), (SELECT sum(length(content)) FROM"
        " attribute WHERE status = 'active')"
    ).fetchone()
    return {"entities": count[0], "facts": count[1], "links": count[2], "tokens": count[3] // 4}


def _export(graph: graphdream.Graph) -> str:
    from graphdream.interfaces.exporters import export_graph

    out = io.StringIO()
    export_graph(graph.store.connection, out)
    return out.getvalue()


def _indented(text: str) -> str:
    return "".join(f"{_INDENT}{printable(line)}\n" for line in text.splitlines())
