"""`graphdream` without a word: where the memory is, how it is, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from graphdream.clock import utc_now
from graphdream.dream.trigger import gates
from graphdream.graph.store import Store
from graphdream.interfaces.cli.status import settings_of, told
from graphdream.interfaces.output import fields, plural
from graphdream.interfaces.warned import warned
from graphdream.paths import database_path
from graphdream.shown import printable

_NEW = (
    ("graphdream import MEMORY.md", "begin with notes that you have: a file, or a folder of them"),
    ("graphdream init", "or let Claude Code, Codex, Copilot or OpenClaw remember by themselves"),
    ("graphdream demo", "or look at what it does with a bloated memory"),
)
_ANY = (("graphdream help", "all commands"),)


def welcome() -> str:
    """The text, for the memory of the agent that no option names."""
    path = database_path(None, None)
    if not path.exists():
        return _page({"memory": f"none yet; it will be {_shown(path)}"}, _NEW)
    with warned(Store.open(path, create=False)) as store:
        status = gates(store, settings_of(path, None), utc_now())
        count = store.connection.execute
        entities, facts = (
            count(f"SELECT count(*) FROM {table} WHERE status = 'active'").fetchone()[0]
            for table in ("entity", "attribute")
        )
        last = count(
            "SELECT id, kind, finished_at FROM pass WHERE status = 'applied' ORDER BY id DESC LIMIT 1"
        ).fetchone()
    about = {
        "memory": _shown(path),
        "holds": f"{plural(facts, 'fact')} about {plural(entities, 'thing')}",
        "last pass": f"{last[0]}, {last[1]}, {str(last[2])[:16].replace('T', ' ')} UTC" if last else "none",
        "dreaming": told(status),
    }
    return _page(about, _next_steps(facts, last[0] if last else 0, bool(status.due)))


def _next_steps(facts: int, last_pass: int, due: bool) -> list[tuple[str, str]]:
    steps = [] if facts else list(_NEW[:2])
    if due and facts:
        steps += [("graphdream dream --dry-run", "what a dream would change"), ("graphdream dream", "let it")]
    if facts:
        steps.append(('graphdream recall "…"', "ask what is known"))
    if last_pass:
        steps.append(
            (f"graphdream show {last_pass}", f"what the last pass did; graphdream undo {last_pass} takes it back")
        )
    return steps


def _page(about: Mapping[str, object], steps: Sequence[tuple[str, str]]) -> str:
    lines = [*steps, *_ANY]
    width = max(len(command) for command, _ in lines)
    return fields(about) + "\n" + "".join(f"  {command:{width}}  {what}\n" for command, what in lines)


def _shown(path: Path) -> str:
    home = Path.home()
    return printable(f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path))
