"""What a model calls things: names, aliases, types, aspects and kinds of links stand on something, as facts do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.judge import foresee
from graphdream.events.counter import mark_read
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.mutations.parse import parse_trusted
from tests.support.graphs import NOW, apply, clock, codes, entity

ENGLISH = (
    "Ingrid Solberg moved to Tromso in May. Her new flat is on Skolegata, near the kitchen of cafe Verdensteatret."
)
GERMAN = "Jonas Ehlert ist nach Husum gezogen. Seine neue Wohnung liegt in der Deichstraße, und er renoviert die Küche."
CHINESE = "林晓雨搬到了成都。她在锦江区租了一套公寓,打算夏天去挪威旅游,并在星河科技上班。"
TOLD = {"en": ENGLISH, "de": GERMAN, "zh": CHINESE}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """As `filled`, to be changed."""
    with Store.open(tmp_path / "memory.db") as store:
        fill(store)
        yield store


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that no test changes."""
    path = tmp_path_factory.mktemp("called") / "memory.db"
    with Store.open(path) as store:
        fill(store)
    return path


def fill(store: Store) -> None:
    """Otto (e1), of whom a session once spoke, and Ilse (e2), his neighbour; a session in each language is not read."""
    apply(store, [
        entity("Otto", "person", general=["Otto Brandt grows quinces in Lund"], home=["Otto lives by the canal"]),
        entity("Ilse", "person", work=["Ilse repairs organs"]),
        {"op": "link", "source": "e1", "target": "e2", "type": "neighbour of Unit 7"},
    ])  # fmt: skip
    for key, text in TOLD.items():
        record(store, key, summary=text, started_at="2026-05-20T10:00:00Z", clock=clock)


def made(name: str, kind: str = "unknown", aspect: str = "", session: str = "", content: str = "") -> dict[str, Any]:
    aspects = [{"name": aspect, "attributes": [{"content": content, "session": session}] if content else []}]
    return {"op": "create_entity", "name": name, "type": kind, "aspects": aspects if aspect else []}


def said_of(who: str, aspect: str, session: str = "") -> dict[str, Any]:
    fact = "grows quinces, told once more"
    return {"op": "create_attribute", "entity": who, "aspect": aspect, "content": fact, "session": session}


def renamed(name: str) -> dict[str, Any]:
    return {"op": "rename_entity", "entity": "e1", "name": name}


def alias(name: str) -> dict[str, Any]:
    return {"op": "add_alias", "entity": "e1", "name": name}


def link(kind: str) -> dict[str, Any]:
    return {"op": "link", "source": "e2", "target": "e1", "type": kind}


def split(name: str, kind: str = "") -> dict[str, Any]:
    return {"op": "split_entity", "entity": "e1", "name": name, "type": kind, "attributes": ["a1"]}


INVENTED = [
    made("Quorvex Dynamics 7700", "company"),
    made("Quorvex", "company"),
    made("Wellington", "person"),
    made("Ingrid Solberg Bonaparte", "person"),
    made("Quorvex-Werke GmbH", "company"),
    made("Feldmarschall Radetzky", "person"),
    made("佐伦特斯集团", "company"),
    made("拿破仑", "person"),
    made("星河科技 8800", "company"),
    made("Ingrid Solberg", "moon 61 of Saturn"),
    made("Ingrid Solberg", "person", "castle with 40 towers"),
    made("Ingrid Solberg", "person", "home", "en", "moved to Tromso") | {"type": "agent of Moskva"},
    made("Tromso 2"),
    made("Tromso 2026-11"),
    alias("Captain Thunder 88"),
    alias("Captain Thunder"),
    alias("Graf Zeppelin"),
    alias("雷霆队长"),
    renamed("Otto Lilienthal"),
    renamed("Otto Brandt 1848"),
    renamed("奥托大帝"),
    {"op": "retype_entity", "entity": "e1", "type": "smuggler since 1971"},
    {"op": "retype_entity", "entity": "e1", "type": "Schmuggler seit 1971"},
    {"op": "retype_entity", "entity": "e1", "type": "1971年以来的走私者"},
    {"op": "retype_entity", "entity": "e1", "type": "consul in Zanzibar"},
    link("owes 250 crowns to"),
    link("OWES_250_CROWNS_TO"),
    link("schuldet 250 Kronen"),
    link("欠250克朗"),
    link("met in Zanzibar with"),
    split("Wellington 1815"),
    split("Wellington"),
    split("Otto Brandt", "type 9000 machine"),
    said_of("e1", "castle with 40 towers in Zanzibar"),
    said_of("e1", "villa in Zanzibar"),
    said_of("e1", "Schloss mit 40 Zimmern"),
    said_of("e1", "Schloss mit 40 Zimmern", "de"),
    said_of("e1", "有40座塔楼的城堡", "zh"),
    said_of("e1", "有40座塔楼的城堡"),
    {"op": "update_aspect", "entity": "e1", "aspect": "tower 40", "attributes": [{"content": "Otto is well"}]},
    {"op": "move_attribute", "attribute": "a1", "aspect": "tower 40"},
    {"op": "merge_aspects", "entity": "e1", "source": ["general"], "target": "tower 40"},
]

GROUNDED = [
    made("Ingrid Solberg", "person", "housing", "en", "moved to Tromso"),
    made("Skolegata", "street"),
    made("INGRID SOLBERG'S FLAT", "home"),
    made("Solberg, Ingrid", "person"),
    made("I. Solberg", "person"),
    made("Skole Gata"),
    made("Ingrid's move in May 2026", "event"),
    made("Tromso", "City", "Housing"),
    made("Verdensteatret Cafe", "Restaurant"),
    made("Tromso apartment", "Real Estate"),
    made("Tromso Relocation", "project", "Next Steps"),
    made("kitchen renovation", "topic"),
    made("Jonas Ehlert", "person", "Wohnsituation", "de", "ist nach Husum gezogen"),
    made("Deichstrasse", "Straße"),
    made("Wohnung in Husum", "Wohnung"),
    made("Küchenrenovierung", "Projekt", "Gesundheit und Ernährung"),
    made("Umzug nach Husum", "Ereignis"),
    made("林晓雨", "人物", "住房", "zh", "林晓雨搬到了成都"),
    made("星河科技", "公司"),
    made("挪威旅行", "计划"),
    made("成都公寓", "地点"),
    made("锦江区", "place"),
    made("user_preferences", "category"),
    alias("Otto Brandt"),
    alias("O. Brandt"),
    renamed("Otto Brandt"),
    renamed("Otto of Lund"),
    split("Brandt", "person"),
    split("Otto Brandt", "Organization"),
    *({"op": "retype_entity", "entity": "e1", "type": kind} for kind in (
        "place", "Organization", "software_project", "Person", "HR department", "园丁", "Gärtner", "friend from Lund")),
    *(link(kind) for kind in (
        "works_at", "WORKS_AT", "worksAt", "Works At", "neighbour of", "arbeitet bei", "邻居", "neighbour of Unit 7")),
    *(said_of("e1", aspect) for aspect in (
        "housing", "Health and Fitness", "work/projects", "likes & dislikes", "FAQ", "pets", "爱好", "garden in Lund",
        "Standups", "May plans")),
    said_of("e1", "Wohnsituation", "de"), said_of("e1", "Ernährung und Sport", "de"), said_of("e1", "住房情况", "zh"),
    {"op": "move_attribute", "attribute": "a1", "aspect": "gardening"},
    {"op": "merge_aspects", "entity": "e1", "source": ["general"], "target": "home"},
]  # fmt: skip


@pytest.mark.parametrize("body", INVENTED, ids=str)
def test_a_pass_calls_nothing_by_what_nothing_says(filled: Path, body: dict[str, Any]) -> None:
    (outcome,) = foresee(filled, parse_trusted([body]), now=NOW)
    assert (outcome.status, outcome.code) == ("skipped", "grounding"), outcome
    assert outcome.message.startswith("nothing that it rests on says ")


@pytest.mark.parametrize("body", GROUNDED, ids=str)
def test_what_is_said_or_is_a_plain_word_is_what_things_are_called(filled: Path, body: dict[str, Any]) -> None:
    (outcome,) = foresee(filled, parse_trusted([body]), now=NOW)
    assert outcome.status == "applied", outcome


def test_what_is_refused_changes_nothing(store: Store) -> None:
    before = store.graph_hash
    assert {outcome.code for outcome in apply(store, INVENTED, judged=True)} == {"grounding"}
    assert store.graph_hash == before


@pytest.mark.parametrize("name", ["佐伦" * 3_000, "mill " * 1_500 + "Quorvex", "Quorvex" * 900, "9 " * 4_000], ids=len)
def test_a_name_of_any_length_is_read_to_its_end_in_no_time(filled: Path, name: str) -> None:
    began = time.monotonic()
    (outcome,) = foresee(filled, parse_trusted([alias(name)]), now=NOW)
    assert outcome.code in ("grounding", "bad_name") and time.monotonic() - began < 10


def test_the_refusal_names_what_is_invented(store: Store) -> None:
    (outcome,) = apply(store, [made("Ingrid Quorvex 7700", "person")], judged=True)
    assert outcome.message == "nothing that it rests on says 7700, quorvex"


@pytest.mark.parametrize("actor", ["person", "host"])
@pytest.mark.parametrize(
    "body", [made("Quorvex 7700", "moon 61"), alias("Captain Thunder 88"), link("owes 250 to")], ids=str
)
def test_whoever_is_no_model_calls_things_as_they_like(store: Store, actor: Any, body: dict[str, Any]) -> None:
    (outcome,) = apply(store, [body], actor=actor, judged=True)
    assert outcome.status == "applied", outcome


def test_a_name_from_a_session_that_was_read_grounds_what_names_no_session(store: Store) -> None:
    """A model is shown again what it did not understand, and asked about entities whose sessions it has read."""
    (number,) = store.connection.execute("SELECT id FROM summary WHERE content = ?", (ENGLISH,)).fetchone()
    with store.writing():
        mark_read(store.connection, 1, [number])
    assert codes(store, made("Skolegata"), alias("Solberg"), judged=True) == [("applied", "ok")] * 2


def test_a_name_from_a_session_that_was_read_does_not_ground_what_rests_on_another_one(store: Store) -> None:
    (number,) = store.connection.execute("SELECT id FROM summary WHERE content = ?", (ENGLISH,)).fetchone()
    with store.writing():
        mark_read(store.connection, 1, [number])
    named = made("Skolegata", "street", "general", "de", "liegt in Husum")
    assert codes(store, named, judged=True) == [("skipped", "grounding")]


def test_what_a_dream_told_itself_grounds_no_name(store: Store) -> None:
    record(store, "dream-9", summary="Next time look at Quorvex.", clock=clock)
    with store.writing():
        store.connection.execute("UPDATE session SET kind = 'dream' WHERE key = 'dream-9'")
    assert codes(store, made("Quorvex"), judged=True) == [("skipped", "grounding")]


def test_whom_nobody_knows_is_not_found_whatever_they_are_called(store: Store) -> None:
    body = alias("Captain Thunder 88") | {"entity": "Nobody"}
    assert codes(store, body, judged=True) == [("failed", "not_found")]


def test_short_for_words_that_are_said(store: Store) -> None:
    record(store, "s9", summary="She joined the Institute of Marine Research.", clock=clock)
    assert codes(store, made("IMR", "institute"), made("XQR", "institute"), judged=True) == [
        ("applied", "ok"), ("skipped", "grounding"),
    ]  # fmt: skip


def test_a_label_that_the_memory_uses_already_is_no_news(store: Store) -> None:
    apply(store, [said_of("e2", "Quorvex 7700")])
    assert codes(store, said_of("e1", "Quorvex 7700"), said_of("e1", "Quorvex 7701"), judged=True) == [
        ("applied", "ok"), ("skipped", "grounding"),
    ]  # fmt: skip


def test_an_aspect_that_is_only_looked_for_is_not_found(store: Store) -> None:
    body = {"op": "delete_aspect", "entity": "e1", "aspect": "tower 40"}
    assert codes(store, body, judged=True) == [("failed", "not_found")]
