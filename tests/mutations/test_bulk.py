"""A run of mutations carried out in memory ends exactly as its mutations one by one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.graph.nameindex import name_index_faults
from graphdream.graph.names import text_digest
from graphdream.graph.rows import insert
from graphdream.graph.store import Store
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    CONTRADICTION,
    DISTINCT_PAIR,
    ENTITY,
    EVIDENCE,
    LINK,
    MENTION,
)
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations import bulk, model
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Actor, Applying
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.parse import parse_trusted
from support.graphs import NOW, clock, dump

ENTITIES, ASPECTS, FACTS, LINKS = 7, 10, 14, 9
WORDS = ("likes tea", "Likes tea.", "lives in Rome", "moved to Oslo in 2019", "owns 3 boats")
NAMES = ("general", "work")

Body = dict[str, Any]
Draw = st.DrawFn


def _handles(letter: str, count: int) -> st.SearchStrategy[str]:
    """Handles of rows that are there, the first ones more often, and now and then of one that is not."""
    number = st.one_of(st.integers(1, 4), st.integers(1, count), st.integers(1, count), st.integers(1, count + 1))
    return number.map(lambda one: f"{letter}{one}")


e, a, s, link = (_handles(*pair) for pair in (("e", ENTITIES), ("a", FACTS), ("s", ASPECTS), ("l", LINKS)))


def _few(one: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(one, min_size=1, max_size=2)


def _op(name: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Body]:
    return st.fixed_dictionaries({"op": st.just(name), **fields})


words, names = st.sampled_from(WORDS), st.sampled_from(NAMES)
in_memory = st.one_of(
    _op("merge_entities", source=_few(e), target=e),
    _op("merge_entities", source=_few(e), target=e, reason=words),
    _op("delete_entity", name=e),
    _op("delete_aspect", entity=e, aspect=names),
    _op("merge_attributes", source=_few(a), target=a),
    _op("merge_attributes", source=_few(a), target=a, content=words),
    _op("supersede_attribute", old=a, new=a, slot=st.sampled_from(("", "home"))),
    _op("delete_attribute", content=a),
    _op("move_attribute", attribute=a, entity=st.one_of(st.just(""), e), aspect=st.sampled_from(("", *NAMES, "home"))),
    _op("flag_contradiction", first=a, second=a),
    _op("unlink", link=link),
    _op("merge_links", source=_few(link), target=link),
)
one_by_one = st.one_of(
    _op("merge_entities", source=st.just(["person 1"]), target=e),
    _op("create_attribute", entity=e, aspect=names, content=words),
    _op("supersede_attribute", entity=e, old=words, new=words),
    _op("restore", row=st.one_of(e, a, s, link)),
    _op("move_attribute", attribute=a, entity=st.just("person 2")),
    _op("link", source=e, target=e, type=st.just("knows")),
    _op("split_entity", entity=e, name=st.just("Person 9"), attributes=_few(a)),
    _op("merge_aspects", entity=e, source=_few(names), target=names),
    _op("resolve_contradiction", first=a, second=a, keep=a),
    _op("rename_entity", entity=e, name=st.sampled_from(("Person 2", "Person 8"))),
    _op("nonsense"),
)
plans = st.lists(st.one_of(in_memory, in_memory, in_memory, one_by_one), min_size=1, max_size=25)


@st.composite
def graphs(draw: Draw) -> list[tuple[Any, dict[str, Any]]]:
    """Rows of a small graph in which names, facts and links meet often."""
    number = {name: st.integers(1, most) for name, most in (("e", ENTITIES), ("s", ASPECTS), ("a", FACTS))}
    rows: list[tuple[Any, dict[str, Any]]] = []
    for n in range(1, ENTITIES + 1):
        name = f"Person {draw(st.integers(1, 4))}"
        pinned = int(draw(st.integers(0, 5)) == 5)
        seen = draw(st.sampled_from((None, "2026-01-02T00:00:00Z", "2026-01-05T00:00:00Z")))
        rows.append(
            (ENTITY, {"name": name, "canonical": name.lower(), "pinned": pinned, "mentions": n, "last_seen": seen})
        )
    for entity, name in draw(st.sets(st.tuples(number["e"], names), min_size=ASPECTS, max_size=ASPECTS)):
        rows.append((ASPECT, {"entity_id": entity, "name": name, "canonical": name}))
    for _ in range(FACTS):
        content = draw(words)
        rows.append(
            (
                ATTRIBUTE,
                {
                    "aspect_id": draw(st.one_of(st.integers(1, 3), number["s"])), "content": content, "digest": text_digest(content),
                    "kind": draw(st.sampled_from(("attribute",) * 9 + ("constraint",))),
                    "status": draw(st.sampled_from(("active",) * 8 + ("superseded", "archived"))),
                    "authority": draw(st.sampled_from(("user", "observed"))), "derived": draw(st.integers(0, 1)),
                    "confidence": draw(st.sampled_from((0.3, 0.8))), "tags": draw(st.sampled_from(("[]", '["x"]'))),
                },
            )
        )  # fmt: skip
    for source, target, kind, status in draw(
        st.lists(
            st.tuples(
                st.integers(1, 3), st.one_of(st.none(), st.integers(1, 4)), st.sampled_from(("knows", "likes")),
                st.sampled_from(("active", "active", "archived")),
            ),
            min_size=LINKS, max_size=LINKS, unique=True,
        )
    ):  # fmt: skip
        rows.append((LINK, {"source_id": source, "target_id": target, "type": kind, "status": status}))
    for entity, name in draw(st.sets(st.tuples(number["e"], st.sampled_from(("Person 3", "Pat"))), max_size=5)):
        rows.append((ALIAS, {"entity_id": entity, "name": name, "canonical": name.lower(), "source": "import"}))
    for fact, entity in draw(st.sets(st.tuples(number["a"], number["e"]), max_size=8)):
        rows.append((MENTION, {"attribute_id": fact, "entity_id": entity}))
    for fact, session in draw(st.sets(st.tuples(number["a"], st.sampled_from("xyz")), max_size=8)):
        rows.append((EVIDENCE, {"attribute_id": fact, "session_key": session}))
    for table, ids, most in ((DISTINCT_PAIR, number["e"], 2), (CONTRADICTION, number["a"], 3)):
        for first, second in sorted(draw(st.sets(st.tuples(ids, ids), max_size=most))):
            if first < second:
                rows.append((table, {"first_id": first, "second_id": second}))
    return rows


class _TwoFiles:
    """The same graph in two files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        Store.open(folder / "template.db").close()

    def written(self, graph: list[tuple[Any, dict[str, Any]]]) -> tuple[Path, Path]:
        self.number += 1  # another memory at the place of an old one would be told
        first, second = (self.folder / f"{name}{self.number}.db" for name in "ab")
        shutil.copy(self.folder / "template.db", first)
        with Store.open(first) as store, open_pass(store, PassHeader("import"), clock=clock):
            for table, values in graph:
                insert(store, table, **values)
        shutil.copy(first, second)
        return first, second


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_TwoFiles]:
    yield _TwoFiles(tmp_path_factory.mktemp("bulk"))


def _run(
    store: Store, plan: list[Body], fewest: int, actor: Actor, cap: int | None, without: frozenset[int] = frozenset()
) -> tuple[list[Outcome], set[int]]:
    proposals = parse_trusted(plan)
    with mock.patch.object(bulk, "FEWEST", fewest), open_pass(store, PassHeader("dream"), clock=clock) as current:
        applying = Applying(store, actor, NOW, seen_version=current.id - 1, derived=actor == "pass")
        outcomes = apply_proposals(applying, proposals, without=without, archive_cap=cap)
        record_outcomes(store.connection, current.id, proposals, outcomes)
    return outcomes, applying.shielded


def _state(store: Store, before: dict[str, list[tuple[Any, ...]]] | None = None) -> tuple[Any, ...]:
    """All that must be equal; with the rows of before, versions only of facts that are not as they were.

    A fact that was moved there and back has two changes one by one, and none together.
    """
    now = dump(store)
    as_before = {row[0] for row in set(now["attribute"]) & set((before or {}).get("attribute", ()))}
    sequence = store.connection.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name").fetchall()
    versions = store.connection.execute("SELECT id, version FROM attribute ORDER BY id").fetchall()
    newest = store.connection.execute("SELECT hash_after FROM pass ORDER BY id DESC LIMIT 1").fetchone()[0]
    return now, [tuple(row) for row in sequence], [tuple(row) for row in versions if row[0] not in as_before], newest


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    graph=graphs(),
    plan=plans,
    actor=st.sampled_from(("pass", "pass", "person")),
    cap=st.one_of(st.none(), st.integers(0, 6)),
    without=st.frozensets(st.integers(0, 24), max_size=2),
)
def test_together_is_one_by_one(
    files: _TwoFiles,
    graph: list[tuple[Any, dict[str, Any]]],
    plan: list[Body],
    actor: Actor,
    cap: int | None,
    without: frozenset[int],
) -> None:
    first, second = files.written(graph)
    with Store.open(first) as single, Store.open(second) as together:
        before = dump(together)
        expected = _run(single, plan, 10**9, actor, cap, without)
        assert _run(together, plan, 2, actor, cap, without) == expected
        assert _state(together, before) == _state(single, before)
        assert verify(together).ok, verify(together).as_text()
        assert name_index_faults(together.connection) == []
        undo(together, 2, clock=clock)
        assert dump(together) == before


@pytest.fixture
def pair(files: _TwoFiles) -> Iterator[tuple[Store, Store]]:
    """Two files with entities e1 to e4; a1 to a4 hang on e1, in aspect s1; l1 and l2 say the same from e1 to e2."""
    graph: list[tuple[Any, dict[str, Any]]] = [
        *((ENTITY, {"name": f"Person {n}", "canonical": f"person {n}"}) for n in range(1, 5)),
        (ASPECT, {"entity_id": 1, "name": "general", "canonical": "general"}),
        *((ATTRIBUTE, {"aspect_id": 1, "content": text, "digest": text_digest(text)}) for text in WORDS[:4]),
        (LINK, {"source_id": 1, "target_id": 2, "type": "knows", "strength": 0.2}),
        (LINK, {"source_id": 1, "target_id": 2, "type": "likes", "strength": 0.9}),
        (EVIDENCE, {"attribute_id": 2, "session_key": "s", "quote": "tea, please"}),
        (MENTION, {"attribute_id": 2, "entity_id": 3}),
    ]
    first, second = files.written(graph)
    with Store.open(first) as single, Store.open(second) as together:
        yield single, together


def test_every_kind_of_mutation_that_takes_part(pair: tuple[Store, Store]) -> None:
    plan: list[Body] = [
        {"op": "merge_attributes", "source": ["a2"], "target": "a1"},
        {"op": "flag_contradiction", "first": "a3", "second": "a4"},
        {"op": "move_attribute", "attribute": "a1", "aspect": "taste"},
        {"op": "supersede_attribute", "old": "a3", "new": "a4", "slot": "home"},
        {"op": "merge_links", "source": ["l2"], "target": "l1"},
        {"op": "unlink", "link": "l1"},
        {"op": "merge_entities", "source": ["e3", "e2"], "target": "e1"},
        {"op": "delete_attribute", "content": "a4"},
        {"op": "delete_aspect", "entity": "e1", "aspect": "General"},
        {"op": "delete_entity", "name": "e4"},
    ]
    single, together = pair
    expected, _ = _run(single, plan, 10**9, "pass", None)
    assert [outcome.code for outcome in expected] == ["ok"] * len(plan)
    with mock.patch.object(WorkingRows, "flush", autospec=True, side_effect=WorkingRows.flush) as flush:
        assert _run(together, plan, 2, "pass", None)[0] == expected
    assert flush.call_count == 1
    assert _state(together) == _state(single)


def test_each_row_is_written_once(pair: tuple[Store, Store]) -> None:
    plan: list[Body] = [
        {"op": "merge_entities", "source": ["e2"], "target": "e1"},
        {"op": "merge_entities", "source": ["e3"], "target": "e1"},
        {"op": "merge_entities", "source": ["e1"], "target": "e4"},
    ]
    _run(pair[1], plan, 2, "pass", None)
    repeated = (
        pair[1]
        .connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM change WHERE pass_id = 2 GROUP BY kind, row_id HAVING count(*) > 1)"
        )
        .fetchone()[0]
    )
    assert repeated == 0


def test_what_cannot_be_written_fails_alone(pair: tuple[Store, Store]) -> None:
    """Half a character has no UTF-8: the run is tried again in halves, until the one mutation is found."""
    proposals = [
        Proposal.of(model.DeleteAttribute(content="a1")),
        Proposal.of(model.DeleteAttribute(content="a2", reason="\ud800")),
        Proposal.of(model.MergeEntities(source=("e2",), target="e1")),
    ]
    codes = []
    for store, fewest in zip(pair, (10**9, 2), strict=True):
        with mock.patch.object(bulk, "FEWEST", fewest), open_pass(store, PassHeader("dream"), clock=clock):
            codes.append([outcome.code for outcome in apply_proposals(Applying(store, "pass", NOW), proposals)])
    assert codes == [["ok", "invalid", "ok"]] * 2
    assert _state(pair[1]) == _state(pair[0])
