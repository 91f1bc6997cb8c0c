"""Methods of `graphdream.library.journal`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import graphdream
from graphdream.library.awaited.base import Memory


class Journal(Memory):
    """The methods of `Journal` with the same parameters; each runs on the memory's own thread."""

    async def passes(self) -> list[graphdream.PassRecord]:
        """Every pass, oldest first. Of one that is not as it was sealed nothing is told but that, in `error`, here and
        in `pass_record`, and none of its mutations: `graph.store.seal.left_out` names it."""
        return await self.call(lambda graph: graph.passes())

    async def pass_record(self, pass_id: int) -> graphdream.PassRecord:
        """One pass: who made it, when, at what price. Raises NotFoundError where there is none."""
        return await self.call(lambda graph: graph.pass_record(pass_id))

    async def mutations(self, pass_id: int) -> list[graphdream.MutationRecord]:
        """What was proposed in a pass, in order, and what became of each. Raises NotFoundError where there is none."""
        return await self.call(lambda graph: graph.mutations(pass_id))

    async def undo(
        self, pass_id: int, *, cascade: bool = False, wrong: Collection[str] = (), all_wrong: bool = False
    ) -> graphdream.UndoReport:
        """Take a pass back, whichever it was; the undo is itself a pass and can be undone.

        What was taken back is left alone by later passes, until `dream(again=True)` or until something new is known.

        Args:
            cascade: undo the later passes that stand in the way, too.
            wrong: handles of entities that the pass merged wrongly: they are distinct from now on, and count as false
                merges.
            all_wrong: all its merges were wrong.

        Raises:
            UndoConflictError: later passes touched the same rows; it names them.
            NotFoundError: there is no such pass, or it did not merge one of `wrong`.
        """
        return await self.call(lambda graph: graph.undo(pass_id, cascade=cascade, wrong=wrong, all_wrong=all_wrong))

    async def unmerge(self, entity: str, *, wrong: bool = False) -> graphdream.UnmergeReport:
        """Take one merge back: the entity of this handle is there again, with its own facts; a pass of its own.

        Args:
            wrong: it is none of those it was one with: they are distinct from now on, and it counts as a false merge.

        Raises:
            ConflictError: the entity was merged into none.
            NotFoundError: there is no such entity.
        """
        return await self.call(lambda graph: graph.unmerge(entity, wrong=wrong))

    async def conversations(self, pass_id: int) -> list[graphdream.Conversation]:
        """What was said with a model in a pass, in order: what it was shown, and what came then.

        Those that are not as they were sealed are left out: `graph.store.seal.left_out` names them. Raises
        NotFoundError where there is no such pass.
        """
        return await self.call(lambda graph: graph.conversations(pass_id))

    async def cost_sheet(self, pass_id: int) -> dict[str, Any]:
        """What a pass took: each conversation, the sum, and the price of a model's mutation that was applied, as
        `graphdream show --cost --json` prints it (docs/json.md). Raises NotFoundError where there is no such pass."""
        return await self.call(lambda graph: graph.cost_sheet(pass_id))

    async def merge_record(self) -> graphdream.MergeRecord:
        """The live false-merge rate: of the merges that a person judged, how many were wrong; with an interval."""
        return await self.call(lambda graph: graph.merge_record())

    async def replay(self, pass_id: int, *, level: int = 1) -> graphdream.ReplayReport:
        """Run a past pass again on the graph as it was before, without a model, and say what differs."""
        return await self.call(lambda graph: graph.replay(pass_id, level=level))

    async def diff(self, before: int | str, after: int | str) -> graphdream.GraphDiff:
        """What changed between the graph after one pass and after another, each a pass or a date."""
        return await self.call(lambda graph: graph.diff(before, after))

    async def overview(self, pass_id: int, *, most: int | None = 10) -> graphdream.Overview:
        """What one pass changed, by kind, with examples; `most` of each, None for all. What is not as it was sealed is
        left out, as in `recall`: `graph.store.seal.left_out` names it. Raises UsageError where `most` is below 0."""
        return await self.call(lambda graph: graph.overview(pass_id, most=most))

    async def verify(self) -> graphdream.VerifyReport:
        """Check that state and journal agree, that every row is as it was sealed, and the anchor outside the file."""
        return await self.call(lambda graph: graph.verify())

    async def add_key(self, key: str) -> str:
        """Keep a key that is missing here, as it stands in a file of keys or as a command prints it; returns its id.

        Raises:
            KeyUnavailableError: it is too short, or cannot be kept.
        """
        return await self.call(lambda graph: graph.add_key(key))

    async def trust(self, reason: str = "", *, rotate_key: bool = False) -> graphdream.TrustReport:
        """Take the file as it is from now on, though it is not as it was sealed, and seal it anew; `reason` says why,
        for the record (docs/trust.md).

        Args:
            rotate_key: seal it with a new key; where it is as it was sealed, that needs no reason.

        Raises:
            UsageError: a reason is needed, and there is none.
            KeyUnavailableError: there is no key to seal it with.
        """
        return await self.call(lambda graph: graph.trust(reason, rotate_key=rotate_key))
