"""Command lines that nobody in their right mind would type: every command and option, with values that are wrong.

The options are read from the parsers themselves, so a new command or option is part of it without a word here.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from argparse import Action, ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from graphdream.graph.store import Store
from graphdream.interfaces.cli import _GROUPS, COMMANDS, CommandParser, main

# These run until somebody ends them, wait for a model, or read what takes long: they are tried with `--help` alone.
ENDLESS = {"serve", "demo"}
# What would ask a model or load one: tried elsewhere, with scripted models.
_ASKS = {"--model", "--vectors", "--fetch"}
_DEEP = "[" * 100_000
TEXTS = (
    "", " ", "\t\n", "-", "--", "=", "e1", "a1", "l1", "t1", "c1", "e0", "a999999999999999999999", "a-1", "0", "-1", "1",
    "99999999999999999999999", "-99999999999999999999999", "1e400", "-1e400", "nan", "inf", "0.5", "null", "true",
    "\ud800", "half \udcff of a pair", "\ufffe", "\x1b[2J", "\u202eabc", "🦀", "Straße in Köln", "x" * 5_000, "é" * 300,
    _DEEP, '{"a": ' * 5_000, '{"a": 99999999999999999999999999}', "1.." , "..", "1..99999999999999999999999", "0..0",
    "99999-99-99", "0000-00-00", "9999-12-31T23:59:59Z", "0001-01-01", "2026-04-01", "10000-01-01", "*", "%s", "'; --",
    "user-preferences/timezone", "session/s1", "a/b/c/d", "/", "~nosuchuser", "~nosuchuser/x", "s1", "Ada Lovelace",
    "used", "wrong", "put", "get", "list", "search", "drop", "show", "approve", "reject", "export", "import", "use",
    "9" * 5_000, "a" + "9" * 5_000, "1.." + "9" * 5_000,
)  # fmt: skip
# What no type, no user and no counter fits: `--` alone ends the options; int() refuses a number of over 4,300 digits, and
# a digit that is written high.
UNFIT = ("--", "~nosuchuser", "9" * 5_000, "a" + "9" * 5_000, "1.." + "9" * 5_000, "localhost:²")


@dataclass(slots=True)
class World:
    """A folder with a memory and everything that is none.

    Attributes:
        folder: everything lies in it.
        names: paths that a case may name, by what they are.
    """

    folder: Path
    names: dict[str, str] = field(default_factory=dict)


def build(folder: Path) -> World:
    """A small memory with entities, facts, links, sessions, notes and passes, and files that are none."""
    folder.mkdir(parents=True, exist_ok=True)
    world = World(folder)
    notes = folder / "notes.md"
    notes.write_text(
        "# Ada Lovelace\n\n- Ada Lovelace works at Hooli.\n- Her timezone is Europe/London.\n- She prefers tea.\n\n"
        "# Hooli\n\n- Hooli is based in London.\n- Hooli uses Postgres 16.\n",
        encoding="utf-8",
    )
    memory = folder / "memory.db"
    db = ["--db", str(memory)]
    for words in (
        ["import", str(notes), *db],
        ["record", "--session", "s1", "--summary", "Ada moved to Zurich. She likes Rust.", *db],
        ["remember", "Grace writes compilers", "--wait", *db],
        ["working", "put", "plan", "go on with it", *db],
        ["skills", "use", "mail", "--session", "s1", *db],
        ["dream", *db],
    ):
        assert main(words) == 0, words
    (folder / "graph.jsonl").write_bytes(b"")
    assert main(["export", "--out", str(folder / "export.jsonl"), *db]) == 0
    with sqlite3.connect(folder / "foreign.db") as foreign:
        foreign.execute("CREATE TABLE entity (id INTEGER)")
    foreign.close()
    whole = memory.read_bytes()
    (folder / "damaged.db").write_bytes(whole[:4096] + bytes(random.Random(1).randbytes(len(whole) - 4096)))
    (folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    (folder / "head.db").write_bytes(whole[:100])
    (folder / "empty.db").write_bytes(b"")
    (folder / "noise").write_bytes(random.Random(2).randbytes(3_000))
    (folder / "deep.jsonl").write_text(_DEEP + "\n" + '{"a":' * 50_000 + "\n", encoding="utf-8")
    (folder / "odd.jsonl").write_bytes(
        b'{"id": 99999999999999999999999, "question": "x", "k": 99999999999999999999}\n'
        b'{"role": "user", "content": "\\ud800 half", "time": 1e999}\n'
        b'{"kind": "feedback", "session": "s", "feedback": "summary", "content": "good", "at": 12}\n'
        b'{"id": [1], "name": {"a": 1}, "cluster": null}\n\xff\xfe\n{"question": "\\udc80"}\nnull\n[]\n""\n'
    )
    (folder / "folder").mkdir()
    names = {path.name: str(path) for path in folder.iterdir()}
    names |= {
        "missing": str(folder / "nowhere" / "m.db"), "below-a-file": str(notes / "x"), "null": "/dev/null",
        "long": str(folder / ("n" * 300)), "half": str(folder / "half-\udcff.db"), "new": str(folder / "new.out"),
        "user": "~nosuchuser/m.db",
    }  # fmt: skip
    world.names = names
    return world


def options() -> dict[str, list[Action]]:
    """Every command with its arguments, positional ones included, but the help."""
    found = {}
    for name, command in COMMANDS.items():
        parser = CommandParser(prog=name, add_help=False)
        parser.set_defaults(command=name)
        import_module(f"graphdream.interfaces.cli.{command.module}").add_arguments(parser)
        found[name] = _actions(parser)
    assert set(found) == {name for group in _GROUPS.values() for name in group}
    return found


def _actions(parser: ArgumentParser) -> list[Action]:
    return [action for action in parser._actions if not set(action.option_strings) & _ASKS]


def cases(world: World, count: int, seed: int) -> Iterator[list[str]]:
    """Command lines, each command in turn; the same seed gives the same ones."""
    chance = random.Random(seed)
    known = {name: actions for name, actions in options().items() if name not in ENDLESS}
    names = list(known)
    for number in range(count):
        name = names[number % len(names)]
        yield [name, *_words(known[name], world, chance)]


def unfit(world: World) -> Iterator[list[str]]:
    """Command lines of which one value is unfit and all others fit: every value for every argument that takes one."""
    for name, actions in options().items():
        for action in actions:
            if action.nargs == 0 or (name in ENDLESS and action.type is None):
                continue
            db = f"--db={world.names['memory.db']}"  # before the others, which may stand behind a `--`
            yield from ([name, db, *_with(action, value, actions)] for value in UNFIT)


def _with(given: Action, value: str, actions: list[Action]) -> list[str]:
    """The words of a command line in which one argument has a value, and those that it needs besides a plausible one."""
    named: list[str] = []
    placed: list[str] = []
    for action in actions:
        plain = str(next(iter(action.choices))) if action.choices else "1"
        if action.option_strings and (action is given or action.required):
            named.append(f"{action.option_strings[-1]}={value if action is given else plain}")
        elif action is given:
            placed.append(value)
        elif not action.option_strings and (action.nargs in (None, "+") or given in actions[actions.index(action) :]):
            placed.append(plain)
    return [*named, "--", *placed] if placed else named


def _words(actions: list[Action], world: World, chance: random.Random) -> list[str]:
    words: list[str] = []
    for action in actions:
        if not action.option_strings:
            if chance.random() < 0.85 or action.nargs is None:
                words += [_value(action, world, chance) for _ in range(1 if action.nargs in (None, "?") else 2)]
            continue
        wanted = 0.8 if action.required else 2.5 / len(actions)
        if chance.random() >= wanted:
            continue
        flag = chance.choice(action.option_strings)
        if action.nargs == 0:
            words.append(flag)
        elif flag.startswith("--") and chance.random() < 0.5:
            words.append(f"{flag}={_value(action, world, chance)}")
        else:
            words += [flag, _value(action, world, chance)]
    if chance.random() < 0.3:
        words.append("--json")
    if chance.random() < 0.03:
        words += ["--agent", chance.choice(TEXTS)]
    db = "memory.db" if chance.random() < 0.75 else chance.choice(list(world.names))
    return [*words, "--db", world.names[db]]


def _value(action: Action, world: World, chance: random.Random) -> str:
    if action.choices and chance.random() < 0.85:
        return str(chance.choice(list(action.choices)))
    if action.type in (int, float) and chance.random() < 0.6:
        return chance.choice(
            ("0", "1", "2", "-1", "5", "99999999999999999999999", "0.3", "1e400", "nan", "12", "--", "9" * 5_000)
        )
    paths = {"FILE", "DIR", "PATH", "NAME|DIR"}
    if chance.random() < (0.8 if action.metavar in paths else 0.05):
        return world.names[chance.choice(list(world.names))]
    return chance.choice(TEXTS)


def restore(world: World, pristine: Path) -> None:
    """The folder as it was built; a case may have written into it."""
    shutil.rmtree(world.folder)
    shutil.copytree(pristine, world.folder)


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """A database with some bytes, a page or its end lost, but with its head: the program takes it for its own."""
    hurt, kind = bytearray(whole), chance.random()
    if kind < 0.6:
        for _ in range(chance.choice((1, 3, 20, 200))):
            hurt[chance.randrange(100, len(hurt))] = chance.randrange(256)
    elif kind < 0.8:
        page = chance.randrange(1, len(hurt) // 4096) * 4096
        hurt[page : page + 4096] = bytes(4096)
    else:
        del hurt[chance.randrange(100, len(hurt)) :]
    return bytes(hurt)


def sound(path: Path) -> bool:
    """Whether a memory opens and its journal agrees with it."""
    from graphdream.journal.verify import verify

    with Store.open(path, create=False) as store:
        return verify(store).ok
