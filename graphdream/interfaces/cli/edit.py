"""A person's own commands: look at an entity, and change the graph by hand, in passes that can be undone."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from typing import Any

from graphdream.dream.later import soon_or_later
from graphdream.errors import UsageError, quoted
from graphdream.graph.rows import are_facts
from graphdream.graph.store import Store
from graphdream.interfaces.cli.by import add_by
from graphdream.interfaces.cli.times import TIMES, add_times
from graphdream.interfaces.opening import opened, warn_of_left_out
from graphdream.interfaces.output import print_json
from graphdream.mutations import model
from graphdream.shown import printable

_BY_HOOKS = ("pin", "unpin", "constraint")  # what protects is also said by hooks and agents, which cannot wait
_EXACTLY = "how exactly all of them are known; default: each as it is written"
_ENTITY = "name or handle (e12) of an entity"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of whichever of the commands was asked for."""
    command = parser.get_default("command")
    if command in ("entity", "pin", "unpin", "split", "rename", "alias", "retype"):
        parser.add_argument("entity", metavar="ENTITY", help=_ENTITY)
    if command == "entity":
        parser.add_argument("--history", action="store_true", help="also what was superseded, absorbed or archived")
    if command == "merge":
        parser.add_argument("entities", nargs="+", metavar="ENTITY", help=_ENTITY)
        parser.add_argument("--into", metavar="ENTITY", help="the one that stays; default: the first")
    if command in ("same", "distinct"):
        stays = " that stays" if command == "same" else ""
        parser.add_argument("first", metavar="ENTITY|FACT", help=f"{_ENTITY}, or handle of a fact (a12),{stays}")
        parser.add_argument("second", metavar="ENTITY|FACT", help="the other of the two")
    if command == "replace":
        parser.add_argument("old", metavar="FACT", help="handle of the fact that holds no more: a12")
        parser.add_argument("new", metavar="FACT|TEXT", help="handle of the fact that took its place, or its text")
    if command == "split":
        parser.add_argument("--name", required=True, help="name of the entity that is split off")
        parser.add_argument("--type", default="", help="its type; default: that of the first")
        parser.add_argument(
            "--fact", action="append", default=[], metavar="a12", help="a fact that goes over; repeatable"
        )
        parser.add_argument(
            "--link", action="append", default=[], metavar="l3", help="a link that goes over; repeatable"
        )
        parser.add_argument(
            "--alias", action="append", default=[], metavar="NAME", help="a name that goes over; repeatable"
        )
    if command == "date":
        parser.add_argument("fact", metavar="FACT", help="handle of a fact: a12")
        add_times(parser)
        parser.add_argument("--precision", choices=("year", "month", "day", "time"), default="", help=_EXACTLY)
        parser.add_argument(
            "--clear", action="append", default=[], choices=[name.replace("_", "-") for name in TIMES],
            help="a time that is not known after all; repeatable",
        )  # fmt: skip
    if command == "constraint":
        parser.add_argument("fact", metavar="FACT", help="handle of a fact: a12")
        parser.add_argument("--off", action="store_true", help="it is a fact like any other again")
    if command in ("rename", "alias"):
        parser.add_argument("name", metavar="NAME", help="the other name")
    if command == "retype":
        parser.add_argument("type", metavar="TYPE")
    if command == "link":
        parser.add_argument("source", metavar="ENTITY", help=_ENTITY)
        parser.add_argument("type", metavar="TYPE", help="how they are linked: works_at, uses, ...")
        parser.add_argument("target", metavar="ENTITY", help=_ENTITY)
    if command in ("unlink", "restore", "forget"):
        parser.add_argument("row", metavar="HANDLE", help="handle of a row: a12, e3, l7")
    if command == "edit":
        parser.add_argument(
            "changes", nargs="+", metavar="JSON", help="a change as an object; several are made together or not at all"
        )
        parser.epilog = _every_change()
    else:
        parser.add_argument("--reason", default="", help="why, for the journal")
    if command != "entity":
        add_by(parser)


def run(args: Namespace) -> int:
    """Show, or change as one pass."""
    with opened(args) as store:
        if args.command == "entity":
            return _entity(store, args)
        return _edit(store, args)


def _entity(store: Store, args: Namespace) -> int:
    from graphdream.views.entity_page import entity_page

    page = entity_page(store, args.entity, history=args.history)
    warn_of_left_out(store)
    if args.json:
        print_json(page.as_json())
    else:
        print("\n".join(printable(line) for line in page.text().split("\n")), end="")
    return 0


def _edit(store: Store, args: Namespace) -> int:
    from graphdream.dream.edit import edit

    if args.command == "edit":
        result = edit(store, [_read(one) for one in args.changes], by=args.by)
    elif args.command not in _BY_HOOKS:
        result = edit(store, _mutations(args), by=args.by)
    else:
        mutations = _mutations(args)
        told = {"mutations": [one.model_dump() for one in mutations], "by": args.by}
        made = soon_or_later(store, "edit", lambda: edit(store, mutations, by=args.by), **told)
        if made.why:
            print_json({"pass": None, "outcomes": [], "waits": True, "why": made.why}) if args.json else print(
                printable(f"{made.why}; it waits beside the file, the next command does it")
            )
            return 0
        result = made.result
    pass_id, outcomes = result
    if args.json:
        print_json(
            {
                "pass": pass_id,
                "outcomes": [{"status": o.status, "code": o.code, "message": o.message} for o in outcomes],
            }
        )
    else:
        if args.command == "distinct" and pass_id is None:
            outcomes = outcomes[-1:]  # of two facts, what became of the question says why the other change failed, too
        for outcome in outcomes:
            print(printable(outcome.message))
            if outcome.code == "coverage" and args.command == "same":
                print(printable(f"  to let it go all the same: graphdream replace {args.second} {args.first}"))
        print(f"pass {pass_id}; take it back with: graphdream undo {pass_id}" if pass_id else "nothing changed")
    return 0


def _every_change() -> str:
    """Every operation with an example of it, as declared beside each."""
    from graphdream.mutations.registry import ops

    lines = (f"{json.dumps(op.example, ensure_ascii=False)}\n    {op.does}" for op in ops())
    return "\n".join(("Every change, with an example; a handle in it stands for any such row:", "", *lines))


def _read(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError as fault:
        raise UsageError(f"{quoted(text)} is not JSON: {fault}", "graphdream edit --help has examples") from None
    if not isinstance(body, dict):
        raise UsageError(f"{quoted(text)} is no change", "write an object with `op`: graphdream edit --help")
    return body


def _mutations(args: Namespace) -> list[model.Mutation]:
    if args.command == "distinct":
        return _distinct(args.first, args.second, args.reason or "a person says so")
    return [_MUTATIONS[args.command](args)]


def _same(first: str, second: str, reason: str) -> model.Mutation:
    if are_facts(first, second):
        return _checked(model.MergeAttributes, source=(second,), target=first, reason=reason)
    return _merge((second,), first, reason)


def _distinct(first: str, second: str, reason: str) -> list[model.Mutation]:
    """Of facts it says that both hold: on record as a contradiction that is settled, so no pass asks again."""
    if not are_facts(first, second):
        return [_checked(model.MarkDistinct, first=first, second=second, reason=reason)]
    return [
        _checked(model.FlagContradiction, first=first, second=second, reason=reason),
        _checked(model.ResolveContradiction, first=first, second=second, reason=reason),
    ]


def _forget(args: Namespace) -> model.Mutation:
    if args.row.startswith("e"):
        return _checked(model.DeleteEntity, name=args.row, reason=args.reason)
    if args.row.startswith("a"):
        return _checked(model.DeleteAttribute, content=args.row, reason=args.reason)
    raise UsageError(f"{args.row!r} is no handle of a fact or an entity", "graphdream entity NAME shows the handles")


_MUTATIONS: dict[str, Callable[[Namespace], model.Mutation]] = {
    "pin": lambda a: _checked(model.Pin, entity=a.entity, reason=a.reason),
    "unpin": lambda a: _checked(model.Unpin, entity=a.entity, reason=a.reason),
    "merge": lambda a: _merge(_others(a.entities, a.into), a.into or a.entities[0], a.reason),
    "same": lambda a: _same(a.first, a.second, a.reason or "a person says they are the same"),
    "replace": lambda a: _checked(model.SupersedeAttribute, old=a.old, new=a.new, reason=a.reason),
    "split": lambda a: _checked(
        model.SplitEntity, entity=a.entity, name=a.name, type=a.type, attributes=tuple(a.fact), links=tuple(a.link),
        aliases=tuple(a.alias), reason=a.reason,
    ),
    "constraint": lambda a: _checked(
        model.MarkConstraint, attribute=a.fact, constraint=not a.off, reason=a.reason
    ),
    "date": lambda a: _checked(
        model.DateAttribute, attribute=a.fact, precision=a.precision, reason=a.reason,
        clear=tuple(name.replace("-", "_") for name in a.clear), **{name: getattr(a, name) for name in TIMES},
    ),
    "rename": lambda a: _checked(model.RenameEntity, entity=a.entity, name=a.name, reason=a.reason),
    "alias": lambda a: _checked(model.AddAlias, entity=a.entity, name=a.name, reason=a.reason),
    "retype": lambda a: _checked(model.RetypeEntity, entity=a.entity, type=a.type, reason=a.reason),
    "link": lambda a: _checked(model.Link, source=a.source, target=a.target, type=a.type, reason=a.reason),
    "unlink": lambda a: _checked(model.Unlink, link=a.row, reason=a.reason),
    "forget": _forget,
    "restore": lambda a: _checked(model.Restore, row=a.row, reason=a.reason),
}  # fmt: skip


def _others(entities: list[str], into: str | None) -> tuple[str, ...]:
    """Those that go: all but the one that stays, which may be among them."""
    return tuple(entity for entity in entities if entity != into) if into else tuple(entities[1:])


def _merge(source: tuple[str, ...], target: str, reason: str) -> model.Mutation:
    if not source:
        raise UsageError("a merge needs two entities at least", "graphdream merge ENTITY ENTITY")
    return _checked(model.MergeEntities, source=source, target=target, reason=reason)


def _row_meant(fault: Mapping[str, Any]) -> str:
    """What a handle had to be of, as the pattern tells that it does not fit."""
    pattern = str(fault.get("ctx", {}).get("pattern", ""))
    return {"^a": "a fact, such as a12", "^l": "a link, such as l7"}.get(pattern[:2], "a row, such as a12 or e3")


def _checked(kind: Callable[..., model.Mutation], **values: object) -> model.Mutation:
    """Make a mutation from what a person typed; what is wrong with it is said in words."""
    from pydantic import ValidationError

    try:
        return kind(**values)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = {
            "string_pattern_mismatch": f"{first['input']!r} is no handle of {_row_meant(first)}",
            "string_too_short": f"the {where} is empty",
            "string_unicode": f"the {where} {quoted(str(first['input']))} is no text: it holds half of a character",
            "value_error": first["msg"].removeprefix("Value error, "),
        }
        raise UsageError(said.get(first["type"], f"{where}: {first['msg']}")) from fault
