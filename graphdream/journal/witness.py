"""The witness that the settings of an agent name (`memory.witness`), for the connections to its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphdream.paths import expanded, settings_path

if TYPE_CHECKING:
    from graphdream.graph.store import Store
    from graphdream.sealing.witness import Witness


def witness_of(agent: str | None) -> Witness | None:
    """The witness of an agent's memory; None where the settings name none.

    Raises:
        ConfigError: the settings are wrong, and may name one.
        UsageError: `agent` cannot be a name.
    """
    path = settings_path(agent)
    if not _may_be_named(path):
        return None
    from graphdream.config import load_settings
    from graphdream.sealing.witnesskinds import CommandWitness, FolderWitness, GitWitness

    named = load_settings(path).memory.witness
    if named.folder is not None:
        return FolderWitness(Path(os.path.abspath(expanded(named.folder))))
    if named.git is not None:
        return GitWitness(Path(os.path.abspath(expanded(named.git))))
    return None if named.command is None else CommandWitness(named.command)


def watch(store: Store, witness: Witness | None, say: Callable[[str], None]) -> None:
    """Have a witness watch over a file, where there is one. Before anything is read or written.

    Args:
        say: is told why the witness cannot be reached, once.
    """
    if witness is not None:
        store.seal.watch(witness, say)


def _may_be_named(path: Path | None) -> bool:
    """Whether a word of it is in the settings at all. To load what reads them takes as long as a whole command that
    needs none of them."""
    if any(name.startswith("GRAPHDREAM_") and "WITNESS" in name.upper() for name in os.environ):
        return True
    try:
        return path is not None and b"witness" in path.read_bytes()
    except OSError:
        return True  # whoever reads them says why they cannot be read
