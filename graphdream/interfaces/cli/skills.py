"""`graphdream skills`: list, show, use, export, import."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from graphdream.errors import UsageError
from graphdream.interfaces.opening import may_make, opened, warn_of_left_out
from graphdream.interfaces.output import plural, print_json, shortened, table
from graphdream.paths import expanded
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.library import Graph
    from graphdream.views.skills import Skill

_ACTIONS = ("list", "show", "use", "export", "import")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `skills`."""
    parser.add_argument("action", nargs="?", choices=_ACTIONS, default="list", help="default: list")
    parser.add_argument("what", nargs="?", metavar="NAME|DIR", help="the skill, or the folder of an export or import")
    parser.add_argument("--session", default="", metavar="ID", help="of `use`: the session")
    parser.add_argument("--outcome", default="", choices=("ok", "failed"), help="of `use`: how it went")
    parser.add_argument("--detail", default="", metavar="TEXT", help="of `use`: what went wrong")
    parser.add_argument("--force", action="store_true", help="of `export`: replace files that say something else")


def run(args: Namespace) -> int:
    """Run the action."""
    from graphdream.library import Graph
    from graphdream.views.skill_files import read_folder

    if args.action != "list" and not args.what:
        raise UsageError(f"skills {args.action} needs a {'folder' if 'port' in args.action else 'name'}")
    brings = args.action == "import"
    if brings:
        read_folder(expanded(args.what))  # what cannot be read is told before a memory is made for it
    with Graph(opened(args, create=brings or may_make(args)), agent=args.agent) as graph:
        code = {"list": _list, "show": _show, "use": _use, "export": _export, "import": _import}[args.action](
            graph, args
        )
        warn_of_left_out(graph.store)
        return code


def _list(graph: Graph, args: Namespace) -> int:
    cycle = graph.settings().cycle
    known = graph.skills.table(
        days=cycle.usage_days, sparse_chars=cycle.sparse_chars, sparse_days=cycle.sparse_days,
        most_pairs=cycle.co_used_pairs,
    )  # fmt: skip
    if args.json:
        told = [
            asdict(skill) | {
                "uses": known.uses[skill.name].uses, "ok": known.uses[skill.name].ok,
                "failed": known.uses[skill.name].failed, "last_used_at": known.uses[skill.name].last_used_at,
                "sparse": skill.name in known.sparse, "at_risk": known.at_risk.get(skill.name, []),
            }
            for skill in known.skills
        ]  # fmt: skip
        pairs = [{"skills": pair, "sessions": number} for pair, number in known.pairs]
        print_json(
            {"skills": told, "pairs": pairs, "clusters": dict(known.clusters), "unknown": known.unknown,
             "covered": known.covered}
        )  # fmt: skip
        return 0
    if not known.skills:
        print("there is no skill yet")
        return 0
    rows = [
        (
            skill.name, known.uses[skill.name].uses, known.uses[skill.name].ok, known.uses[skill.name].failed,
            known.uses[skill.name].last_used_at[:10], _marks(skill, known.sparse, known.at_risk),
            shortened(printable(skill.summary), 50),
        )
        for skill in known.skills
    ]  # fmt: skip
    print(table(rows, ("skill", "uses", "ok", "failed", "last used", "marks", "summary")), end="")
    for (first, second), number in known.pairs:
        print(f"used together: {printable(first)} and {printable(second)}, in {plural(number, 'session')}")
    for name, number in list(known.unknown.items())[:10]:
        print(f"used, and no skill: {printable(name)}, {plural(number, 'time')}")
    return 0


def _marks(skill: Skill, sparse: list[str], at_risk: dict[str, list[str]]) -> str:
    marks = [*(["sparse"] if skill.name in sparse else []), *(["at risk"] if skill.name in at_risk else [])]
    return ", ".join([*marks, *(["pinned"] if skill.pinned else [])])


def _show(graph: Graph, args: Namespace) -> int:
    skill = graph.skills.get(args.what)
    if args.json:
        print_json(asdict(skill))
        return 0
    print(f"{skill.handle}  {printable(skill.name)}")
    for line in (skill.summary, "", skill.content):
        print(printable(line) if "\n" not in line else "\n".join(map(printable, line.splitlines())))
    for title, items in (
        ("lessons", skill.lessons), ("triggers", skill.triggers), ("see also", skill.see_also),
        ("formerly", skill.aliases),
    ):  # fmt: skip
        if items:
            print(f"{title}: " + "; ".join(map(printable, items)))
    return 0


def _use(graph: Graph, args: Namespace) -> int:
    if not args.session:
        raise UsageError("a skill is used in a session: --session is missing", "graphdream skills --help")
    new = graph.skills.use(args.what, session=args.session, outcome=args.outcome, detail=args.detail)
    print_json({"skill": args.what, "new": new}) if args.json else print("noted" if new else "on record already")
    return 0


def _export(graph: Graph, args: Namespace) -> int:
    files = graph.skills.export(args.what, force=args.force)
    print_json([str(file) for file in files]) if args.json else print(f"wrote {plural(len(files), 'skill')}")
    return 0


def _import(graph: Graph, args: Namespace) -> int:
    results = graph.skills.take(expanded(args.what))
    if args.json:
        print_json({name: result.pass_id for name, result in results.items()})
        return 0
    new = sum(result.pass_id is not None for result in results.values())
    print(f"took {plural(new, 'skill')}; {len(results) - new} were so already")
    return 0
