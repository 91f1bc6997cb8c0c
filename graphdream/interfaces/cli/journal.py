"""`graphdream passes | show | diff | undo | unmerge | replay | verify`: read the journal, and take it back."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.opening import add_accept_damage, opened, opened_graph, warn_of_left_out
from graphdream.interfaces.output import fields, plural, print_json, shortened, table, wrapped
from graphdream.interfaces.overview_text import WIDTH, examples, headline, listed
from graphdream.interfaces.passes_text import made_by, what_it_did
from graphdream.interfaces.terminal import paged, strong
from graphdream.journal.applied import applied_by_op
from graphdream.journal.overview import GROUPS, MOST, sound_overview
from graphdream.journal.passes import last_pass
from graphdream.journal.told import told_mutations, told_pass, told_passes
from graphdream.journal.unusual import unusual_in
from graphdream.outputs import write_text
from graphdream.shown import printable

FOUND_FAULTS = 1  # exit code of a check that found something wrong (docs/exit-codes.md)
_LAST = "last"
_SHOWN_MUTATIONS = 40
_SUMMARY = 90  # columns of what a pass did, in the list of passes
_READ = ("passes", "show", "diff")  # commands that only tell
_TAKES_BACK = ("undo", "unmerge")  # what was told before one of them is taken in first


def _pass_or_last(word: str) -> int | str:
    if word == _LAST:
        return word
    try:
        return int(word)
    except ValueError:
        raise ArgumentTypeError(f"{word!r} is no number of a pass, nor `{_LAST}`") from None


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of whichever of the commands was asked for."""
    command = parser.get_default("command")
    if command in ("show", "undo", "replay"):
        last = "the last one that stands, but no import" if command == "undo" else "the last one"
        parser.add_argument(
            "pass_id", type=_pass_or_last, metavar="PASS",
            help=f"id of a pass, as `graphdream passes` lists it, or `{_LAST}`: {last}",
        )  # fmt: skip
    if command == "show":
        parser.add_argument("--all", action="store_true", help="all of it, whole, and each mutation with its outcome")
        parser.add_argument("--not-applied", action="store_true", help="only what was skipped or failed, and why")
        only = parser.add_argument_group("every change of a kind, whole, with handles for undo and unmerge")
        for group, kinds in GROUPS.items():
            only.add_argument(f"--{group}", dest="only", action="append_const", const=group, help=_told(kinds))
        said = parser.add_mutually_exclusive_group()
        said.add_argument("--transcript", action="store_true", help="what was said with the model, looks included")
        said.add_argument("--prompt", action="store_true", help="what the model was shown, word for word")
        said.add_argument("--cost", action="store_true", help="what each conversation took, and a mutation that held")
    if command == "undo":
        parser.add_argument("--cascade", action="store_true", help="undo the later passes that stand in the way, too")
        judging = parser.add_mutually_exclusive_group()
        judging.add_argument(
            "--wrong", default="", metavar="e5,e9", help="these entities were merged wrongly; remember them as distinct"
        )
        judging.add_argument("--all-wrong", action="store_true", help="so was every entity that the pass merged")
    if command in _TAKES_BACK:
        add_accept_damage(parser)
    if command == "unmerge":
        parser.add_argument("entity", metavar="HANDLE", help="handle of the entity that was merged away: e697")
        parser.add_argument("--wrong", action="store_true", help="it is not the same; remember that")
    if command == "replay":
        parser.add_argument(
            "--level", type=int, default=1, choices=(1, 2, 3), help="1: the log again; 2: judged anew; 3: thought anew"
        )
        parser.add_argument(
            "--model", metavar="NAME", help="with --level 3: ask this model; without it, the recorded answers count"
        )
    if command == "diff":
        parser.add_argument("span", metavar="PASS|A..B", help=f"a pass, or `{_LAST}`; or two passes or times, as 3..7")
        parser.add_argument("until", nargs="?", metavar="B", help="the second of two, as in 3 7")
        parser.add_argument("--all", action="store_true", help="all of it, entity by entity")
        parser.add_argument("--svg", metavar="FILE", help="also draw it")
        parser.add_argument("--force", action="store_true", help="replace the drawing if it is there; never a memory")


def run(args: Namespace) -> int:
    """Run one of the commands; what is long is shown in a pager to a person."""
    patiently = args.command in _TAKES_BACK
    with (
        opened(args, patiently=patiently) as store,
        paged() if args.command in _READ and not args.json else nullcontext(),
    ):
        if getattr(args, "pass_id", 0) == _LAST and args.command != "undo":
            args.pass_id = last_pass(store.connection)
        code = _RUN[args.command](store, args)
        warn_of_left_out(store)
        return code


def _told(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} and {kinds[-1]}"


def _passes(store: Store, args: Namespace) -> int:
    passes = told_passes(store)
    if args.json:
        print_json([_brief(record) for record in passes])
        return 0
    if not passes:
        print("no pass was ever written")
        return 0
    counted = applied_by_op(store)
    rows = [
        (
            record["id"], record["kind"] + (f" ({record['mode']})" if record["mode"] else ""), _status(record),
            made_by(record) or None, record["finished_at"] or record["started_at"], record["cost"] or None,
            shortened(what_it_did(record, counted.get(record["id"], {})), _SUMMARY),
        )
        for record in passes
    ]  # fmt: skip
    print(table(rows, ("pass", "kind", "status", "by", "finished", "cost $", "what it did")), end="")
    return 0


def _brief(record: dict[str, Any]) -> dict[str, Any]:
    """What a list of passes shows of one: all but the raw answers and the inputs."""
    return {key: value for key, value in record.items() if key not in ("answer", "inputs")}


def _status(record: dict[str, Any]) -> str:
    return f"undone by {record['undone_by']}" if record["undone_by"] else record["status"]


def _show(store: Store, args: Namespace) -> int:
    record = told_pass(store, args.pass_id)
    if args.transcript or args.prompt:
        return _said(store, args)
    if args.cost:
        return _cost(store, args, record)
    if args.only:
        return _listed(store, args)
    mutations = told_mutations(store, args.pass_id)
    if args.not_applied:
        mutations = [item for item in mutations if item["status"] != "applied"]
    unusual = unusual_in(store.connection, args.pass_id) if record["kind"] else []
    if args.json:
        print_json({**record, "unusual": [asdict(one) for one in unusual], "mutations": mutations})
        return 0
    if not record["kind"]:
        print(f"pass {record['id']}: {record['error']}")
        return 0
    lead = f"pass {record['id']}, {record['kind']} {record['mode']}".strip() + f", {_status(record)}:"
    seen = sound_overview(store, args.pass_id - 1, args.pass_id, most=None if args.all else MOST)
    for line in headline(seen, lead, sessions=len(record["inputs"].get("sessions", ()))):
        print(line)
    for one in unusual:
        print(f"  unusual: {one.words}")
    _print_examples(examples(seen, width=None if args.all else WIDTH))
    print(_about(record, all_of_it=args.all), end="")
    if args.all or args.not_applied:
        rows = [
            (item["position"], item["op"], f"{item['status']}/{item['code']}", item["message"],
             str(item["body"].get("reason", "")))
            for item in mutations
        ]  # fmt: skip
        told = table(rows, ("#", "mutation", "outcome", "", "reason")) if rows else "every mutation was applied\n"
        print(told, end="")
    else:
        groups = [f"--{name}" for name, kinds in GROUPS.items() if not seen.counts.keys().isdisjoint(kinds)]
        if groups:
            also = f"; also {', '.join(groups[1:])}" if groups[1:] else ""
            told = f"every one of a kind: graphdream show {args.pass_id} {groups[0]}{also}"
            print("\n".join(wrapped(told, WIDTH, indent="    ")))
        print(f"all of it: graphdream show {args.pass_id} --all; take it back: graphdream undo {args.pass_id}")
    return 0


def _listed(store: Store, args: Namespace) -> int:
    """Every change of the kinds that were asked for."""
    seen = sound_overview(store, args.pass_id - 1, args.pass_id, most=None, only=args.only)
    if args.json:
        print_json([asdict(kind) for kind in seen.kinds])
        return 0
    _print_examples(listed(seen))
    if not seen.kinds:
        print(f"nothing of that kind in pass {args.pass_id}")
    elif "merges" in args.only:
        print("take one merge back: graphdream unmerge HANDLE, with a handle from the left of an arrow")
    return 0


def _print_examples(lines: Iterable[str]) -> None:
    """Headings stand out, what belongs to them is indented."""
    for line in lines:
        print(printable(line) if line.startswith(" ") else strong(printable(line)))


def _about(record: dict[str, Any], *, all_of_it: bool) -> str:
    """Who made a pass, when, at what price, and what was measured."""
    counts = record["counts"]
    not_applied = ", ".join(f"{code} {number:,}" for code, number in counts.get("not_applied", {}).items())
    figures = ", ".join(
        # Of what is listed, such as the pairs that are left to a person, the number is told.
        f"{name.replace('_', ' ')} {len(figure) if isinstance(figure, list) else figure}"
        for name, figure in counts.get("figures", {}).items()
    )
    return fields(
        {
            "trigger": record["trigger"] or None,
            "dreamer": " ".join(filter(None, (record["dreamer"], record["model"]))) or None,
            "finished": f"{record['finished_at']}, after {record['duration_ms'] / 1000:.2f} s",
            "tokens": f"{record['tokens_in']:,} in, {record['tokens_out']:,} out" if record["tokens_in"] else None,
            "cost": "not known" if record["cost"] is None else f"${record['cost']:.4f}" if record["cost"] else None,
            "directive": f"{record['inputs'].get('directive', '')} {record['directive_hash'][:12]}"
            if record["directive_hash"]
            else None,
            "error": record["error"] or None,
            "not applied": not_applied or None,
            "figures": (figures or None) if all_of_it else None,
            "graph": f"{record['hash_before'][:16]} → {record['hash_after'][:16]}" if record["hash_after"] else None,
            "undoes": ", ".join(map(str, record["undoes"])) or None,
        },
        width=WIDTH,
    )


def _said(store: Store, args: Namespace) -> int:
    """What a model was shown, or what was said with it after that."""
    from graphdream.dream.exchanges import conversations

    texts = [
        (one.what, one.model, one.prompt if args.prompt else one.transcript)
        for one in conversations(store, args.pass_id)
    ]
    if args.json:
        print_json([{"what": what, "model": model, "text": text} for what, model, text in texts])
        return 0
    if not texts:
        print(f"no model was asked in pass {args.pass_id}")
    for what, model, text in texts:
        print(printable(f"== {what} ({model})"))
        for line in text.splitlines():
            print(printable(line))
    return 0


def _cost(store: Store, args: Namespace, record: dict[str, Any]) -> int:
    """What a pass took: each conversation, the sum, and the price of a model's mutation that was applied."""
    from graphdream.dream.exchanges import told_costs

    sheet = told_costs(store, record)
    if args.json:
        print_json(sheet)
        return 0
    if not sheet["calls"]:
        print(f"no model was asked in pass {args.pass_id}; it cost nothing")
        return 0
    rows = [
        (call["what"], call["model"], call["attempts"], call["tokens_in"], call["tokens_out"], call["tokens_cached"],
         "not known" if call["cost"] is None else f"{call['cost']:.4f}", call["ended"])
        for call in sheet["calls"]
    ]  # fmt: skip
    print(table(rows, ("what", "model", "asked", "in", "out", "cached", "$", "ended")), end="")
    tokens = sheet["tokens_in"] + sheet["tokens_out"]
    price = "at a price that is not known" if sheet["cost"] is None else f"${sheet['cost']:.4f}"
    print(f"{plural(tokens, 'token')}, {price}; {plural(sheet['applied'], 'mutation')} of the model applied", end="")
    each = sheet["cost_per_applied"]
    print(f", ${each:.5f} each" if each is not None else "")
    return 0


def _diff(store: Store, args: Namespace) -> int:
    from graphdream.journal.diff import diff
    from graphdream.journal.net import resolve_point

    def point(word: str) -> int:
        return last_pass(store.connection) if word == _LAST else resolve_point(store, word)

    first, dots, until = args.span.partition("..")
    if args.until and dots:
        raise UsageError(f"{args.span} {args.until} are three", "two passes or times: 3..7, or 3 7")
    until = args.until or until
    after = point(until if dots or args.until else first)
    before = point(first) if dots or args.until else after - 1
    found = diff(store, before, after)
    if args.svg:
        write_text(args.svg, found.svg(), force=args.force)
    if args.json:
        print_json(found.as_json())
    else:
        seen = sound_overview(store, before, after)
        print("\n".join(headline(seen, f"pass {before} → pass {after}:")))
        if args.all:
            print(found.text(most=len(found.entities)), end="")
            return 0
        _print_examples(examples(seen))
        print(f"entity by entity: graphdream diff {' '.join(filter(None, (args.span, args.until)))} --all")
    return 0


def _undo(store: Store, args: Namespace) -> int:
    from graphdream.interfaces.no_pass_text import nothing_to_undo
    from graphdream.interfaces.undo_text import undo_text
    from graphdream.journal.last import last_to_undo, what_is_next
    from graphdream.journal.undo import undo

    fault = nothing_to_undo(store.connection, None if args.pass_id == _LAST else args.pass_id)
    if fault is not None:
        raise fault
    last = last_to_undo(store.connection) if args.pass_id == _LAST else None
    wrong = [name.strip() for name in args.wrong.split(",") if name.strip()]
    report = undo(store, last.id if last else args.pass_id, cascade=args.cascade, wrong=wrong, all_wrong=args.all_wrong)
    if args.json:
        print_json(report.as_json())
    else:
        lines = undo_text(store, report).splitlines()
        if last is not None:
            lines = [f"taken back: {last.as_text()}", *lines, what_is_next(store.connection)]
        print("\n".join(map(printable, lines)))
    return 0


def _unmerge(store: Store, args: Namespace) -> int:
    from graphdream.journal.unmerge import unmerge

    report = unmerge(store, args.entity, wrong=args.wrong)
    if args.json:
        print_json(report.as_json())
    else:
        print("\n".join(map(printable, report.as_text().splitlines())))
    return 0


def _replay(store: Store, args: Namespace) -> int:
    if args.level == 3:
        return _ask_again(args)
    if args.model:
        raise UsageError(f"level {args.level} asks no model", "write --level 3 --model NAME")
    from graphdream.dream.replay import replay

    report = replay(store, args.pass_id, level=args.level)
    if args.json:
        print_json(
            {
                "pass": report.pass_id, "level": report.level, "same": report.same, "same_hash": report.same_hash,
                "hash_then": report.hash_then, "hash_now": report.hash_now, "mutations": report.mutations,
                "differences": [
                    {"position": item.position, "op": item.op, "was": item.was, "now": item.now}
                    for item in report.differences
                ],
            }
        )  # fmt: skip
    else:
        verdict = "the same graph" if report.same_hash else "ANOTHER graph"
        print(f"pass {report.pass_id} ({report.kind}) replayed at level {report.level}: {verdict}")
        print(f"  {plural(report.mutations, 'mutation')}, {plural(len(report.differences), 'difference')}")
        for item in report.differences[:_SHOWN_MUTATIONS]:
            print(printable(f"  #{item.position} {item.op}: was {item.was}; now {item.now}"))
    return 0 if report.same else FOUND_FAULTS


def _ask_again(args: Namespace) -> int:
    """Level 3: the two plans side by side."""
    with opened_graph(args) as graph:
        found = graph.ask_again(args.pass_id, model=args.model)
    if args.json:
        print_json(found.as_json())
        return 0
    print(printable(f"pass {found.pass_id}, thought anew: then {found.model_then}, now {found.model_now}"))
    if found.same_input is not None:
        print(f"  the prompts are {'word for word those of then' if found.same_input else 'NOT those of then'}")
    print(f"  {plural(len(found.both), 'mutation')} in both plans,"
          f" {len(found.only_then):,} only then, {len(found.only_now):,} only now")  # fmt: skip
    for mark, plan in (("then", found.only_then), ("now ", found.only_now)):
        for one in plan[:_SHOWN_MUTATIONS]:
            print(printable(f"  {mark} {one.key[:160]}  {one.outcome[:60]}"))
        if len(plan) > _SHOWN_MUTATIONS:
            print(f"  {mark} ... and {len(plan) - _SHOWN_MUTATIONS:,} more; --json lists them all")
    return 0


def _verify(store: Store, args: Namespace) -> int:
    from graphdream.journal.verify import verify

    report = verify(store)
    if args.json:
        print_json(report.as_json())
    else:
        print("\n".join(map(printable, report.as_text().splitlines())))
    return FOUND_FAULTS if report.faults else 0


_RUN: dict[str, Callable[[Store, Namespace], int]] = {
    "passes": _passes, "show": _show, "diff": _diff, "undo": _undo, "unmerge": _unmerge,
    "replay": _replay, "verify": _verify,
}  # fmt: skip
