"""Faults that users and reviewers found in Signet's dreaming, each as the shortest story that shows it is not ours.

The numbers are those of its issues and pull requests; "hole" is what a reading of its code shows and nobody has filed.
Those that have a test of their own elsewhere are not told again here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.runner import PassOptions, dream
from graphdream.events.counter import unread_tokens
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_lines
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, codes, dump, facts_of

SESSIONS = 230  # more than the 200 summaries that one compaction there ever read


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in store.connection.execute(sql)]


DONE = [("applied", "ok")]
MERGE = {"op": "merge_entities", "source": ["e1"], "target": "e2"}


# ---------------------------------------------------------------------- merges


def test_a_merge_leaves_the_self_loops_of_others_alone(tmp_path: Path) -> None:
    """#442: links between the merged became loops; the mend deleted every loop of the agent. Hole: the later merge
    deletes those of every agent."""
    lines = [
        *({"kind": "entity", "id": f"n{n}", "name": name} for n, name in enumerate(("Ada", "Ada L.", "Bo"))),
        *(
            {"kind": "edge", "id": f"d{n}", "source_id": f"n{start}", "target_id": f"n{end}", "type": "knows"}
            for n, (start, end) in enumerate([(0, 1), (0, 0), (2, 2), (1, 2)])
        ),
    ]
    with Store.open(tmp_path / "memory.db") as store:
        import_lines(store, lines, source="loops", clock=clock)
        before = dict(rows(store, "SELECT uid, status FROM link"))
        assert codes(store, {"op": "merge_entities", "source": ["e2"], "target": "e1"}) == DONE
        after = dict(rows(store, "SELECT uid, status FROM link"))
        assert after == {**before, "d0": "archived"} and before["d1"] == before["d2"] == "active"
        assert rows(store, "SELECT source_id, target_id FROM link WHERE uid = 'd3'") == [(1, 3)]
        assert verify(store).ok


def test_the_same_merge_again_is_nothing_to_do(store: Store) -> None:
    """#1379: a repeated merge found no source, or met a unique constraint half-way."""
    links = [
        {"op": "link", "source": source, "target": target, "type": kind}
        for source, target, kind in (("e1", "e3", "knows"), ("e2", "e3", "knows"), ("e3", "e1", "knows"),
                                     ("e3", "e2", "knows"), ("e1", "e2", "knows"), ("e1", "e3", "helps"))
    ]  # fmt: skip
    apply(store, links)
    assert codes(store, MERGE, MERGE) == [*DONE, ("skipped", "not_active")]
    before = dump(store)
    assert codes(store, MERGE) == [("skipped", "not_active")] and dump(store) == before
    active = "SELECT source_id, target_id, type FROM link WHERE status = 'active' ORDER BY id"
    assert sorted(rows(store, active)) == [(2, 3, "helps"), (2, 3, "knows"), (3, 2, "knows")]


def test_a_merge_into_nobody_makes_nobody(store: Store) -> None:
    """An early draft made the target."""
    before = dump(store)
    assert codes(store, {"op": "merge_entities", "source": ["e1"], "target": "Countess"}) == [("failed", "not_found")]
    assert dump(store) == before


def test_merged_aspects_keep_every_row_with_its_history_and_evidence(store: Store) -> None:
    """#1147: only active rows moved, with new ids, and who had said them was lost."""
    apply(
        store,
        [
            {"op": "create_attribute", "entity": "e1", "aspect": "home", "content": "rents a flat", "session": "s1"},
            {"op": "create_attribute", "entity": "e1", "aspect": "home", "content": "has a cat"},
            {"op": "supersede_attribute", "old": "a5", "new": "owns a house"},
            {"op": "delete_attribute", "content": "a6"},
        ],
    )
    before = rows(store, "SELECT id, content, status, superseded_by, session_key FROM attribute ORDER BY id")
    told = rows(store, "SELECT * FROM evidence")
    assert codes(store, {"op": "merge_aspects", "entity": "e1", "source": ["home"], "target": "general"}) == DONE
    assert rows(store, "SELECT id, content, status, superseded_by, session_key FROM attribute ORDER BY id") == before
    assert rows(store, "SELECT * FROM evidence") == told and told
    assert rows(store, "SELECT DISTINCT aspect_id FROM attribute WHERE id IN (1, 2, 5, 6, 7)") == [(1,)]


# ---------------------------------------------------------------------- facts


def test_a_fact_told_again_keeps_who_told_it_first(store: Store) -> None:
    """#716: an identical write put its own provenance in place of the first."""
    told = {"op": "create_attribute", "entity": "e2", "content": "has a boat", "session": "s1", "turns": ["t1"]}
    apply(store, [told])
    first = rows(store, "SELECT session_key, turn_uid, quote, seen_at FROM evidence")
    before = rows(store, "SELECT uid, session_key, first_seen, confidence FROM attribute WHERE id = 5")
    assert codes(store, {**told, "session": "s2", "turns": ["t9"]}) == [("applied", "reinforced")]
    assert rows(store, "SELECT uid, session_key, first_seen, confidence FROM attribute WHERE id = 5") == before
    assert rows(store, "SELECT session_key, turn_uid, quote, seen_at FROM evidence ORDER BY id LIMIT 1") == first
    assert rows(store, "SELECT session_key FROM evidence ORDER BY id") == [("s1",), ("s2",)]


def test_a_fact_that_a_pass_removed_can_be_learnt_again(store: Store) -> None:
    """Hole: a fact was skipped when the same words were there in any status, so what had been deleted never came
    back."""
    apply(store, [{"op": "delete_attribute", "content": "a3"}])
    assert facts_of(store, "Bo") == set()
    again = {"op": "create_attribute", "entity": "e2", "content": "plays chess", "session": "s1"}
    assert [status for status, _ in codes(store, again)] == ["applied"]
    assert facts_of(store, "Bo") == {"plays chess"}


def test_superseding_by_what_is_said_already_makes_no_second_copy(store: Store) -> None:
    """Hole: nobody looked whether the new fact was there."""
    made = {"op": "create_attribute", "entity": "e1", "content": "lives in Paris", "importance": 0.9}
    apply(store, [made])
    assert codes(store, {"op": "supersede_attribute", "old": "a2", "new": "lives in Paris"}) == DONE
    assert facts_of(store, "Ada") == {"likes tea", "lives in Paris"}
    assert rows(store, "SELECT count(*), max(importance) FROM attribute WHERE content = 'lives in Paris'") == [(1, 0.9)]
    assert rows(store, "SELECT status, superseded_by FROM attribute WHERE id = 2") == [("superseded", 5)]


@pytest.mark.parametrize("content", ["  ", "plays chess"])
def test_adding_nothing_to_an_aspect_makes_no_empty_aspect(store: Store, content: str) -> None:
    """Found between two versions: an aspect was made before it was seen that there was nothing to put into it."""
    before = rows(store, "SELECT id FROM aspect")
    body = {"op": "update_aspect", "entity": "e2", "aspect": "games", "attributes": [{"content": content}]}
    assert [status for status, _ in codes(store, body)] in (["failed"], ["skipped"], ["applied"])
    empty = "SELECT aspect.id FROM aspect LEFT JOIN attribute ON aspect_id = aspect.id WHERE attribute.id IS NULL"
    assert rows(store, empty) == []
    assert content.strip() or rows(store, "SELECT id FROM aspect") == before


@pytest.mark.parametrize(
    "body",
    [
        {"op": "split_entity", "entity": "e1", "name": "Eve", "attributes": ["a1"], "aliases": ["nobody"]},
        {"op": "merge_entities", "source": ["e3", "e2"], "target": "e1"},
        {"op": "merge_attributes", "source": ["a1", "a99"], "target": "a2"},
        {"op": "merge_aspects", "entity": "e1", "source": ["home", "nowhere"], "target": "general"},
    ],
    ids=lambda body: str(body["op"]),
)
def test_what_fails_half_way_leaves_nothing_behind(store: Store, body: dict[str, Any]) -> None:
    """Hole: without a savepoint for each operation, one that fell over half-way left its first half in the
    transaction."""
    apply(store, [{"op": "create_attribute", "entity": "e1", "aspect": "home", "content": "has a cat"}])
    apply(store, [{"op": "pin", "entity": "e2"}], actor="person")
    before = dump(store)
    assert [status for status, _ in codes(store, body, {"op": "retype_entity", "entity": "e3", "type": "dog"})] in (
        ["failed", "applied"],
        ["skipped", "applied"],
    )
    changed = dump(store)
    assert {name for name, table in before.items() if changed[name] != table} == {"entity"}
    assert rows(store, "SELECT id FROM entity WHERE status <> 'active'") == [] and verify(store).ok


def test_one_rule_tells_whether_two_names_are_one(store: Store) -> None:
    """Hole: entities, aliases, aspects and facts were each compared by a rule of their own, none of which knew Unicode's
    other forms; and a name without its key (NULL) fell over."""
    apply(store, [{"op": "add_alias", "entity": "e1", "name": "Countess"}])
    told = [
        {"op": "create_attribute", "entity": " ＡＤＡ ", "aspect": "GENERAL", "content": "Likes  tea."},
        {"op": "create_attribute", "entity": "countess", "aspect": "General ", "content": "**likes tea**"},
    ]
    before = rows(store, "SELECT id, content FROM attribute")
    assert all(status in ("applied", "skipped") for status, _ in codes(store, *told))
    assert rows(store, "SELECT id, content FROM attribute") == before
    assert rows(store, "SELECT count(*) FROM aspect") == [(3,)]
    for table in ("entity", "alias", "aspect"):
        assert rows(store, f"SELECT 1 FROM {table} WHERE canonical IS NULL OR canonical = ''") == []


# ---------------------------------------------------------------------- passes and what they read


def test_what_was_skipped_is_counted(store: Store) -> None:
    """Hole: the number of skipped mutations of a pass was written as 0 always."""
    bad = {"op": "delete_attribute", "content": "a99"}
    pinned = {"op": "delete_entity", "name": "e2"}
    apply(store, [{"op": "pin", "entity": "e2"}], actor="person")
    done = {"op": "delete_attribute", "content": "a4"}
    dream(store, Scripted(bad, pinned, done, empty={4}), PassOptions(mode="compact", loss_cap=1.0), clock=clock)
    counts = list_passes(store.connection)[-1]["counts"]
    assert [counts[name] for name in ("applied", "skipped", "failed")] == [1, 1, 1]
    assert counts["not_applied"] == {"not_found": 1, "pinned": 1}


def test_every_session_is_read_however_many_there_are(store: Store) -> None:
    """Hole: a compaction read the oldest 200 summaries and set its mark to now, so that newer ones were never read.
    #1149, #1430: the mark went past what no pass had been shown."""
    for number in range(SESSIONS):
        record(store, f"s{number}", summary=f"Session {number} was about the harbour.")
    shown: list[str] = []
    for mode in ("compact", "incremental", "incremental"):
        dreamer = Scripted()
        dream(store, dreamer, PassOptions(mode=mode), clock=clock)  # type: ignore[arg-type]
        shown += [session.key for view in dreamer.shown for session in view.sessions if session.kind == "session"]
    assert shown == [f"s{number}" for number in range(SESSIONS)]
    assert unread_tokens(store) == 0


def test_a_session_that_only_ends_is_on_record(store: Store) -> None:
    """#2014: the end of a session without a reason counted as a turn of it, and nothing was kept. #812: summaries
    stopped with the extraction, and dreaming had nothing to read; here they depend on no switch."""
    assert unread_tokens(store) == 0
    record(store, "s1", summary="Bo has moved to Oslo.")
    assert unread_tokens(store) > 0
    assert rows(store, "SELECT key, kind FROM session") == [("s1", "session")]
