"""What would become of proposals: applied in a transaction that is taken back, so that a model can be told in time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.mutations.applier import Proposal, apply_proposals
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome


class _TakeBack(Exception):
    """Ends the transaction."""


def foresee(path: Path, proposals: Sequence[Proposal], *, now: str, scratch: bool = False) -> list[Outcome]:
    """The outcome that each proposal would have on the file as it is. Opens the file for itself, so any thread may ask;
    writers wait for it as they would for the pass.

    Args:
        scratch: the file is a copy that nobody keeps.
    """
    outcomes: list[Outcome] = []
    with Store.open(path, create=False, scratch=scratch) as store:
        try:
            with store.writing(), open_pass(store, PassHeader("dream"), clock=lambda: now):
                outcomes = apply_proposals(Applying(store, "pass", now), proposals)
                raise _TakeBack
        except _TakeBack:
            return outcomes
