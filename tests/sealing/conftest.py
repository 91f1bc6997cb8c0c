"""A memory that was lived in, for whoever attacks it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.alltables import live_in_every_table
from tests.support.attacks import World, live


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a world was lived in, once."""
    folder = tmp_path_factory.mktemp("lived")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_STATE_HOME", str(folder / "state"))
        live(folder)
    return folder


@pytest.fixture
def world(lived: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world of one's own, at the place where it was lived in."""
    kept = lived.with_name(lived.name + "-kept")
    if not kept.exists():
        shutil.copytree(lived, kept)
    shutil.rmtree(lived)
    shutil.copytree(kept, lived)
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(lived / "state"))
    return World(lived / "agent" / "memory.db", lived / "older.db", lived / "other" / "memory.db")


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a memory with rows in every table, made once."""
    folder = tmp_path_factory.mktemp("told")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_STATE_HOME", str(folder / "state"))
        live_in_every_table(folder / "agent" / "memory.db")
    shutil.copytree(folder, folder.with_name("kept"))
    return folder


@pytest.fixture
def memory(kept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of one's own with rows in every table, at the place where it was made."""
    shutil.rmtree(kept)
    shutil.copytree(kept.with_name("kept"), kept)
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(kept / "state"))
    return kept / "agent" / "memory.db"
