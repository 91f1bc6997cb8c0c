"""`graphdream plan list | show | approve | reject`: decide what a reviewed pass may do, mutation by mutation."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphdream.errors import UsageError
from graphdream.interfaces.opening import add_accept_damage, opened_graph
from graphdream.interfaces.output import json_text, plural, print_json, table
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream import Graph

_ITEMS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST_ITEMS = 100_000
_SHOWN = 60


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `plan`."""
    parser.add_argument("what", choices=("list", "show", "approve", "reject"), help="what to do")
    parser.add_argument("pass_id", type=int, nargs="?", metavar="PLAN", help="id of the plan, as `plan list` names it")
    parser.add_argument(
        "items", nargs="*", metavar="ITEM", help="items, such as 3 or 5-9; without any: all that are open"
    )
    parser.add_argument("--all", action="store_true", help=f"show every item, not only the first {_SHOWN}")
    add_accept_damage(parser)


def run(args: Namespace) -> int:
    """Run one of the four."""
    if args.what != "list" and args.pass_id is None:
        raise UsageError(f"plan {args.what} needs the id of a plan", "graphdream plan list names them")
    positions = parse_items(args.items)
    with opened_graph(args) as graph:
        if args.what == "list":
            return _list(graph, args)
        if args.what == "show":
            return _show(graph, args, positions)
        return _decide(graph, args, positions)


def parse_items(words: Sequence[str]) -> list[int] | None:
    """Positions that words name: `3`, `5-9`; None where there are no words.

    Raises:
        UsageError: a word is neither, or a range runs backwards or is absurdly long.
    """
    found: list[int] = []
    for word in words:
        match = _ITEMS.fullmatch(word)
        if match is None:
            raise UsageError(f"{word!r} names no item", "write a position or a range, such as 3 or 5-9")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first > _MOST_ITEMS:
            raise UsageError(f"{word!r} is no range of items")
        found += range(first, last + 1)
    return found or None


def _list(graph: Graph, args: Namespace) -> int:
    plans = graph.plans()
    if args.json:
        print_json([asdict(plan) for plan in plans])
        return 0
    if not plans:
        print("no plan was made; graphdream dream --review makes one")
        return 0
    rows = [
        (plan.id, plan.mode, plan.started_at, f"{plan.dreamer} {plan.model}".strip(), plan.items, plan.open,
         plan.approved, plan.rejected)
        for plan in plans
    ]  # fmt: skip
    print(table(rows, ("plan", "mode", "made", "by", "items", "open", "approved", "rejected")), end="")
    return 0


def _show(graph: Graph, args: Namespace, positions: Sequence[int] | None) -> int:
    from graphdream.dream.plan import at_positions

    items = graph.plan(args.pass_id)
    if positions is not None:
        items = at_positions(items, args.pass_id, positions)
    if args.json:
        print_json([item.as_json() for item in items])
        return 0
    shown = items if args.all else items[:_SHOWN]
    rows = [
        (item.position, item.verdict if not item.moved else "stale", item.op, item.foreseen[:90],
         str(item.body.get("reason", ""))[:60], ", ".join(item.moved))
        for item in shown
    ]  # fmt: skip
    print(table(rows, ("#", "verdict", "mutation", "foreseen", "reason", "moved since")), end="")
    if args.items:
        for item in shown:
            print(json_text(item.body))
    if len(shown) < len(items):
        print(f"... and {len(items) - len(shown):,} more; --all shows them")
    return 0


def _decide(graph: Graph, args: Namespace, positions: Sequence[int] | None) -> int:
    decision = (graph.approve if args.what == "approve" else graph.reject)(args.pass_id, positions)
    outcomes = decision.outcomes
    if args.json:
        print_json({"plan": args.pass_id, "pass": decision.pass_id, "outcomes": _as_json(outcomes)})
        return 0
    if args.what == "reject":
        print(f"rejected in plan {args.pass_id}; nothing was changed")
        return 0
    done = sum(outcome.status == "applied" for outcome in outcomes.values())
    print(f"pass {decision.pass_id}: {plural(done, 'item')} of plan {args.pass_id} applied")
    for position, outcome in outcomes.items():
        if outcome.status != "applied":
            print(printable(f"  #{position} {outcome.status}/{outcome.code}: {outcome.message}"))
    print(f"  look: graphdream diff {decision.pass_id}; take it back: graphdream undo {decision.pass_id}")
    return 0


def _as_json(outcomes: dict[int, Any]) -> list[dict[str, Any]]:
    return [
        {"position": position, "status": outcome.status, "code": outcome.code, "message": outcome.message}
        for position, outcome in outcomes.items()
    ]
