"""Whatever is typed, the answer is one of the documented exit codes, never a fault of graphdream itself."""

from __future__ import annotations

import io
import random
import shutil
import signal
import sys
from pathlib import Path
from types import FrameType

import pytest

from graphdream.interfaces.cli import COMMANDS, main
from tests.support.fuzzing import World, build, cases, damaged, options, restore, sound, unfit

DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7, 130}
SECONDS = 60  # that a case may take: what hangs is a fault, too
STDIN = b'{"id": "1", "name": "Ada"}\n\xff\xfe half\n' + b"[" * 50_000 + b"\n"


@pytest.mark.parametrize("count", [240, pytest.param(2_000, marks=pytest.mark.soak)], ids=["in-ci", "soak"])
def test_no_command_line_ends_in_a_fault_of_graphdream(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = built(tmp_path, monkeypatch)
    wrong = [
        told
        for words in cases(world, count, seed=count)
        if (told := fault_of(words, world, tmp_path, monkeypatch, capsys))
    ]
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong)


def test_a_value_that_nothing_fits_is_refused_whatever_argument_it_is_given_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = built(tmp_path, monkeypatch)
    wrong = [told for words in unfit(world) if (told := fault_of(words, world, tmp_path, monkeypatch, capsys))]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """The world in which command lines run, and beside it what it is put back from."""
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(tmp_path / "world" / "state"))  # put back with the memory
    world = build(tmp_path / "world")
    shutil.copytree(world.folder, tmp_path / "pristine")
    monkeypatch.chdir(world.folder)
    if hasattr(signal, "SIGALRM"):
        monkeypatch.setattr(signal, "_had", signal.signal(signal.SIGALRM, _too_long), raising=False)
    return world


def fault_of(
    words: list[str], world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What is wrong with how a command line ends, "" where nothing is; the world is as it was after that."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STDIN), encoding="utf-8", errors="replace"))
    if hasattr(signal, "SIGALRM"):
        signal.alarm(SECONDS)
    try:
        code = main(words)
    except BaseException as fault:
        code, said = 70, repr(fault)
    else:
        said = capsys.readouterr().err
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
    wrong = ""
    if code not in DOCUMENTED:
        wrong = f"{code}: {shown(words, world.folder)}\n    {said[:400]}"
    elif code == 0 and world.names["memory.db"] in " ".join(words) and not sound(Path(world.names["memory.db"])):
        wrong = f"the memory is not sound after {shown(words, world.folder)}"
    monkeypatch.chdir(tmp_path)
    restore(world, tmp_path / "pristine")
    monkeypatch.chdir(world.folder)
    return wrong


def shown(words: list[str], folder: Path) -> str:
    """A command line as a person would read it."""
    return "graphdream " + " ".join(repr(word.replace(f"{folder}/", "")[:60]) for word in words)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took more than {SECONDS} s")


ON_A_FILE = (
    ["verify"], ["recall", "tea"], ["dream"], ["status"], ["doctor"], ["passes"], ["show", "1"], ["undo", "1"], ["export"],
    ["record", "--session", "x", "--summary", "y"], ["remember", "z", "--wait"], ["entity", "e1"], ["diff", "1"],
    ["context", "--session", "s", "--message", "tea", "--mark"], ["introspect"], ["cycle"], ["purge", "a1", "--yes"],
    ["replay", "1"], ["skills"], ["working", "list"], ["categories"], ["feedback"], ["self"], ["log"], ["review"], ["pin", "e1"],
)  # fmt: skip


@pytest.mark.parametrize("count", [75, pytest.param(1_500, marks=pytest.mark.soak)], ids=["in-ci", "soak"])
def test_a_damaged_file_is_told_to_be_damaged(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path / "home"))
    world = build(tmp_path / "world")
    whole, chance, wrong = Path(world.names["memory.db"]).read_bytes(), random.Random(count), []
    for number in range(count):
        (folder := tmp_path / str(number)).mkdir()
        (folder / "m.db").write_bytes(damaged(whole, chance))
        words = ON_A_FILE[number % len(ON_A_FILE)]
        capsys.readouterr()
        code = main([*words, "--db", str(folder / "m.db")])
        if code not in DOCUMENTED:
            wrong.append(f"{code}: {shown(words, folder)}: {capsys.readouterr().err[:300]}")
        shutil.rmtree(folder)
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong)


def test_every_command_is_fuzzed() -> None:
    assert options().keys() == COMMANDS.keys()
