"""The journal: what passes did, and taking it back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import graphdream
from graphdream.given import confirm_number, confirm_text
from graphdream.library.base import Memory


class Journal(Memory):
    """Passes, undo, replay, verify."""

    def passes(self) -> list[graphdream.PassRecord]:
        """Every pass, oldest first. Of one that is not as it was sealed nothing is told but that, in `error`, here and
        in `pass_record`, and none of its mutations: `graph.store.seal.left_out` names it."""
        from graphdream.journal.records import pass_records

        return pass_records(self.store)

    def pass_record(self, pass_id: int) -> graphdream.PassRecord:
        """One pass: who made it, when, at what price. Raises NotFoundError where there is none."""
        from graphdream.journal.records import pass_record

        return pass_record(self.store, pass_id)

    def mutations(self, pass_id: int) -> list[graphdream.MutationRecord]:
        """What was proposed in a pass, in order, and what became of each. Raises NotFoundError where there is none."""
        from graphdream.journal.records import mutation_records

        return mutation_records(self.store, pass_id)

    def undo(
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
        from graphdream.dream.later import take_in_before
        from graphdream.journal.undo import undo

        take_in_before(store := self.store)
        return undo(store, pass_id, cascade=cascade, wrong=wrong, all_wrong=all_wrong, clock=self.clock)

    def unmerge(self, entity: str, *, wrong: bool = False) -> graphdream.UnmergeReport:
        """Take one merge back: the entity of this handle is there again, with its own facts; a pass of its own.

        Args:
            wrong: it is none of those it was one with: they are distinct from now on, and it counts as a false merge.

        Raises:
            ConflictError: the entity was merged into none.
            NotFoundError: there is no such entity.
        """
        from graphdream.dream.later import take_in_before
        from graphdream.journal.unmerge import unmerge

        confirm_text("the handle of an entity", entity)
        take_in_before(store := self.store)
        return unmerge(store, entity, wrong=wrong, clock=self.clock)

    def conversations(self, pass_id: int) -> list[graphdream.Conversation]:
        """What was said with a model in a pass, in order: what it was shown, and what came then.

        Those that are not as they were sealed are left out: `graph.store.seal.left_out` names them. Raises
        NotFoundError where there is no such pass.
        """
        from graphdream.dream.exchanges import conversations
        from graphdream.journal.passes import get_pass

        get_pass(self.store.connection, pass_id)
        return conversations(self.store, pass_id)

    def cost_sheet(self, pass_id: int) -> dict[str, Any]:
        """What a pass took: each conversation, the sum, and the price of a model's mutation that was applied, as
        `graphdream show --cost --json` prints it (docs/json.md). Raises NotFoundError where there is no such pass."""
        from graphdream.dream.exchanges import told_costs
        from graphdream.journal.passes import get_pass

        return told_costs(self.store, get_pass(self.store.connection, pass_id))

    def merge_record(self) -> graphdream.MergeRecord:
        """The live false-merge rate: of the merges that a person judged, how many were wrong; with an interval."""
        from graphdream.journal.mergerecord import live_merge_record

        return live_merge_record(self.store.connection)

    def replay(self, pass_id: int, *, level: int = 1) -> graphdream.ReplayReport:
        """Run a past pass again on the graph as it was before, without a model, and say what differs."""
        from graphdream.dream.replay import replay

        return replay(self.store, pass_id, level=level)

    def diff(self, before: int | str, after: int | str) -> graphdream.GraphDiff:
        """What changed between the graph after one pass and after another, each a pass or a date."""
        from graphdream.journal.diff import diff

        return diff(self.store, before, after)

    def overview(self, pass_id: int, *, most: int | None = 10) -> graphdream.Overview:
        """What one pass changed, by kind, with examples; `most` of each, None for all. What is not as it was sealed is
        left out, as in `recall`: `graph.store.seal.left_out` names it. Raises UsageError where `most` is below 0."""
        confirm_number("most", most, least=0)
        from graphdream.journal.overview import sound_overview
        from graphdream.journal.passes import get_pass

        get_pass(self.store.connection, pass_id)
        return sound_overview(self.store, pass_id - 1, pass_id, most=most)

    def verify(self) -> graphdream.VerifyReport:
        """Check that state and journal agree, that every row is as it was sealed, and the anchor outside the file."""
        from graphdream.journal.verify import verify

        return verify(self.store)

    def add_key(self, key: str) -> str:
        """Keep a key that is missing here, as it stands in a file of keys or as a command prints it; returns its id.

        Raises:
            KeyUnavailableError: it is too short, or cannot be kept.
        """
        from graphdream.sealing.keys import keep_key

        confirm_text("a key", key)
        return keep_key(key.strip()).id

    def trust(self, reason: str = "", *, rotate_key: bool = False) -> graphdream.TrustReport:
        """Take the file as it is from now on, though it is not as it was sealed, and seal it anew; `reason` says why,
        for the record (docs/trust.md).

        Args:
            rotate_key: seal it with a new key; where it is as it was sealed, that needs no reason.

        Raises:
            UsageError: a reason is needed, and there is none.
            KeyUnavailableError: there is no key to seal it with.
        """
        from graphdream.journal.newkey import trust_with_new_key
        from graphdream.journal.trust import trust

        confirm_text("the reason", reason)
        if rotate_key:
            return trust_with_new_key(self.store, reason, clock=self.clock)
        return trust(self.store, reason, clock=self.clock)
