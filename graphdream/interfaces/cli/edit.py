"""A person's own commands: look at an entity, and change the graph by hand, in passes that can be undone."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.cli.by import add_by
from graphdream.interfaces.opening import opened
from graphdream.interfaces.output import print_json, printable
from graphdream.mutations import model

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
        parser.add_argument("first", metavar="ENTITY", help=_ENTITY + (" that stays" if command == "same" else ""))
        parser.add_argument("second", metavar="ENTITY", help=_ENTITY)
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

    page = entity_page(store.connection, args.entity, history=args.history)
    if args.json:
        print_json(page.as_json())
    else:
        print("\n".join(printable(line) for line in page.text().split("\n")), end="")
    return 0


def _edit(store: Store, args: Namespace) -> int:
    from graphdream.dream.edit import edit

    pass_id, outcomes = edit(store, [_MUTATIONS[args.command](args)], by=args.by)
    if args.json:
        print_json(
            {
                "pass": pass_id,
                "outcomes": [{"status": o.status, "code": o.code, "message": o.message} for o in outcomes],
            }
        )
    else:
        for outcome in outcomes:
            print(printable(outcome.message))
        print(f"pass {pass_id}; take it back with: graphdream undo {pass_id}" if pass_id else "nothing changed")
    return 0


def _forget(args: Namespace) -> model.Mutation:
    if args.row.startswith("e"):
        return model.DeleteEntity(name=args.row, reason=args.reason)
    if args.row.startswith("a"):
        return model.DeleteAttribute(content=args.row, reason=args.reason)
    raise UsageError(f"{args.row!r} is no handle of a fact or an entity", "graphdream entity NAME shows the handles")


_MUTATIONS: dict[str, Callable[[Namespace], model.Mutation]] = {
    "pin": lambda a: model.Pin(entity=a.entity, reason=a.reason),
    "unpin": lambda a: model.Unpin(entity=a.entity, reason=a.reason),
    "merge": lambda a: _merge(_others(a.entities, a.into), a.into or a.entities[0], a.reason),
    "same": lambda a: _merge((a.second,), a.first, a.reason or "a person says they are the same"),
    "distinct": lambda a: model.MarkDistinct(first=a.first, second=a.second, reason=a.reason or "a person says so"),
    "split": lambda a: _checked(
        model.SplitEntity, entity=a.entity, name=a.name, type=a.type, attributes=tuple(a.fact), links=tuple(a.link),
        aliases=tuple(a.alias), reason=a.reason,
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


def _checked(kind: Callable[..., model.Mutation], **values: object) -> model.Mutation:
    """Make a mutation from what a person typed; what is wrong with it is said in words."""
    from pydantic import ValidationError

    try:
        return kind(**values)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = {
            "string_pattern_mismatch": f"{first['input']!r} is no handle of such a row",
            "string_too_short": f"the {where} is empty",
            "value_error": first["msg"].removeprefix("Value error, "),
        }
        raise UsageError(said.get(first["type"], f"{where}: {first['msg']}")) from fault
