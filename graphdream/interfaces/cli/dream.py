"""`graphdream dream`: run a pass. (`--status` is answered by the module `status`, which loads nothing heavy.)"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphdream.given import confirm_number, confirm_rate, confirm_share
from graphdream.interfaces.opening import add_accept_damage, opened_graph
from graphdream.interfaces.output import plural, print_json, shortened, width_of, wrapped
from graphdream.interfaces.overview_text import WIDTH, examples, headline
from graphdream.journal.overview import MOST
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream import Graph
    from graphdream.dream.report import DreamReport
    from graphdream.dreamers.openpairs import OpenFacts, OpenPair
    from graphdream.journal.overview import Overview


_MOST_OPEN_FACTS = 5  # pairs of facts that are shown of a question
_FACT_QUESTIONS = (
    ("same", "may say the same", "same {1} {0}"),
    ("replaces", "the second may have replaced the first", "replace {0} {1}"),
)  # a question, how it is put, and the command that says yes


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `dream`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--compact", action="store_true", help="go through the whole graph, not only what is new")
    what.add_argument("--incremental", action="store_true", help="only what is new, even where a compaction is due")
    what.add_argument("--trigger", action="store_true", help="run now, whatever the gates say")
    what.add_argument("--if-due", action="store_true", help="run only if a pass is due; for hooks and timers")
    what.add_argument("--status", action="store_true", help="is a pass due, and if not, what would make it so")
    parser.add_argument("--again", action="store_true", help="also do anew what was taken back from earlier passes")
    parser.add_argument(
        "--started-by", default="", metavar="NAME", help="what the record says started it; a program names itself"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    add_accept_damage(parser)
    asking = parser.add_argument_group("with a model")
    asking.add_argument("--model", metavar="NAME", help="ask this model, `provider/model` as litellm names it")
    asking.add_argument("--budget", type=int, metavar="TOKENS", help="most tokens that the pass may spend, in and out")
    asking.add_argument("--thorough", action="store_true", help="with --compact: show the model the whole graph")
    asking.add_argument("--review", action="store_true", help="change nothing; keep a plan for `graphdream plan`")
    asking.add_argument("--estimate", action="store_true", help="say what it would cost, and ask nobody")
    parser.add_argument(
        "--max-false-merge-rate",
        type=float,
        metavar="RATE",
        help="share of merged pairs that may be wrong, such as 0.005",
    )
    parser.add_argument(
        "--loss-cap", type=float, metavar="SHARE", help="share of the active facts that the pass may archive"
    )


def run(args: Namespace) -> int:
    """Run one pass and say what it did."""
    confirm_rate("--max-false-merge-rate", args.max_false_merge_rate)
    confirm_share("--loss-cap", args.loss_cap)
    confirm_number("--budget", args.budget, least=1, of="tokens")
    with opened_graph(args) as graph:
        if args.estimate or (args.dry_run and args.model):
            return _estimate(graph, args)
        _say_of_no_use(graph, args)
        if args.if_due and not graph.dream_due():
            print_json({"status": "not due"}) if args.json else print(
                "no pass is due; graphdream dream --status says why"
            )
            return 0
        report = graph.dream(
            compact=True if args.compact else False if args.incremental else None,
            dry_run=args.dry_run,
            again=args.again,
            max_false_merge_rate=args.max_false_merge_rate,
            loss_cap=args.loss_cap,
            trigger=args.started_by or ("if-due" if args.if_due else "manual"),
            model=args.model,
            budget=args.budget,
            thorough=args.thorough,
            review=args.review,
        )
        if args.json:
            print_json(as_json(report))
        else:
            print(printable_report(report, overview_of(graph, report), unusual=unusual_of(graph, report)), end="")
    return 0


def _say_of_no_use(graph: Graph, args: Namespace) -> None:
    """Say which options do nothing, because no model is named that they could be about."""
    asked = {"--budget": args.budget is not None, "--thorough": args.thorough}
    given = [option for option, is_given in asked.items() if is_given]
    dreaming = graph.settings().dreaming
    if given and not args.model and not (dreaming.enabled and dreaming.model):
        do = "does" if len(given) == 1 else "do"
        print(f"graphdream: {' and '.join(given)} {do} nothing: no model is named, and none is asked", file=sys.stderr)


def unusual_of(graph: Graph, report: DreamReport) -> list[str]:
    """What the pass did far more of than the passes before it, in words."""
    from graphdream.journal.unusual import unusual_in

    if report.status != "applied" or report.pass_id is None:
        return []
    return [one.words for one in unusual_in(graph.store.connection, report.pass_id)]


def overview_of(graph: Graph, report: DreamReport) -> Overview | None:
    """What a pass changed, or would change; None where there is nothing to tell."""
    if report.status == "applied" and report.pass_id is not None:
        return graph.overview(report.pass_id)
    return report.overview


def _estimate(graph: Graph, args: Namespace) -> int:
    """Say what a pass would take. A dry run with a model is one: it could only say more by spending it."""
    estimate = graph.estimate(
        model=args.model, compact=True if args.compact else None, budget=args.budget, thorough=args.thorough,
        max_false_merge_rate=args.max_false_merge_rate,
    )  # fmt: skip
    if args.json:
        print_json(estimate.as_json())
        return 0
    price = "at a price that is not known" if estimate.cost is None else f"about ${estimate.cost:.4f}"
    print(printable(f"{estimate.model}, {estimate.mode}: about {plural(estimate.tokens, 'token')} in"
                    f" {plural(estimate.calls, 'call')}, {price}"))  # fmt: skip
    print(f"  {estimate.tokens_in:,} in, about {estimate.tokens_out:,} out; nothing was spent, nobody was asked")
    learned = f"; learned from {plural(estimate.learned_from, 'past call')}" if estimate.learned_from else ""
    print(f"  {estimate.low:,} where the model changes nothing, {estimate.high:,} where it writes at length{learned}")
    for name, figure in estimate.figures.items():
        print(f"  {name.replace('_', ' ')}: {figure:,}")
    for left in estimate.left:
        print("\n".join(_note(f"left for the next pass: {left}", WIDTH)))
    return 0


def as_json(report: DreamReport) -> dict[str, Any]:
    """The report as plain values; a dry run lists every change."""
    changes = [
        {"op": proposal.body["op"], "status": outcome.status, "code": outcome.code, "message": outcome.message,
         "reason": proposal.body.get("reason", "")}
        for proposal, outcome in zip(report.proposals, report.outcomes, strict=False)
    ]  # fmt: skip
    return {
        "status": report.status, "pass": report.pass_id, "mode": report.mode, "summary": report.summary,
        "counts": report.counts, "figures": report.figures, "left": list(report.left), "held": report.held,
        "sessions": report.sessions, "seconds": report.seconds,
        "changes": changes if report.status == "dry-run" else None,
    }  # fmt: skip


def printable_report(
    report: DreamReport, overview: Overview | None, *, most: int = MOST, kinds: int | None = None, width: int = WIDTH,
    asks: bool = True, unusual: Sequence[str] = (),
) -> str:  # fmt: skip
    """The report of a pass as lines of text: counts by kind, `most` examples of each, then how to see all.

    Args:
        kinds: of how many kinds there are examples; None: of all.
        width: columns of a line.
        asks: whether to end with the pairs that only a person can decide.
        overview: what it changed, or would change; None where that is nothing.
        unusual: what it did far more of than the passes before it.
    """
    left = [line for part in report.left for line in _note(f"left for the next pass: {part}", width)]
    left += _note(f"held: {report.held}", width) if report.held else []
    if report.status == "nothing":
        lines = [f"nothing to do ({report.mode}, {report.seconds:.1f} s)", *left]
        lines += open_pair_lines(report.figures, width=width)
        return "".join(printable(line) + "\n" for line in lines)
    if report.status == "refused" or overview is None:
        told = printable(f"{report.status}: {report.summary} ({report.seconds:.1f} s)")
        lines = wrapped(told, width, indent="    ")
    else:
        head = {"applied": f"pass {report.pass_id}", "planned": f"plan {report.pass_id}, nothing was changed yet"}
        lead = head.get(report.status, "dry run, nothing was changed")
        lead = f"{lead} ({report.mode}, {report.seconds:.1f} s):"
        lines = headline(overview, lead, sessions=report.sessions, width=width)
        lines += [line for words in unusual for line in _note(f"unusual: {words}", width)]
        lines += [f"  {line}" for line in examples(overview, most=most, kinds=kinds, width=width - 2)]
    not_applied = report.counts.get("not_applied", {})
    if not_applied:
        why = ", ".join(f"{code} {number:,}" for code, number in not_applied.items())
        lines.append(shortened(f"  not applied: {sum(not_applied.values()):,} ({why})", width))
    if questions := report.figures.get("probes", 0):
        before, after = report.figures["recall_before"], report.figures["recall_after"]
        asked = plural(questions, "question")
        lines.append(f"  {asked} about its facts: {before:.1%} answered before, {after:.1%} after")
    lines += left + _next_step(report) + (open_pair_lines(report.figures, width=width) if asks else [])
    return "".join(printable(line) + "\n" for line in lines)


def _note(text: str, width: int) -> list[str]:
    """A remark under the head of a report."""
    return wrapped(f"  {printable(text)}", width, indent="    ")


def _next_step(report: DreamReport) -> list[str]:
    number = report.pass_id
    if report.status == "planned":
        return [f"  pick from it: graphdream plan review {number}; do all of it: graphdream plan approve {number}"]
    if report.status == "applied":
        return [f"  all of it: graphdream show {number} --all; take it back: graphdream undo {number}"]
    return ["  all of it: the same with --json; do it: without --dry-run"] if report.status == "dry-run" else []


def open_pair_lines(figures: Mapping[str, Any], *, width: int = WIDTH) -> list[str]:
    """The pairs that only a person or a model can decide, likeliest first, and how to answer."""
    return _open_entities(figures.get("open_pairs", ()), width) + _open_facts(figures.get("open_facts", ()), width)


def _open_entities(pairs: Sequence[OpenPair], width: int) -> list[str]:
    if not pairs:
        return []
    lines = [
        _pair((pair["first"], pair["first_name"]), (pair["second"], pair["second_name"]), pair["probability"], width)
        for pair in pairs
    ]
    first, second = pairs[0]["first"], pairs[0]["second"]
    answer = f"    answer: graphdream same {first} {second}, or graphdream distinct {first} {second}"
    return ["  may be one, and nobody can be sure:", *lines, answer]


def _open_facts(pairs: Sequence[OpenFacts], width: int) -> list[str]:
    """The pairs of facts by question, each fact with its handle and as much of its text as there is room for."""
    lines = []
    for question, head, yes in _FACT_QUESTIONS:
        asked = [pair for pair in pairs if pair["question"] == question]
        if not asked:
            continue
        first, second = asked[0]["first"], asked[0]["second"]
        lines.append(f"  {head}, and nobody can be sure:")
        lines += [
            _pair(
                (pair["first"], pair["first_text"]), (pair["second"], pair["second_text"]), pair["probability"], width
            )
            for pair in asked[:_MOST_OPEN_FACTS]
        ]
        if len(asked) > _MOST_OPEN_FACTS:
            lines.append(f"    … and {len(asked) - _MOST_OPEN_FACTS:,} more; --json lists them")
        lines.append(f"    answer: graphdream {yes.format(first, second)}, or graphdream distinct {first} {second}")
        if question == "replaces":
            lines.append(f"    where a part of it still holds: graphdream replace {first} 'what holds now'")
    return lines


def _share(probability: float) -> str:
    """In per cent; what is asked about is never certain."""
    return f"{min(probability, 0.99):.0%}"


def _pair(first: tuple[str, str], second: tuple[str, str], probability: float, width: int) -> str:
    """Two rows, each with its handle and as much of its name or text as there is room for."""
    share = f" ({_share(probability)})"
    room = width - len(f"    {first[0]}  | {second[0]} {share}")
    one, other = printable(first[1]), printable(second[1])
    one = shortened(one, max(room // 2, room - width_of(other)))
    return f"    {first[0]} {one} | {second[0]} {shortened(other, room - width_of(one))}{share}"
