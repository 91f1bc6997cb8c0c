"""One file lived through: passes, a person's edits, undos, replays, in any order. After each step the laws must hold."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from graphdream.dream.edit import edit
from graphdream.dream.replay import replay
from graphdream.errors import ConflictError, GraphdreamError, UndoConflictError
from graphdream.graph.store import Store
from graphdream.graph.tables import TABLES
from graphdream.interfaces.importers import import_lines
from graphdream.journal.fold import fold
from graphdream.journal.passes import PassHeader, current_hash, list_passes, mutations_of, open_pass
from graphdream.journal.undo import undo
from graphdream.journal.unmerge import unmerge
from graphdream.journal.verify import verify
from graphdream.mutations.applier import apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import CODES, Outcome
from graphdream.mutations.parse import parse_proposals, parse_trusted
from graphdream.mutations.registry import typed
from tests.laws.plans import FIRST_GRAPH, Body, addressed, edits, plans
from tests.laws.promises import astray, dropped, holding, lost, protected, unsound, violated
from tests.support.graphs import dump

any_number = st.integers(0, 10_000)
State = tuple[dict[str, list[tuple[Any, ...]]], str]


def agree(broken: Iterable[str]) -> None:
    """Fail with every broken promise in words; without a shrunk example they are what there is to go by."""
    found = list(broken)
    assert not found, "\n".join(found)


class Life(RuleBasedStateMachine):
    """Rules are what can happen to a file; each checks its own promise, the invariants check the rest."""

    blank: Path  # an empty file, migrated

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory(prefix="graphdream-laws-")
        path = Path(self.folder.name) / "memory.db"
        shutil.copy(self.blank, path)
        self.store = Store.open(path)
        self.store.connection.execute("PRAGMA synchronous = OFF")
        self.ticks = 0
        self.states: dict[int, State] = {0: self.state()}

    def teardown(self) -> None:
        report = verify(self.store)
        self.store.close()
        self.folder.cleanup()
        assert report.ok, report.as_text()

    # ------------------------------------------------------------------ helpers

    def clock(self) -> str:
        self.ticks += 1
        return f"2026-01-01T{self.ticks // 3600 % 24:02d}:{self.ticks // 60 % 60:02d}:{self.ticks % 60:02d}Z"

    def state(self) -> State:
        return dump(self.store), current_hash(self.store.connection)

    def remember(self) -> None:
        """Keep the state after the newest pass, to compare the journal's own account with."""
        newest = self.store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
        self.states[newest] = self.state()

    def passes(self, **wanted: Any) -> list[dict[str, Any]]:
        return [
            record for record in list_passes(self.store.connection)
            if all(record[key] == value for key, value in wanted.items())
        ]  # fmt: skip

    def dream_of(self, items: Sequence[Any], *, seen: int | None = None, cap: int | None = None) -> list[Outcome]:
        """One pass that proposes these items, as a model would."""
        proposals = parse_proposals(addressed(self.store.connection, items))
        now = self.clock()
        with open_pass(self.store, PassHeader("dream", inputs={"now": now}), clock=self.clock) as current:
            applying = Applying(self.store, "pass", now, seen_version=seen)
            outcomes = apply_proposals(applying, proposals, archive_cap=cap)
            record_outcomes(self.store.connection, current.id, proposals, outcomes)
        assert len(outcomes) == len(items) == len(mutations_of(self.store.connection, current.id))
        for outcome in outcomes:
            note(f"{outcome.status}/{outcome.code}: {outcome.message[:200]}")
            assert outcome.code in CODES and outcome.message
            assert (outcome.status == "applied") == (outcome.code in ("ok", "reinforced"))
        return outcomes

    # ------------------------------------------------------------------ rules

    @initialize(empty=st.sampled_from([False, False, False, True]))
    def begin(self, empty: bool) -> None:
        if not empty:
            report = import_lines(self.store, FIRST_GRAPH, source="first graph", clock=self.clock)
            assert report.pass_id == 1 and not report.fault_count
            self.remember()

    @rule(
        several=st.lists(plans, min_size=1, max_size=3), lag=st.sampled_from([None, None, 0, 1, 3]),
        cap=st.sampled_from([None, None, 0, 3]),
    )  # fmt: skip
    def some_passes(self, several: list[list[Any]], lag: int | None, cap: int | None) -> None:
        """As a dreamer proposes them that has seen the graph as it was `lag` passes ago; None: as it is."""
        for plan in several:
            newest = max(self.states)
            safe, were_astray = protected(self.store), astray(self.store)
            self.dream_of(plan, seen=None if lag is None else newest - lag, cap=cap)
            agree(violated(self.store, safe))
            agree(astray(self.store) - were_astray)
            self.remember()

    @rule(bodies=edits)
    def an_edit(self, bodies: list[Body]) -> None:
        proposals = parse_trusted(addressed(self.store.connection, bodies))
        parsed = [proposal.mutation for proposal in proposals if proposal.mutation is not None]
        before, were_astray = self.state(), astray(self.store)
        try:
            number, outcomes = edit(self.store, parsed, clock=self.clock)
        except GraphdreamError as refused:
            note(str(refused))
            assert self.state() == before
        else:
            assert len(outcomes) == len(parsed)
            assert number is not None or self.state() == before
        agree(astray(self.store) - were_astray)
        self.remember()

    @rule(number=any_number, other=any_number, by_person=st.booleans())
    def a_merge(self, number: int, other: int, by_person: bool) -> None:
        ids = [row[0] for row in self.store.connection.execute("SELECT id FROM entity WHERE status = 'active'")]
        if len(ids) < 2:
            return
        target = ids[number % len(ids)]
        source = [entity for entity in ids if entity != target][other % (len(ids) - 1)]
        one, two = holding(self.store, source), holding(self.store, target)
        body = {"op": "merge_entities", "source": [f"e{source}"], "target": f"e{target}"}
        if by_person:
            _, [outcome] = edit(self.store, [typed(body)], clock=self.clock)
        else:
            [outcome] = self.dream_of([body])
        note(f"e{source} into e{target}: {outcome}")
        if outcome.status == "applied":
            agree(dropped(one, two, holding(self.store, target)))
            assert holding(self.store, source).row["absorbed_into"] == target
        self.remember()

    @precondition(lambda self: self.passes(status="applied", undone_by=None))
    @rule(number=any_number, cascade=st.booleans(), all_wrong=st.booleans())
    def an_undo(self, number: int, cascade: bool, all_wrong: bool) -> None:
        standing = self.passes(status="applied", undone_by=None)
        target = standing[number % len(standing)]["id"]
        before, were_astray = self.state(), astray(self.store)
        try:
            report = undo(self.store, target, cascade=cascade, all_wrong=all_wrong, clock=self.clock)
        except UndoConflictError as conflict:
            note(str(conflict))
            assert not cascade and self.state() == before
            return
        agree(astray(self.store) - were_astray)
        self.remember()
        again = undo(self.store, report.pass_id, clock=self.clock)
        assert set(again.brought_back) >= set(report.undone)
        assert self.state() == before
        self.remember()

    @rule(number=any_number, wrong=st.booleans())
    def an_unmerge(self, number: int, wrong: bool) -> None:
        """One merge is taken back, and that is taken back, exactly."""
        gone = self.store.connection.execute("SELECT id FROM entity WHERE status = 'absorbed' ORDER BY id").fetchall()
        if not gone:
            return
        before, were_astray = self.state(), astray(self.store)
        entity = gone[number % len(gone)][0]
        try:
            report = unmerge(self.store, f"e{entity}", wrong=wrong, clock=self.clock)
        except ConflictError as refused:
            note(str(refused))
            assert self.state() == before
            return
        assert holding(self.store, entity).row["status"] == "active"
        agree(astray(self.store) - were_astray)
        self.remember()
        if wrong:
            undo(self.store, report.pass_id, clock=self.clock)
            assert self.state() == before
            self.remember()

    @precondition(lambda self: len(self.states) > 1)
    @rule()
    def the_newest_pass_is_taken_back(self) -> None:
        newest = max(self.states)
        record = self.passes(id=newest)[0]
        if record["status"] == "applied" and record["undone_by"] is None:
            undo(self.store, newest, clock=self.clock)
            assert self.state() == self.states[max(number for number in self.states if number < newest)]
            self.remember()

    @precondition(lambda self: self.passes(status="applied"))
    @rule(number=any_number, level=st.sampled_from([1, 2]))
    def a_replay(self, number: int, level: int) -> None:
        applied = self.passes(status="applied")
        record = applied[number % len(applied)]
        before = self.state()
        report = replay(self.store, record["id"], level=level)
        assert report.same_hash and report.differences == [], (record["id"], record["kind"], report)
        assert self.state() == before

    @precondition(lambda self: len(self.states) > 1)
    @rule(number=any_number)
    def a_look_back(self, number: int) -> None:
        points = sorted(self.states)
        upto = points[number % len(points)]
        with closing(fold(self.store, upto)) as past:
            found = {
                table.name: [
                    tuple(row)
                    for row in past.execute(f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY id")
                ]
                for table in TABLES
            }
        assert found == self.states[upto][0]

    @rule()
    def everything_is_brought_back(self) -> None:
        """Nothing is lost: whatever was put aside, a person brings back by its handle; and takes that back, exactly."""
        before = self.state()
        gone = self.store.connection.execute("SELECT id FROM attribute WHERE status <> 'active' ORDER BY id").fetchall()
        if not gone:
            return
        restores = [typed({"op": "restore", "row": f"a{row[0]}"}) for row in gone]
        number, outcomes = edit(self.store, restores, clock=self.clock)
        assert {outcome.status for outcome in outcomes} == {"applied"}
        active = self.store.connection.execute(
            "SELECT count(*) FROM fact_index JOIN attribute ON attribute.id = fact_index.rowid WHERE status = 'active'"
        ).fetchone()[0]
        assert active == self.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0]
        self.remember()
        assert number is not None
        undo(self.store, number, clock=self.clock)
        assert self.state() == before
        self.remember()

    @rule()
    def a_verification(self) -> None:
        report = verify(self.store)
        assert report.ok, report.as_text()

    # ------------------------------------------------------------------ always

    @invariant()
    def it_is_sound(self) -> None:
        agree(unsound(self.store))

    @invariant()
    def nothing_is_lost(self) -> None:
        agree(lost(self.store))
