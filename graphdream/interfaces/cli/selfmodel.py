"""`graphdream self` and `graphdream introspect`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from graphdream.interfaces.opening import opened_graph, warn_of_left_out
from graphdream.interfaces.output import fields, print_json, table
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.views.self_model import SelfModel


def add_arguments(parser: ArgumentParser) -> None:
    """There are none of its own."""


def run(args: Namespace) -> int:
    """Print what is known."""
    with opened_graph(args) as graph:
        if args.command == "self":
            model = graph.self_model()
            warn_of_left_out(graph.store)
            print_json(model.as_json()) if args.json else print(_model(model), end="")
            return 0
        report = graph.introspect()
        warn_of_left_out(graph.store)
    if args.json:
        print_json(report.as_json())
        return 0
    print(f"health {report.score} of 100")
    for finding in report.findings:
        print(f"  {finding.weight}: {printable(finding.what)}" + (f"  ({finding.hint})" if finding.hint else ""))
    print(fields({name: f"{number:,}" for name, number in report.totals.items()}), end="")
    if report.top_skills:
        print(table(report.top_skills.items(), ("skill", "uses")), end="")
    print(_model(report.self_model), end="")
    return 0


def _model(model: SelfModel) -> str:
    told = {
        "strengths": ", ".join(model.strengths) or None,
        "known failures": ", ".join(model.known_failures) or None,
        "preferences": "; ".join(model.preferences) or None,
        "this week": ", ".join(f"{number:,} {name}" for name, number in model.week.items() if number) or None,
    }
    text = fields({name: printable(value) if value else None for name, value in told.items()})
    rows = [
        (name, f"{value:.3f}", *model.success_rates.get(name, ("", ""))) for name, value in model.confidence.items()
    ]
    if rows:
        text += table(rows, ("domain", "confidence", "ok", "of"))
    return text or "nothing is known of itself yet: no outcome is on record\n"
