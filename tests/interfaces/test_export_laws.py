"""For any graph: an export imports as the same graph, whatever became of its rows, and tells of each exactly once."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.graph.fulltext import index_faults
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, LINK
from graphdream.interfaces.exporters import export_graph
from graphdream.interfaces.importers import import_lines
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo

OpenStore = Callable[[Path], Store]
Line = dict[str, Any]

texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=12).map(
    lambda text: text + "x"  # never blank
)
scores = st.one_of(st.sampled_from([0.5, 0.8, 0, 1]), st.floats(0, 1))
times = st.one_of(st.none(), st.datetimes().map(lambda moment: moment.isoformat() + "Z"))
flags = st.booleans()
keys = st.lists(st.sampled_from(["s1", "s2", "s3"]), max_size=2)
fates = st.sampled_from(["active"] * 3 + ["into", "removed", "superseded"])


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Line]:
    """Any subset of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def graphs(draw: st.DrawFn) -> list[Line]:
    """Lines of a small graph in which rows have ended in every way there is."""

    def fated(kind: str, line: Line, earlier: list[str]) -> Line:
        """Let a row end, in one that came before it, so that no chain goes round."""
        fate = draw(fates)
        line = {"kind": kind, **line}
        if fate == "into" and earlier:
            line["into"] = draw(st.sampled_from(earlier))
        elif fate == "removed":
            line["removed"] = draw(st.sampled_from(["junk", "duplicate", "archived", "stale"]))
        elif fate == "superseded" and kind == "attribute":
            line["status"] = "superseded"
            if earlier and draw(flags):
                line["superseded_by"] = draw(st.sampled_from(earlier))
        if fate != "active" and draw(flags):
            line["status_reason"] = draw(texts)
        return line

    lines: list[Line] = [{"kind": "session", "id": "s1", "started_at": draw(times), "recorded_at": "2025-01-01"}]
    entities = [f"e{n}" for n in range(draw(st.integers(1, 5)))]
    extra = optional(
        type=texts, pinned=flags, importance=scores, mentions=st.integers(0, 9), created_at=times, updated_at=times,
        session_ids=keys, derived=flags, metadata=st.dictionaries(texts, st.lists(st.none() | st.floats(-9, 9))),
    )  # fmt: skip
    for n, uid in enumerate(entities):
        lines.append(fated("entity", {"id": uid, "name": draw(texts), **draw(extra)}, entities[:n]))
    some_entity = st.sampled_from(entities)
    aspects = [(f"p{n}", draw(some_entity)) for n in range(draw(st.integers(1, 4)))]
    extra = optional(weight=scores, created_at=times)
    for n, (uid, owner) in enumerate(aspects):
        line = {"id": uid, "entity_id": owner, "name": draw(st.sampled_from(["general", "General:", "work"]))}
        lines.append(fated("aspect", {**line, **draw(extra)}, [uid for uid, _ in aspects[:n]]))
    facts = [f"a{n}" for n in range(draw(st.integers(0, 5)))]
    extra = optional(
        attribute_kind=st.sampled_from(["attribute", "constraint"]), confidence=scores, created_at=times,
        updated_at=times, session_id=st.sampled_from(["s1", "s9"]), source=texts, slot=texts, tags=st.lists(texts),
        authority=st.sampled_from(["user", "observed", "inferred", "imported"]), reinforcement=st.integers(0, 9),
        importance=scores, valid_from=st.sampled_from(["2025", "2025-02", "2025-02-28"]), valid_to=times,
        time_precision=texts, derived=flags,
    )  # fmt: skip
    for n, uid in enumerate(facts):
        aspect, owner = draw(st.sampled_from(aspects))
        line = {"id": uid, "entity_id": owner, "aspect_id": aspect, "content": draw(texts), **draw(extra)}
        lines.append(fated("attribute", line, facts[:n]))
    links = [f"l{n}" for n in range(draw(st.integers(0, 5)))]
    extra = optional(
        strength=scores, confidence=scores, reason=texts, created_at=times, updated_at=times, derived=flags,
        reinforcement=st.integers(0, 9), dangling=flags, session_id=st.sampled_from(["s1", "s9"]),
    )  # fmt: skip
    for n, uid in enumerate(links):
        target = draw(st.one_of(some_entity, st.sampled_from(["nobody", None, ""])))
        line = {"id": uid, "source_id": draw(some_entity), "target_id": target, "type": draw(st.sampled_from("kw"))}
        lines.append(fated("edge", {**line, **draw(extra)}, links[:n]))
    lines += draw(st.lists(st.builds(alias, some_entity, texts), max_size=3, unique_by=json.dumps))
    if facts:
        some_fact = st.sampled_from(facts)
        lines += draw(st.lists(st.builds(mention, some_fact, some_entity), max_size=3, unique_by=json.dumps))
        lines += draw(
            st.lists(st.builds(evidence, some_fact, st.sampled_from(["s1", "s2"])), max_size=3, unique_by=json.dumps)
        )
    lines += pairs(draw, "distinct", entities) + pairs(draw, "contradiction", facts)
    return lines


def alias(entity: str, name: str) -> Line:
    return {"kind": "alias", "entity_id": entity, "name": name}


def mention(fact: str, entity: str) -> Line:
    return {"kind": "mention", "attribute_id": fact, "entity_id": entity}


def evidence(fact: str, session: str) -> Line:
    return {"kind": "evidence", "attribute_id": fact, "session_id": session}


def pairs(draw: st.DrawFn, kind: str, ids: list[str]) -> list[Line]:
    every = [(first, second) for n, first in enumerate(ids) for second in ids[:n]]
    chosen = draw(st.lists(st.sampled_from(every), max_size=2, unique=True)) if every else []
    return [{"kind": kind, "first_id": first, "second_id": second} for first, second in chosen]


def clock() -> str:
    return "2026-01-01T00:00:00Z"


def exported(store: Store) -> str:
    out = io.StringIO()
    export_graph(store, out)
    return out.getvalue()


def import_into(blank_store: OpenStore, folder: str, name: str, lines: list[Line]) -> Store:
    store = blank_store(Path(folder) / name)
    import_lines(store, lines, source="test", clock=clock)
    return store


@settings(max_examples=30)
@given(lines=graphs(), seed=st.integers(0, 2**16))
def test_an_export_imports_as_the_same_graph(blank_store: OpenStore, lines: list[Line], seed: int) -> None:
    with TemporaryDirectory() as folder:
        first = import_into(blank_store, folder, "first.db", lines)
        text = exported(first)
        again = parsed(text)
        second = import_into(blank_store, folder, "second.db", again)
        assert exported(second) == text
        assert not index_faults(second.connection)
        random.Random(seed).shuffle(again)
        third = import_into(blank_store, folder, "third.db", again)
        assert sorted(exported(third).split("\n")) == sorted(text.split("\n"))
        for store in (first, second, third):
            store.close()


def parsed(text: str) -> list[Line]:
    """Lines end at a line feed alone; a text may hold other characters that Python takes for the end of one."""
    return [json.loads(line) for line in text.split("\n") if line]


@settings(max_examples=30)
@given(lines=graphs())
def test_every_id_is_found_exactly_once(blank_store: OpenStore, lines: list[Line]) -> None:
    with TemporaryDirectory() as folder:
        store = import_into(blank_store, folder, "first.db", lines)
        found: Counter[tuple[str, str]] = Counter()
        for line in parsed(exported(store)):
            kind = line["kind"]
            if kind in ("entity", "aspect", "attribute", "edge"):
                absorbed = [] if "removed" in line else line.get("absorbed", [])
                found.update((kind, uid) for uid in [line["id"], *absorbed])
        store.close()
    there = Counter(
        (line["kind"], line["id"]) for line in lines if line["kind"] in ("entity", "aspect", "attribute", "edge")
    )
    assert found == there


@settings(max_examples=20)
@given(lines=graphs(), data=st.data())
def test_an_undone_pass_leaves_no_trace_and_a_changed_graph_makes_the_round_trip(
    blank_store: OpenStore, lines: list[Line], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        store = import_into(blank_store, folder, "first.db", lines)
        before = exported(store)
        with open_pass(store, PassHeader("dream"), clock=clock) as current:
            for table in (ENTITY, ASPECT, ATTRIBUTE, LINK):
                rows = store.connection.execute(f"SELECT id FROM {table.name} WHERE status = 'active'").fetchall()
                for row in rows:
                    if data.draw(st.booleans()):
                        store.connection.execute(
                            f"UPDATE {table.name} SET status = 'archived', status_reason = ?, version = ? WHERE id = ?",
                            (data.draw(st.sampled_from(["", "archived", "junk"])), current.id, row[0]),
                        )
        after = exported(store)
        second = import_into(blank_store, folder, "second.db", parsed(after))
        assert exported(second) == after
        if after != before:
            undo(store, current.id, clock=clock)
        assert exported(store) == before
        store.close()
        second.close()
