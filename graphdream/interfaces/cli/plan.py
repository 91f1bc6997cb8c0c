"""`graphdream plan list | show | review | approve | reject`: decide what a reviewed pass may do.

By item, by cluster (`c12` is the cluster whose first item is 12), or cluster by cluster in a walk.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphdream.errors import UsageError
from graphdream.interfaces.opening import add_accept_damage, opened_graph, warn_of_left_out
from graphdream.interfaces.output import json_text, plural, print_json, table
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream import Graph
    from graphdream.dream.plan import Decision

_ITEMS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_CLUSTER = re.compile(r"c(\d{1,9})")
_MOST_ITEMS = 100_000
_SHOWN = 60


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `plan`."""
    parser.add_argument("what", choices=("list", "show", "review", "approve", "reject"), help="what to do")
    parser.add_argument("pass_id", type=int, nargs="?", metavar="PLAN", help="id of the plan, as `plan list` names it")
    parser.add_argument(
        "items", nargs="*", metavar="ITEM",
        help="items, such as 3 or 5-9, or clusters, such as c12; without any: all that are open",
    )  # fmt: skip
    parser.add_argument("--clusters", action="store_true", help="with show: what belongs together in one row")
    parser.add_argument("--all", action="store_true", help=f"show every item, not only the first {_SHOWN}")
    add_accept_damage(parser)


def run(args: Namespace) -> int:
    """Run one of the five."""
    if args.what != "list" and args.pass_id is None:
        raise UsageError(f"plan {args.what} needs the id of a plan", "graphdream plan list names them")
    if args.what == "review" and (args.items or args.json):
        raise UsageError("plan review asks about every open cluster, in words", "graphdream plan show PLAN --json")
    parse_items([word for word in args.items if not _CLUSTER.fullmatch(word)])  # refused before a file is opened
    with opened_graph(args) as graph:
        if args.what == "list":
            return _list(graph, args)
        if args.what == "review":
            return _review(graph, args)
        positions = _positions(graph, args)
        if args.what == "show":
            return _show_clusters(graph, args, positions) if args.clusters else _show(graph, args, positions)
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


def _positions(graph: Graph, args: Namespace) -> list[int] | None:
    """Positions that the command line names: items, and the items of clusters; None where it names nothing."""
    named = [int(match[1]) for word in args.items if (match := _CLUSTER.fullmatch(word))]
    positions = parse_items([word for word in args.items if not _CLUSTER.fullmatch(word)])
    if not named:
        return positions
    from graphdream.dream.plan_clusters import clusters_of, positions_in

    items = graph.plan(args.pass_id)
    clusters = clusters_of(graph.store, args.pass_id, items)
    of_clusters = positions_in(items, clusters, named, still_open=args.what != "show")
    if not of_clusters:
        raise UsageError(f"everything in {plural(len(named), 'cluster')} of plan {args.pass_id} is decided already")
    return sorted({*(positions or ()), *of_clusters})


def _list(graph: Graph, args: Namespace) -> int:
    plans = graph.plans()
    warn_of_left_out(graph.store)
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


def _show_clusters(graph: Graph, args: Namespace, positions: Sequence[int] | None) -> int:
    from graphdream.dream.plan_clusters import clusters_of

    wanted = None if positions is None else set(positions)
    clusters = [
        one for one in clusters_of(graph.store, args.pass_id, graph.plan(args.pass_id))
        if wanted is None or not wanted.isdisjoint(one.positions)
    ]  # fmt: skip
    if args.json:
        print_json([asdict(one) for one in clusters])
        return 0
    shown = clusters if args.all else clusters[:_SHOWN]
    rows = [(f"c{one.id}", one.kind, one.title[:90], len(one.positions), one.open) for one in shown]
    print(table(rows, ("cluster", "what", "about", "items", "open")), end="")
    if len(shown) < len(clusters):
        print(f"... and {len(clusters) - len(shown):,} more; --all shows them")
    return 0


def _review(graph: Graph, args: Namespace) -> int:
    from graphdream.interfaces.cli.review import review

    decided = review(graph, args.pass_id)
    print()
    if decided.approved:
        _tell(graph.approve(args.pass_id, decided.approved), args.pass_id)
    if decided.rejected:
        judge = graph.reject(args.pass_id, decided.rejected).rejected_by
        print(f"rejected: {plural(len(decided.rejected), 'item')}")
        print(_take_back(judge))
    left = sum(item.verdict == "open" for item in graph.plan(args.pass_id))
    if left:
        print(f"still open: {plural(left, 'item')}; graphdream plan review {args.pass_id} goes on")
    if not decided.approved:
        print("nothing was changed")
    return 0


def _decide(graph: Graph, args: Namespace, positions: Sequence[int] | None) -> int:
    decision = (graph.approve if args.what == "approve" else graph.reject)(args.pass_id, positions)
    outcomes = decision.outcomes
    if args.json:
        passes = {"pass": decision.pass_id, "rejected_by": decision.rejected_by}
        print_json({"plan": args.pass_id, **passes, "outcomes": _as_json(outcomes)})
        return 0
    if args.what == "reject":
        print(f"rejected in plan {args.pass_id}; nothing was changed")
        print(_take_back(decision.rejected_by))
        return 0
    _tell(decision, args.pass_id)
    return 0


def _take_back(judge: int | None) -> str:
    """What a rejection means, and how to take it back."""
    return f"  no pass does that by itself from now on; take it back: graphdream undo {judge}"


def _tell(decision: Decision, plan_id: int) -> None:
    """What became of what was approved."""
    done = sum(outcome.status == "applied" for outcome in decision.outcomes.values())
    print(f"pass {decision.pass_id}: {plural(done, 'item')} of plan {plan_id} applied")
    for position, outcome in decision.outcomes.items():
        if outcome.status != "applied":
            print(printable(f"  #{position} {outcome.status}/{outcome.code}: {outcome.message}"))
    print(f"  look: graphdream diff {decision.pass_id}; take it back: graphdream undo {decision.pass_id}")


def _as_json(outcomes: dict[int, Any]) -> list[dict[str, Any]]:
    return [
        {"position": position, "status": outcome.status, "code": outcome.code, "message": outcome.message}
        for position, outcome in outcomes.items()
    ]
