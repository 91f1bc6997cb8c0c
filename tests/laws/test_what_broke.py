"""Faults that the laws' machine and a close reading have found, each as the shortest story that shows it."""

from __future__ import annotations

import pytest

from graphdream.dream.replay import replay
from graphdream.errors import UndoConflictError
from graphdream.graph.store import Store
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations.parse import parse_proposals
from tests.laws.promises import astray, protected, violated
from tests.support.graphs import NOW, apply, clock, codes, dump, entity, facts_of


def by_person(store: Store, *bodies: dict[str, object]) -> None:
    assert {status for status, _ in codes(store, *bodies, actor="person")} == {"applied"}


DONE = [("applied", "ok")]
FORGOTTEN = [("skipped", "forgotten")]
MERGE = {"op": "merge_entities", "source": ["e1"], "target": "e2"}


# ---------------------------------------------------------------------- the journal


def test_an_update_that_changes_nothing_leaves_the_version(store: Store) -> None:
    """Merging an entity without counts and dates changes no column of the target; its version was bumped all the
    same, and `verify` found a row that its journal does not account for."""
    apply(store, [{"op": "create_entity", "name": "Di"}])
    before = store.connection.execute("SELECT version FROM entity WHERE id = 1").fetchone()[0]
    assert codes(store, {"op": "merge_entities", "source": ["e4"], "target": "e1"}) == DONE
    assert verify(store).faults == ()
    assert store.connection.execute("SELECT version FROM entity WHERE id = 1").fetchone()[0] == before


def test_a_replay_knows_the_verdicts_that_held_then(store: Store) -> None:
    """A verdict that an undo revoked, and an undo of that one gave again, held in the replay of what came between."""
    apply(store, [MERGE])
    first = undo(store, 2, all_wrong=True, clock=clock)
    second = undo(store, first.pass_id, clock=clock)
    undo(store, 2, clock=clock)
    assert codes(store, MERGE) == DONE
    between = store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
    undo(store, second.pass_id, cascade=True, clock=clock)
    report = replay(store, between)
    assert (report.same_hash, report.differences) == (True, [])


def test_half_a_character_does_not_break_a_pass(store: Store) -> None:
    """JSON can escape half of a surrogate pair; the journal's text cannot hold it, and the whole pass fell over."""
    body = {"op": "create_attribute", "entity": "Ada", "content": "likes \ud83d\ude42 and \ud83d"}
    [proposal] = parse_proposals([body])
    assert proposal.body["content"] == "likes 🙂 and \ufffd"
    assert codes(store, body, {"op": "nonsense", "\udc00": "\ud800"}) == [*DONE, ("failed", "invalid")]


# ---------------------------------------------------------------------- nothing is lost: what comes back is seen again


def test_a_fact_comes_back_under_the_aspect_that_has_taken_its_aspect_s_name(store: Store) -> None:
    """It came back on the archived one, active and seen by nobody."""
    apply(store, [{"op": "delete_aspect", "entity": "e1", "aspect": "general"}])
    apply(store, [{"op": "create_attribute", "entity": "e1", "content": "has a cat"}])
    assert codes(store, {"op": "restore", "row": "a1"}) == DONE
    assert astray(store) == set()


def test_an_aspect_comes_back_with_its_entity(store: Store) -> None:
    apply(store, [{"op": "delete_aspect", "entity": "e1", "aspect": "general"}])
    apply(store, [{"op": "delete_entity", "name": "e1"}])
    assert codes(store, {"op": "restore", "row": "s1"}) == DONE
    assert astray(store) == set()
    assert store.connection.execute("SELECT status FROM entity WHERE id = 1").fetchone()[0] == "active"


# ---------------------------------------------------------------------- what a person has removed stays removed


@pytest.mark.parametrize("row", ["e1", "s1", "a1"])
def test_no_pass_brings_back_any_part_of_a_forgotten_entity(store: Store, row: str) -> None:
    apply(store, [{"op": "supersede_attribute", "old": "a1", "new": "likes coffee"}])
    by_person(store, {"op": "delete_entity", "name": "e1"})
    before = dump(store)
    assert codes(store, {"op": "restore", "row": row}) == FORGOTTEN
    assert dump(store) == before
    by_person(store, {"op": "restore", "row": row})
    assert astray(store) == set()


def test_no_pass_makes_a_forgotten_entity_anew(store: Store) -> None:
    by_person(store, {"op": "delete_entity", "name": "Ada"})
    assert codes(store, entity("ADA", general=["likes tea"])) == FORGOTTEN


def test_no_pass_links_anew_what_a_person_has_unlinked(store: Store) -> None:
    link = {"op": "link", "source": "e1", "target": "e2", "type": "knows"}
    apply(store, [link])
    by_person(store, {"op": "unlink", "link": "l1"})
    assert codes(store, link, {"op": "restore", "row": "l1"}) == FORGOTTEN * 2
    by_person(store, link)


def test_a_forgotten_aspect_s_facts_do_not_come_back_one_by_one(store: Store) -> None:
    by_person(store, {"op": "delete_aspect", "entity": "e1", "aspect": "general"})
    again = {"op": "create_attribute", "entity": "e1", "content": "Likes tea."}
    assert codes(store, again, {"op": "restore", "row": "a2"}) == FORGOTTEN * 2


def test_a_pass_cannot_pass_its_own_removal_off_as_a_person_s(store: Store) -> None:
    """The reason is the dreamer's own words; "forgotten" in front of it made the fact untouchable."""
    assert codes(store, {"op": "delete_attribute", "content": "a1", "reason": "forgotten: no"}) == DONE
    assert codes(store, {"op": "restore", "row": "a1"}) == DONE


# ---------------------------------------------------------------------- protection and verdicts


def test_a_merge_gives_a_pinned_entity_no_type(store: Store) -> None:
    by_person(store, {"op": "pin", "entity": "e3"})
    before = protected(store)
    assert codes(store, {"op": "merge_entities", "source": ["e1"], "target": "e3"}) == DONE
    assert violated(store, before) == []


def test_a_constraint_that_a_person_rewords_stays_a_constraint(store: Store) -> None:
    by_person(
        store,
        {"op": "mark_constraint", "attribute": "a1"},
        {"op": "supersede_attribute", "old": "a1", "new": "likes coffee"},
    )
    rows = store.connection.execute("SELECT content FROM attribute WHERE kind = 'constraint' AND status = 'active'")
    assert [row[0] for row in rows] == ["likes coffee"]


def test_a_rejected_merge_is_not_made_by_way_of_a_third_one(store: Store) -> None:
    apply(store, [MERGE])
    undo(store, 2, all_wrong=True, clock=clock)
    assert codes(store, {"op": "merge_entities", "source": ["e1"], "target": "e3"}) == DONE
    assert codes(store, {"op": "merge_entities", "source": ["e2"], "target": "e3"}) == [("skipped", "distinct")]


# ---------------------------------------------------------------------- one mutation with several facts


def test_a_fact_that_is_known_does_not_keep_the_others_out(store: Store) -> None:
    """A fact told twice in one plan, or known and told again without a session, took the new ones down with it."""
    facts = [{"content": "likes tea"}, {"content": "has a cat"}, {"content": "Has a cat."}]
    assert codes(store, {"op": "update_aspect", "entity": "Ada", "aspect": "general", "attributes": facts}) == DONE
    assert (
        codes(store, entity("Bo", general=["plays chess", "sings"]), entity("Di", general=["x y", "X y."])) == DONE * 2
    )
    assert facts_of(store, "Ada") == {"likes tea", "lives in London", "has a cat"}
    assert facts_of(store, "Bo") == {"plays chess", "sings"} and facts_of(store, "Di") == {"x y"}
    again = {"op": "update_aspect", "entity": "Ada", "aspect": "general", "attributes": facts}
    assert codes(store, again, entity("Bo", general=["sings"])) == [("skipped", "nothing_to_do")] * 2


# ---------------------------------------------------------------------- texts that look like something else


def test_a_text_that_only_looks_like_a_handle_is_a_text(store: Store) -> None:
    assert codes(store, {"op": "supersede_attribute", "old": "a1", "new": "a²"}) == DONE


def test_names_that_only_look_like_handles_do_not_break_the_proof(store: Store) -> None:
    """`int("²")` fell over although `"²".isdigit()`, and so did a handle of more digits than int() reads."""
    from graphdream.dream.gather import gather
    from graphdream.dream.prove import Proof
    from graphdream.dreamers.base import Judged

    gathered = gather(store, mode="compact", now=NOW)
    proposals = parse_proposals(
        [
            {"op": "merge_entities", "source": ["e²", "e" + "9" * 5000], "target": "e³"},
            {"op": "delete_attribute", "content": "a²", "entity": "Ada"},
            {"op": "delete_attribute", "content": "a" + "9" * 5000, "entity": "Ada"},
        ]
    )
    assert all(proposal.mutation is not None for proposal in proposals)
    Proof(store, gathered, proposals, 0.0, Judged())


def test_superseding_gives_no_slot_to_what_is_protected(store: Store) -> None:
    """The successor got the slot of what it took over from, also where it was a constraint or a pinned entity's."""
    by_person(store, {"op": "mark_constraint", "attribute": "a2"}, {"op": "pin", "entity": "e2"})
    apply(store, [{"op": "create_attribute", "entity": "e2", "aspect": "general", "content": "plays go"}])
    before = protected(store)
    plan = [
        {"op": "supersede_attribute", "old": "a1", "new": "a2", "slot": "home"},
        {"op": "supersede_attribute", "old": "a5", "new": "a3", "slot": "game"},
    ]
    assert codes(store, *plan) == [*DONE, ("skipped", "pinned")]
    assert violated(store, before) == []


# ---------------------------------------------------------------------- an undo leaves nothing behind


def test_an_undo_of_a_restore_leaves_no_fact_behind(store: Store) -> None:
    """What was hung on the entity meanwhile stayed active under it, archived as it was again: seen by nobody."""
    apply(store, [{"op": "delete_entity", "name": "e1"}])
    apply(store, [{"op": "restore", "row": "e1"}])
    apply(store, [{"op": "create_attribute", "entity": "e1", "content": "has a cat"}])
    before = dump(store)
    with pytest.raises(UndoConflictError) as conflict:
        undo(store, 3, clock=clock)
    assert conflict.value.passes == (4,) and dump(store) == before
    report = undo(store, 3, cascade=True, clock=clock)
    assert report.undone == (4, 3) and astray(store) == set()


def test_an_undo_brings_no_fact_back_under_what_was_put_aside_later(store: Store) -> None:
    apply(store, [{"op": "delete_attribute", "content": "a1"}])
    apply(store, [{"op": "delete_entity", "name": "e1"}])
    with pytest.raises(UndoConflictError) as conflict:
        undo(store, 2, clock=clock)
    assert conflict.value.passes == (3,)
    undo(store, 2, cascade=True, clock=clock)
    assert astray(store) == set() and facts_of(store, "Ada") == {"likes tea", "lives in London"}


def test_an_undo_of_an_unlink_brings_no_link_back_to_a_merged_entity(store: Store) -> None:
    apply(store, [{"op": "link", "source": "e1", "target": "e2", "type": "knows"}])
    apply(store, [{"op": "unlink", "link": "l1"}])
    apply(store, [{"op": "delete_entity", "name": "e2"}])
    with pytest.raises(UndoConflictError):
        undo(store, 3, clock=clock)
    assert astray(store) == set()


# ---------------------------------------------------------------------- what is said about it


def test_a_long_name_does_not_fill_the_messages(store: Store) -> None:
    """A name of 100,000 characters went whole into outcomes and errors, once for each mutation that named it."""
    long, numbers = "long name " * 10_000, " ".join(f"{n}.5" for n in range(700))
    apply(store, [entity(long, general=["likes tea"]), entity("Di", general=[numbers, "rate is 7.5"])])
    by_person(store, {"op": "pin", "entity": "e4"})
    plan: list[dict[str, object]] = [
        {"op": "delete_entity", "name": "e4"},
        {"op": "delete_entity", "name": long + "s"},
        {"op": "delete_attribute", "content": long},
        {"op": "delete_attribute", "content": long, "entity": long},
        {"op": "delete_aspect", "entity": "e1", "aspect": long},
        {"op": "rename_entity", "entity": "e2", "name": long},
        {"op": "add_alias", "entity": "e2", "name": long + "s"},
        {"op": "restore", "row": long},
        {"op": "merge_attributes", "source": ["a6"], "target": "a7"},
        {"op": "retype_entity", "entity": "e3", "type": long},
        {"op": "create_attribute", "entity": "e3", "content": "x y", "known_at": long},
        {"op": long},
    ]
    assert max(len(outcome.message) for outcome in apply(store, plan)) < 400
