"""A link in the place of a memory: what it leads to is the same memory, moved, or it is told that it is another."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import graphdream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.attacks import World, shell

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: links need a privilege here")
READING = (["recall", "Postgres log"], ["context", "--session", "s9", "--message", "the log"], ["status"])


def forged(memory: Path, copy: Path) -> Path:
    """A copy that says something else and has no seal."""
    shutil.copy(memory, copy)
    with shell(copy) as c:
        for table, key in (("attribute", "id"), ("fact_index", "rowid")):
            c.execute(f"UPDATE {table} SET content = 'Grace keeps the log in MongoDB.' WHERE {key} = 1")
        for table in ("seal", "seal_node"):
            c.execute(f"DELETE FROM {table}")
    return copy


def link_instead(memory: Path, target: Path, way: str) -> None:
    """A link in the place of the memory, or of its folder, to another memory."""
    if way == "file":
        for one in memory.parent.glob("memory.db*"):
            one.unlink()
        memory.symlink_to(target)
    elif way == "two links":
        link_instead(memory, target.with_name("between.db"), "file")
        target.with_name("between.db").symlink_to(target)
    else:
        memory.parent.rename(memory.parent.with_name("away"))
        target.parent.mkdir(exist_ok=True)
        if target.name != memory.name:
            target.rename(target.with_name(memory.name))
        memory.parent.symlink_to(target.parent)


def refused(memory: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(memory)]
    for command in READING:
        capsys.readouterr()
        assert main([*command, *db]) == 0
        told = capsys.readouterr()
        assert words in told.err + told.out and "link" in told.err + told.out
    assert main(["remember", "Grace rows.", "--wait", *db]) == 1
    assert "not as it was sealed" in capsys.readouterr().err
    assert main(["record", "--session", "s7", "--summary", "Grace rows.", *db]) == 0  # it waits
    assert main(["dream", *db]) == 1
    assert main(["verify", *db]) == 1
    with graphdream.open(memory) as graph:
        assert graph.store.seal.faults(anew=True)


@pytest.mark.parametrize("way", ["file", "two links", "folder"])
def test_a_file_without_a_seal_behind_a_link_is_told(
    way: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = forged(world.memory, tmp_path / "m2.db")
    link_instead(world.memory, target, way)
    refused(world.memory, "a sealed file lay where a link leads to this one", capsys)
    db = ["--db", str(world.memory)]
    assert main(["trust", "--reason", "I have put it there", *db]) == 0
    capsys.readouterr()
    for command in (["remember", "Grace rows.", "--wait"], ["remember", "Grace swims.", "--wait"], ["verify"]):
        assert main([*command, *db]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("way", ["file", "two links", "folder"])
def test_the_memory_of_another_agent_behind_a_link_is_told(
    way: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    link_instead(world.memory, world.other, way)
    refused(world.memory, "another file lay here", capsys)


def test_an_older_copy_behind_a_link_is_told(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "copy.db"
    shutil.copy(world.older, target)
    link_instead(world.memory, target, "file")
    refused(world.memory, "put back to an older copy", capsys)


@pytest.mark.parametrize("way", ["file", "folder"])
def test_a_memory_that_was_moved_and_linked_to_goes_on_and_is_still_guarded(
    way: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To a larger disk: its former path leads to it, and both are used."""
    memory, target = world.memory, tmp_path / "disk" / "memory.db"
    target.parent.mkdir()
    if way == "file":
        memory.rename(target)
        memory.symlink_to(target)
    else:
        target.parent.rmdir()
        memory.parent.rename(target.parent)
        memory.parent.symlink_to(target.parent)
    capsys.readouterr()
    for path in (memory, target, memory, target):
        for command in (["recall", "Postgres log"], ["remember", f"Grace rows {path}.", "--wait"], ["verify"]):
            assert main([*command, "--db", str(path)]) == 0
            assert capsys.readouterr().err == ""
    older = tmp_path / "older.db"
    shutil.copy(target, older)
    assert main(["remember", "Grace is back.", "--wait", "--db", str(memory)]) == 0
    if way == "file":
        memory.unlink()
        memory.symlink_to(older)
        refused(memory, "put back to an older copy", capsys)


def test_a_new_memory_behind_a_link_goes_on(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As where a memory was deleted and a new one begun in its place."""
    target = tmp_path / "fresh.db"
    with Store.open(target):
        pass
    link_instead(world.memory, target, "file")
    capsys.readouterr()
    for command in (["remember", "Grace rows.", "--wait"], ["remember", "Grace swims.", "--wait"], ["verify"]):
        assert main([*command, "--db", str(world.memory)]) == 0
        assert capsys.readouterr().err == ""
