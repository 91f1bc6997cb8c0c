"""Every mutation: what it does, what protects from it, and what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.graph.store import Store, hash_text, row_hash
from graphdream.graph.tables import ENTITY, TABLES
from graphdream.journal.passes import current_hash, mutations_of
from graphdream.journal.undo import undo
from graphdream.mutations.op import Actor, Op
from graphdream.mutations.registry import ops
from tests.laws.promises import protected, violated
from tests.support.graphs import apply, codes, dump, entity, facts_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1: a1 likes tea, a2 lives in London, a3 engineer), her double Ada's (e2: a4 likes tea., a5 born in 1815),
    Bo (e3: a6 plays chess); l1 Ada knows Bo, l2 Bo knows Ada's, l3 Ada knows Ada's."""
    with Store.open(tmp_path / "memory.db") as store:
        made = apply(
            store,
            [
                entity("Ada", general=["likes tea", "lives in London"], work=["engineer"]),
                {**entity("Ada Lovelace", kind="unknown", general=["Likes tea.", "born in 1815"])},
                entity("Bo", general=["plays chess"]),
                {"op": "link", "source": "e1", "target": "e3", "type": "knows"},
                {"op": "link", "source": "e3", "target": "e2", "type": "knows"},
                {"op": "link", "source": "e1", "target": "e2", "type": "knows"},
            ],
        )
        assert all(outcome.code == "ok" for outcome in made)
        yield store


def one(store: Store, sql: str) -> object:
    return store.connection.execute(sql).fetchone()[0]


def recomputed_hash(store: Store) -> str:
    from graphdream.graph.rowtext import row_sql

    total = sum(
        row_hash(table.kind, row[0])
        for table in TABLES
        for row in store.connection.execute(f"SELECT {row_sql(table)} FROM {table.name}")
    )
    return hash_text(total % (1 << 256))


def test_a_merge_keeps_every_name_fact_link_date_and_count(store: Store) -> None:
    store.connection.execute("BEGIN")
    store.connection.execute("ROLLBACK")
    assert codes(store, {"op": "merge_entities", "source": ["e2"], "target": "e1"}) == [("applied", "ok")]
    assert facts_of(store, "Ada") == {"likes tea", "lives in London", "engineer", "born in 1815"}
    absorbed = store.connection.execute("SELECT status, absorbed_into FROM attribute WHERE id = 4").fetchone()
    assert tuple(absorbed) == ("absorbed", 1)
    assert one(store, "SELECT name FROM alias WHERE entity_id = 1") == "Ada Lovelace"
    assert one(store, "SELECT count(*) FROM aspect WHERE entity_id = 1 AND status = 'active'") == 2
    links = store.connection.execute("SELECT id, source_id, target_id, status, status_reason FROM link").fetchall()
    assert [tuple(row) for row in links] == [
        (1, 1, 3, "active", ""),
        (2, 3, 1, "active", ""),
        (3, 1, 1, "archived", "self-loop"),
    ]
    assert current_hash(store.connection) == recomputed_hash(store)


def test_links_that_become_equal_fold_into_one(store: Store) -> None:
    apply(store, [{"op": "link", "source": "e2", "target": "e3", "type": "knows", "strength": 0.9}])
    apply(store, [{"op": "merge_entities", "source": ["e2"], "target": "e1"}])
    row = store.connection.execute("SELECT status, absorbed_into FROM link WHERE id = 4").fetchone()
    assert tuple(row) == ("absorbed", 1)
    assert one(store, "SELECT strength FROM link WHERE id = 1") == 0.9
    assert one(store, "SELECT strength FROM link WHERE id = 4") == 0.9


def test_a_plain_fact_equal_to_a_constraint_becomes_the_constraint(store: Store) -> None:
    """A hole of Signet's: merged into the plain fact, it was a constraint no more."""
    apply(store, [{"op": "mark_constraint", "attribute": "a4"}], actor="person")
    apply(store, [{"op": "merge_entities", "source": ["e2"], "target": "e1"}])
    assert tuple(store.connection.execute("SELECT status, kind FROM attribute WHERE id = 4").fetchone()) == (
        "active",
        "constraint",
    )
    assert one(store, "SELECT absorbed_into FROM attribute WHERE id = 1") == 4


def test_two_links_of_one_text_are_not_one_fact(store: Store) -> None:
    """Their text without the address is the same, and the younger address was folded away with its fact."""
    texts = ["sizes are kept by [loq](https://one.example/loq)", "sizes are kept by [loq](https://two.example/loq)"]
    apply(store, [{"op": "create_attribute", "entity": f"e{at}", "content": text} for at, text in enumerate(texts, 1)])
    apply(store, [{"op": "merge_entities", "source": ["e2"], "target": "e1"}])
    found = store.connection.execute("SELECT content FROM attribute WHERE status = 'active' AND content LIKE 'sizes%'")
    assert [row[0] for row in found] == texts


TOUCHES_ADA = [
    {"op": "merge_entities", "source": ["e1"], "target": "e3"},
    {"op": "delete_entity", "name": "Ada"},
    {"op": "delete_aspect", "entity": "Ada", "aspect": "general"},
    {"op": "supersede_attribute", "old": "a1", "new": "likes coffee"},
    {"op": "delete_attribute", "content": "a1"},
    {"op": "rename_entity", "entity": "e1", "name": "Eve"},
    {"op": "retype_entity", "entity": "e1", "type": "tool"},
    {"op": "split_entity", "entity": "e1", "name": "Eve", "attributes": ["a1"]},
    {"op": "merge_aspects", "entity": "e1", "source": ["work"], "target": "general"},
    {"op": "merge_attributes", "source": ["a1"], "target": "a2"},
    {"op": "move_attribute", "attribute": "a1", "entity": "e3"},
]


@pytest.mark.parametrize("body", TOUCHES_ADA, ids=lambda body: body["op"])
def test_a_pinned_entity_survives_every_mutation(store: Store, body: dict[str, object]) -> None:
    """Signet guarded merges of a pinned source only after its release."""
    apply(store, [{"op": "pin", "entity": "e1"}], actor="person")
    before = dump(store)
    assert codes(store, body) == [("skipped", "pinned")]
    assert dump(store) == before


@pytest.mark.parametrize("actor", ["pass", "host"])
@pytest.mark.parametrize("op", ops(), ids=lambda op: op.name)
def test_no_operation_there_is_changes_what_is_pinned_or_a_rule(store: Store, op: Op, actor: Actor) -> None:
    """Whichever is added: its own example, on a graph of which every entity is pinned, and every fact a constraint."""
    everybody = [{"op": "pin", "entity": f"e{number}"} for number in (1, 2, 3)]
    rules = [{"op": "mark_constraint", "attribute": f"a{number}"} for number in range(1, 7)]
    assert {outcome.code for outcome in apply(store, [*everybody, *rules], actor="person")} == {"ok"}
    safe = protected(store)
    apply(store, [dict(op.example)], actor=actor)
    assert violated(store, safe) == []


TOUCHES_CONSTRAINT = [
    {"op": "delete_entity", "name": "Ada"},
    {"op": "delete_aspect", "entity": "Ada", "aspect": "general"},
    {"op": "supersede_attribute", "old": "a1", "new": "likes coffee"},
    {"op": "delete_attribute", "content": "a1"},
    {"op": "split_entity", "entity": "e1", "name": "Eve", "attributes": ["a1"]},
    {"op": "merge_attributes", "source": ["a1"], "target": "a2"},
    {"op": "move_attribute", "attribute": "a1", "entity": "e3"},
]


@pytest.mark.parametrize("body", TOUCHES_CONSTRAINT, ids=lambda body: body["op"])
def test_a_constraint_survives_every_mutation(store: Store, body: dict[str, object]) -> None:
    """Signet lost constraints with their entity until a late guard."""
    apply(store, [{"op": "mark_constraint", "attribute": "a1"}], actor="person")
    before = dump(store)
    assert codes(store, body) == [("skipped", "constraint")]
    assert dump(store) == before


def test_merging_into_a_pinned_entity_adds_and_changes_nothing_that_was_there(store: Store) -> None:
    apply(store, [{"op": "pin", "entity": "e1"}], actor="person")
    assert codes(store, {"op": "merge_entities", "source": ["e2"], "target": "e1"}) == [("applied", "ok")]
    row = store.connection.execute("SELECT name, type, pinned, status FROM entity WHERE id = 1").fetchone()
    assert tuple(row) == ("Ada", "person", 1, "active")
    assert facts_of(store, "Ada") == {"likes tea", "lives in London", "engineer", "born in 1815"}


def test_facts_merged_into_a_pinned_entity_can_be_cleaned_in_the_same_pass_only(store: Store) -> None:
    apply(store, [{"op": "pin", "entity": "e1"}], actor="person")
    merge = {"op": "merge_entities", "source": ["e2"], "target": "e1"}
    assert codes(store, merge, {"op": "delete_attribute", "content": "a5"}) == [("applied", "ok")] * 2
    apply(store, [{"op": "restore", "row": "a5"}], actor="person")
    assert codes(store, {"op": "delete_attribute", "content": "a5"}) == [("skipped", "pinned")]


def test_supersede_checks_the_old_fact_before_it_writes_the_new_one(store: Store) -> None:
    """Signet #442: the new fact was written first, and hung there where the old one was not found."""
    assert codes(
        store, {"op": "supersede_attribute", "entity": "Ada", "old": "lives in Rome", "new": "lives in Oslo"}
    ) == [("failed", "not_found")]
    assert one(store, "SELECT count(*) FROM attribute") == 6


def test_flips_keep_all_three_facts(store: Store) -> None:
    """A hole of Signet's: words that were there in any status were not written again, so the third value was lost."""
    apply(store, [{"op": "supersede_attribute", "old": "a2", "new": "lives in Paris"}])
    apply(store, [{"op": "supersede_attribute", "entity": "Ada", "old": "lives in Paris", "new": "lives in London"}])
    rows = store.connection.execute(
        "SELECT content, status FROM attribute WHERE content LIKE 'lives%' ORDER BY id"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("lives in London", "superseded"),
        ("lives in Paris", "superseded"),
        ("lives in London", "active"),
    ]


def test_supersede_keeps_kind_importance_and_confidence(store: Store) -> None:
    """A hole of Signet's: the successor began with defaults."""
    apply(
        store, [{"op": "create_attribute", "entity": "Bo", "content": "rate 50", "importance": 0.9, "confidence": 0.3}]
    )
    apply(store, [{"op": "supersede_attribute", "entity": "Bo", "old": "rate 50", "new": "rate 60"}])
    row = store.connection.execute("SELECT importance, confidence FROM attribute WHERE content = 'rate 60'").fetchone()
    assert tuple(row) == (0.9, 0.3)


def test_an_inference_does_not_expire_what_the_user_said(store: Store) -> None:
    apply(store, [{"op": "create_attribute", "entity": "Bo", "content": "is left-handed"}], actor="person")
    assert codes(
        store, {"op": "supersede_attribute", "entity": "Bo", "old": "is left-handed", "new": "is right-handed"}
    ) == [("skipped", "authority")]
    assert "is right-handed" not in facts_of(store, "Bo")


def test_what_a_person_forgot_is_not_brought_back(store: Store) -> None:
    apply(store, [{"op": "delete_attribute", "content": "a6"}], actor="person")
    assert (
        codes(
            store,
            {"op": "create_attribute", "entity": "Bo", "content": "Plays chess."},
            {"op": "restore", "row": "a6"},
        )
        == [("skipped", "forgotten")] * 2
    )


def test_a_rewrite_that_loses_or_invents_is_refused_and_shields_its_sources(store: Store) -> None:
    apply(store, [entity("Cy", general=["was born on May 4 in Oslo", "was born in Oslo"])])
    assert codes(
        store,
        {"op": "merge_attributes", "source": ["a7"], "target": "a8"},
        {"op": "delete_attribute", "content": "a7"},
        {"op": "merge_attributes", "source": ["a8"], "target": "a7", "content": "was born on May 4 in Oslo, Norway"},
        {"op": "merge_attributes", "source": ["a8"], "target": "a7"},
    ) == [("skipped", "coverage"), ("skipped", "shielded"), ("skipped", "grounding"), ("applied", "ok")]


def test_what_changed_since_it_was_proposed_fails_alone(store: Store) -> None:
    apply(store, [{"op": "rename_entity", "entity": "e3", "name": "Bob"}], actor="person")
    assert codes(
        store, {"op": "retype_entity", "entity": "e3", "type": "dog"}, {"op": "retype_entity", "entity": "e1", "type": "poet"},
        seen_version=1,
    ) == [("failed", "stale"), ("applied", "ok")]  # fmt: skip


def test_entities_judged_distinct_are_not_merged_by_a_pass_but_by_a_person(store: Store) -> None:
    apply(store, [{"op": "mark_distinct", "first": "e1", "second": "e2"}], actor="person")
    merge = {"op": "merge_entities", "source": ["e2"], "target": "e1"}
    assert codes(store, merge) == [("skipped", "distinct")]
    assert codes(store, merge, actor="person") == [("applied", "ok")]


def test_a_verdict_outlives_a_merge(store: Store) -> None:
    apply(store, [entity("Ada L."), {"op": "mark_distinct", "first": "e2", "second": "e3"}])
    apply(store, [{"op": "merge_entities", "source": ["e2"], "target": "e4"}])
    assert codes(store, {"op": "merge_entities", "source": ["e3"], "target": "e4"}) == [("skipped", "distinct")]


def test_a_split_takes_the_history_along_and_is_remembered(store: Store) -> None:
    apply(store, [{"op": "merge_entities", "source": ["e2"], "target": "e1"}])
    apply(store, [{"op": "supersede_attribute", "old": "a5", "new": "born in 1816"}])
    split = {
        "op": "split_entity",
        "entity": "e1",
        "name": "Ada Byron",
        "attributes": ["a7"],
        "aliases": ["Ada Lovelace"],
    }
    assert codes(store, split) == [("applied", "ok")]
    assert facts_of(store, "Ada Byron") == {"born in 1816"}
    assert facts_of(store, "Ada Byron", "superseded") == {"born in 1815"}
    assert codes(store, {"op": "merge_entities", "source": ["e4"], "target": "e1"}) == [("skipped", "distinct")]


def test_names_that_fit_several_entities_are_an_error_that_lists_them(store: Store) -> None:
    """A hole of Signet's: one of them was taken, whichever came first."""
    apply(store, [{"op": "rename_entity", "entity": "e3", "name": "ADA"}], actor="person")
    outcome = apply(store, [{"op": "delete_entity", "name": "ada"}])[0]
    assert (outcome.status, outcome.code) == ("failed", "ambiguous")
    assert "e1, e3" in outcome.message


def test_one_bad_mutation_blocks_no_other_and_each_has_an_outcome(store: Store) -> None:
    """Between two versions of Signet's, malformed mutations were lost without a count."""
    bodies = [
        {"op": "nonsense"},
        {"op": "delete_attribute", "content": "a999"},
        {"op": "merge_entities", "source": ["e1"], "target": "e1"},
        {"op": "create_attribute", "entity": "Bo", "content": "   "},
        {"op": "create_attribute", "entity": "Bo", "content": "sings"},
    ]
    assert codes(store, *bodies) == [
        ("failed", "invalid"), ("failed", "not_found"), ("failed", "invalid"), ("failed", "invalid"), ("applied", "ok"),
    ]  # fmt: skip
    logged = mutations_of(store.connection, 2)
    assert [item["status"] for item in logged] == ["failed"] * 4 + ["applied"]
    assert all(item["message"] for item in logged)


def test_update_aspect_adds_and_replaces_nothing(store: Store) -> None:
    """Signet #442: it was taken for a replacement."""
    body = {"op": "update_aspect", "entity": "Bo", "aspect": "general", "attributes": [{"content": "paints"}]}
    assert codes(store, body) == [("applied", "ok")]
    assert facts_of(store, "Bo") == {"plays chess", "paints"}


def test_a_known_fact_is_reinforced_by_a_new_session_once(store: Store) -> None:
    body = {"op": "create_attribute", "entity": "Bo", "content": "Plays chess", "session": "s1", "turns": ["t1", "t2"]}
    assert codes(store, body, body) == [("applied", "reinforced"), ("skipped", "nothing_to_do")]
    assert one(store, "SELECT reinforcement FROM attribute WHERE id = 6") == 2
    assert one(store, "SELECT count(*) FROM evidence WHERE attribute_id = 6") == 2


def test_the_loss_cap_stops_deletes_and_nothing_else(store: Store) -> None:
    deletes = [{"op": "delete_attribute", "content": f"a{number}"} for number in (1, 2, 6)]
    assert [code for _, code in codes(store, *deletes, entity("Di", general=["x y"]), archive_cap=2)] == [
        "ok",
        "ok",
        "over_cap",
        "ok",
    ]


def test_an_archived_entity_comes_back_with_what_was_archived_with_it(store: Store) -> None:
    before = dump(store)
    apply(store, [{"op": "delete_attribute", "content": "a2"}])
    apply(store, [{"op": "delete_entity", "name": "Ada"}])
    assert facts_of(store, "Ada") == set()
    apply(store, [{"op": "restore", "row": "e1"}])
    assert facts_of(store, "Ada") == {"likes tea", "engineer"}
    apply(store, [{"op": "restore", "row": "a2"}])
    assert dump(store) == before


def test_only_a_person_pins_and_makes_constraints(store: Store) -> None:
    assert (
        codes(
            store,
            {"op": "pin", "entity": "e1"},
            {"op": "mark_constraint", "attribute": "a1"},
            {"op": "create_attribute", "entity": "Bo", "content": "never call", "kind": "constraint"},
            {"op": "decay", "attribute": "a1", "importance": 0.1},
        )
        == [("skipped", "reserved")] * 4
    )


def test_contradictions_stay_until_they_are_settled(store: Store) -> None:
    apply(store, [{"op": "create_attribute", "entity": "Ada", "content": "lives in Rome"}])
    flag = {"op": "flag_contradiction", "first": "a2", "second": "a7", "slot": "home"}
    assert codes(store, flag, flag) == [("applied", "ok"), ("skipped", "nothing_to_do")]
    assert facts_of(store, "Ada") >= {"lives in London", "lives in Rome"}
    assert codes(store, {"op": "resolve_contradiction", "first": "a7", "second": "a2", "keep": "a7"}) == [
        ("applied", "ok")
    ]
    assert one(store, "SELECT status FROM contradiction") == "resolved"
    assert one(store, "SELECT superseded_by FROM attribute WHERE id = 2") == 7


def test_the_journal_holds_every_changed_column_before_and_after(store: Store) -> None:
    apply(store, [{"op": "retype_entity", "entity": "e2", "type": "person"}])
    row = store.connection.execute("SELECT op, diff FROM change ORDER BY id DESC LIMIT 1").fetchone()
    assert (row["op"], json.loads(row["diff"])) == ("~", {str(ENTITY.place("type")): ["unknown", "person"]})


def test_verdicts_are_read_once_a_pass_however_many_merges_it_has(store: Store) -> None:
    """Each merge read every rejection, so a pass after a large undo took the square of its merges."""
    doubles = range(20)
    apply(store, [entity(f"Person {n}") for n in doubles] + [entity(f"Person {n}, again") for n in doubles])
    merges = [{"op": "merge_entities", "source": [f"e{24 + n}"], "target": f"e{4 + n}"} for n in doubles]
    assert codes(store, *merges) == [("applied", "ok")] * len(merges)
    undo(store, 3)
    asked: list[str] = []
    store.connection.set_trace_callback(
        lambda sql: asked.append(sql) if "first_id" in sql and "FROM rejection" in sql else None
    )
    others = [{"op": "merge_entities", "source": [f"e{24 + n}"], "target": f"e{4 + (n + 1) % 20}"} for n in doubles]
    assert codes(store, *others, *merges)[:20] == [("applied", "ok")] * 20
    store.connection.set_trace_callback(None)
    assert len(asked) == 1


# ---------------------------------------------------------------------- fold


def test_facts_in_the_very_same_words_are_folded_by_the_host_and_by_nobody_else(store: Store) -> None:
    apply(store, [entity("Cy", general=["plays  chess"]), entity("Di", general=["plays go"])])
    apply(store, [{"op": "move_attribute", "attribute": f"a{number}", "entity": "e3"} for number in (7, 8)])
    before = dump(store)
    fold = {"op": "fold", "source": ["a7"], "target": "a6"}
    assert codes(store, fold, actor="pass") == [("skipped", "reserved")]
    assert codes(store, {**fold, "source": ["a8"]}, actor="host") == [("failed", "invalid")]
    assert dump(store) == before
    assert codes(store, fold, actor="host") == [("applied", "ok")]
    assert one(store, "SELECT absorbed_into FROM attribute WHERE id = 7") == 6
    assert one(store, "SELECT content FROM attribute WHERE id = 6") == "plays chess"
