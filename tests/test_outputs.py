"""What a command writes for somebody never takes the place of a memory, nor of any file unasked."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from argparse import Action
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

import graphdream
from graphdream.dream.later import put_off
from graphdream.errors import UsageError
from graphdream.events.spool import FACTS, waiting
from graphdream.graph.schema import APPLICATION_ID
from graphdream.interfaces.cli import COMMANDS, CommandParser, demo, main
from graphdream.outputs import is_memory, written
from graphdream.paths import config_home, data_home, state_home
from graphdream.sealing.anchor import anchor_path
from graphdream.sealing.keys import key_path
from graphdream.sealing.places import place_of
from graphdream.views.skills import Skill
from tests.laws.cuts import cut, entities_of

LABELS = '{"id": "1", "name": "Ada Lovelace", "cluster": "a"}\n{"id": "2", "name": "ada lovelace", "cluster": "a"}\n'


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A memory with a pass."""
    path = tmp_path / "m.db"
    assert main(["remember", "Grace writes compilers", "--wait", "--db", str(path)]) == 0
    return path


def writers(memory: Path, out: Path) -> dict[str, list[str]]:
    """Every command that writes a file where it is told to."""
    labels = memory.with_name("labels.jsonl")
    labels.write_text(LABELS, encoding="utf-8")
    db = ["--db", str(memory)]
    return {
        "export": ["export", "--out", str(out), *db],
        "diff": ["diff", "1", "--svg", str(out), *db],
        "calibrate": ["calibrate", str(labels), "--out", str(out)],
        "demo": ["demo", "--keep", str(out)],
    }


WRITERS = ("export", "diff", "calibrate", "demo")


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("way", ["itself", "symlink", "other", "log"])
def test_nothing_is_written_over_a_memory_even_on_request(
    command: str, way: str, memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = memory
    if way == "symlink":
        out = tmp_path / "link"
        out.symlink_to(memory)
    elif way == "other":
        out = tmp_path / "other.db"
        assert main(["remember", "Kernels have bugs", "--wait", "--db", str(out)]) == 0
    elif way == "log":
        out = memory.with_name("m.db-wal")
        out.write_bytes(b"\x37\x7f\x06\x82" + bytes(28))
    before = out.read_bytes()
    words = writers(memory, out)[command]
    for more in ([], ["--force"]) if command != "demo" else ([],):
        assert main([*words, *more]) == 2
    assert way == "log" or out.read_bytes() == before
    assert "nothing is written" in capsys.readouterr().err
    assert main(["verify", "--db", str(memory)]) == 0


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_is_there_is_replaced_only_on_request(
    command: str, memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "precious.txt"
    out.write_text("precious", encoding="utf-8")
    out.chmod(0o640)
    words = writers(memory, out)[command]
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "precious"
    if command != "demo":
        assert main([*words, "--force"]) == 0
        assert "precious" not in out.read_text(encoding="utf-8")
        assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def test_skills_that_were_changed_by_hand_are_kept(memory: Path, tmp_path: Path) -> None:
    with graphdream.open(memory) as graph:
        graph.skills.put(Skill("mail", summary="Mails", content="Write short mails."))
    words = ["skills", "export", str(tmp_path / "skills"), "--db", str(memory)]
    assert main(words) == 0
    (file,) = (tmp_path / "skills").rglob("SKILL.md")
    assert main(words) == 0  # it says the same
    file.write_text("my own words", encoding="utf-8")
    assert main(words) == 2
    assert file.read_text(encoding="utf-8") == "my own words"
    assert main([*words, "--force"]) == 0
    assert "Write short mails." in file.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: no devices as files here")
def test_a_device_is_written_to_and_stays_one(memory: Path, tmp_path: Path) -> None:
    assert main(["export", "--out", os.devnull, "--db", str(memory)]) == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    try:
        os.mknod(tmp_path / "null", stat.S_IFCHR | 0o666, os.stat(os.devnull).st_rdev)
    except OSError:
        pytest.skip("NOT TESTED: only root may make a device")
    assert main(["export", "--out", str(tmp_path / "null"), "--db", str(memory)]) == 0
    assert stat.S_ISCHR((tmp_path / "null").stat().st_mode)


@pytest.mark.parametrize("name", ["", "a/b/c.jsonl", "n" * 300, "n" * 240])
def test_where_nothing_can_be_written_is_told(name: str, memory: Path, tmp_path: Path) -> None:
    code = main(["export", "--out", str(tmp_path / name) if name else str(tmp_path), "--db", str(memory)])
    assert code == (0 if len(name) == 240 else 2)


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("before", encoding="utf-8")
    with pytest.raises(ZeroDivisionError), written(out, force=True) as stream:
        stream.write(b"half")
        1 // 0  # noqa: B018
    assert out.read_text(encoding="utf-8") == "before" and list(tmp_path.iterdir()) == [out]


def test_the_library_does_not_write_over_a_memory_either(memory: Path, tmp_path: Path) -> None:
    with graphdream.open(memory) as graph:
        graph.export(tmp_path / "g.jsonl")
        graph.export(tmp_path / "g.jsonl")  # a program asks for what it says
        with pytest.raises(UsageError, match="is a memory"):
            graph.export(memory)


def test_the_mark_is_the_one_that_our_files_bear(memory: Path) -> None:
    assert APPLICATION_ID.to_bytes(4, "big") == b"gdre" and is_memory(memory)


class Output(NamedTuple):
    """An option by which a command writes where it is told to."""

    words: tuple[str, ...]  # of the whole command, with `_HERE` where the path stands
    forces: bool  # whether it has `--force`
    made: tuple[str, ...]  # what it makes of a path: ("",) for a file, else the files in the folder


_HERE = "\0"
_PATHS = ("FILE", "DIR", "FOLDER", "PATH", "LOCATION")


def takes_path(action: Action) -> bool:
    return any(word in str(action.metavar) for word in _PATHS) and "--db" not in action.option_strings


def calls(command: str, labels: Path) -> Iterator[tuple[list[str], bool]]:
    """The words of a command with a path for each of its options and arguments that takes one, beside every choice of
    its others, and whether it has `--force`."""
    parser = CommandParser(prog=command, allow_abbrev=False)
    parser.set_defaults(command=command)
    import_module(f"graphdream.interfaces.cli.{COMMANDS[command].module}").add_arguments(parser)
    positional = [action for action in parser._actions if not action.option_strings]
    options = [action for action in parser._actions if action.option_strings]
    forces = any("--force" in action.option_strings for action in options)
    for target in filter(takes_path, parser._actions):
        ways: list[list[list[str]]] = []
        for action in positional:
            if action is target:
                ways.append([[_HERE]])
            elif action.choices:
                ways.append([[str(choice)] for choice in action.choices])
            elif action.nargs in ("?", "*") and not takes_path(action):
                ways.append([[], ["1"]])
            else:
                ways.append([[str(labels) if takes_path(action) else "1"]])
        for option in options:
            if option is target:
                ways.append([[target.option_strings[0], _HERE]])
            elif option.choices:
                ways.append([[], *([option.option_strings[0], str(choice)] for choice in option.choices)])
        for one in product(*ways):
            yield [command, *(word for part in one for word in part)], forces


def with_path(words: tuple[str, ...] | list[str], path: Path, memory: Path) -> list[str]:
    return [str(path) if word == _HERE else word for word in words] + ["--db", str(memory)]


def outputs(memory: Path, folder: Path) -> list[Output]:
    """The outputs of every command, found by what each writes at a path where nothing is."""
    labels = memory.with_name("labels.jsonl")
    labels.write_text(LABELS, encoding="utf-8")
    found, number = [], 0
    for command in COMMANDS:
        for words, forces in calls(command, labels):
            number += 1
            fresh = folder / f"fresh-{number}"
            main(with_path(words, fresh, memory))
            if fresh.is_file():
                found.append(Output(tuple(words), forces, ("",)))
            elif fresh.is_dir():
                made = tuple(str(file.relative_to(fresh)) for file in fresh.rglob("*") if file.is_file())
                found.append(Output(tuple(words), forces, made))
    return found


def own_files(memory: Path) -> dict[str, Path]:
    """A file of every sort that graphdream keeps for itself."""
    token = memory.with_name(f"{memory.name}.http-token")
    settings = data_home() / "agent.yaml"
    agents = data_home() / "agents" / "ada" / "agent.yaml"
    ledger = state_home() / "fleet" / "0f" / "20260101T000000Z-abcdef.jsonl"
    for path in (token, settings, agents, ledger):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# ours\n", encoding="ascii")
    backup = memory.with_name(f"{memory.name}.7.backup")
    shutil.copy(memory, backup)
    put_off(memory, "Grace sails")
    lost = memory.with_name("lost.db")
    put_off(lost, "Bo sails")
    unread = memory.with_name("unread.db")
    unread.touch()
    unread.with_name("unread.db-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(28))
    anchor = anchor_path(place_of(memory))
    return {
        "memory": memory, "keys": key_path(), "anchor": anchor, "head": config_home() / "sealed" / anchor.name,
        "spool": waiting(memory, FACTS)[0], "spool of the gone": waiting(lost, FACTS)[0], "token": token,
        "settings": settings, "agent's settings": agents, "fleet": ledger, "backup": backup, "unread": unread,
    }  # fmt: skip


def ways_to(path: Path, made: tuple[str, ...], folder: Path) -> Iterator[Path]:
    """Paths by which an output meets a file: its own, a link to it, one to its folder; of an output that is a folder,
    one in which everything that it writes is a link to the file."""
    folder.mkdir()
    if made == ("",):
        yield path
        (folder / "link").symlink_to(path)
        yield folder / "link"
        (folder / "folder").symlink_to(path.parent)
        yield folder / "folder" / path.name
        return
    for name in made:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(path)
    yield folder


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: links need a right of their own here")
def test_no_output_of_any_command_is_written_over_what_is_graphdreams_own(
    memory: Path, tmp_path: Path, fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, part, world = fixtures / "small.jsonl.gz", tmp_path / "part.jsonl", tmp_path / "world.db"
    part.write_text(
        "".join(json.dumps(line) + "\n" for line in cut(source, entities_of(source)[:12])), encoding="utf-8"
    )
    monkeypatch.setattr(demo, "demo_graph", lambda: part)  # a short demo writes what a long one does
    with graphdream.open(world) as graph:
        graph.remember("Grace writes compilers")
        graph.skills.put(Skill("mail", summary="Mails", content="Write short mails."))
    found = outputs(world, tmp_path)
    assert {output.words[0] for output in found} >= {"export", "diff", "calibrate", "demo", "skills"}
    assert any(len(output.made) > 1 for output in found)  # a folder of notes
    number = 0
    for name, path in own_files(memory).items():
        before = path.read_bytes()
        for output in found:
            number += 1
            for out in ways_to(path, output.made, tmp_path / f"way-{number}"):
                for more in ([], ["--force"]) if output.forces else ([],):
                    code = main([*with_path(output.words, out, world), *more])
                    assert path.read_bytes() == before and code == 2, (name, output.words, out)


def test_an_output_begins_no_file_where_the_keys_are(memory: Path) -> None:
    for out in (config_home() / "new.jsonl", state_home() / "anchors" / "new.jsonl", data_home() / "agent.yaml"):
        assert main(["export", "--out", str(out), "--db", str(memory)]) == 2
        assert main(["demo", "--keep", str(out)]) == 2
        assert not out.exists()
