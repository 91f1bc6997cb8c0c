"""Names as sentences have them: first names, genitives, titles, articles, adjectives, and cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.dreamers.gathered import Home
from graphdream.dreamers.reading.gist import gist_of
from graphdream.dreamers.reading.homes import home_of
from graphdream.graph.categories import Place


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    with graphdream.open(tmp_path / "memory.db") as graph:
        yield graph


def _told(graph: graphdream.Graph, *summaries: str) -> list[tuple[str, str]]:
    """The facts of sessions that are read day after day: of whom each is, and its text."""
    for day, summary in enumerate(summaries, 1):
        graph.record_session(f"s{day}", summary=summary, ended_at=f"2026-05-{day:02}T18:00:00Z")
        graph.dream()
    rows = graph.store.connection.execute(
        "SELECT entity.name, content FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = aspect.entity_id ORDER BY attribute.id"
    )
    return [(row[0], row[1]) for row in rows]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Gesine Overkamp leitet die Gärtnerei.", "Gesine arbeitet montags nicht."),
        ("Gesine Overkamp leitet die Gärtnerei.", "Gesines Schwester Imke übernimmt die Kasse."),
        ("Gesine Overkamp runs the nursery.", "Gesine's sister Imke takes over the till."),
        ("Gesine Overkamp leder gartneriet og bor i Odense.", "Gesines søster overtager kassen i maj."),
    ],
)
def test_a_first_name_means_who_bears_it_in_the_memory(graph: graphdream.Graph, first: str, then: str) -> None:
    assert _told(graph, first, then) == [("Gesine Overkamp", first), ("Gesine Overkamp", then)]


def test_a_first_name_of_two_means_neither(graph: graphdream.Graph) -> None:
    told = _told(graph, "Gesine Overkamp leitet die Gärtnerei.", "Gesine Wiechert leitet das Lager.", "Gesine mag Tee.")
    assert "Gesine Overkamp" not in [name for name, text in told if text == "Gesine mag Tee."]
    assert "Gesine Wiechert" not in [name for name, text in told if text == "Gesine mag Tee."]


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Benno Stark führt das Gasthaus am Hafen.", "Benno Stark"),  # an adjective has no capital within
        ("May Quill buys 12 jars every month. May Quill now pays 4 pounds for one.", "May Quill"),
    ],
)
def test_a_word_of_the_language_is_part_of_a_name(graph: graphdream.Graph, sentence: str, name: str) -> None:
    assert {found for found, _ in _told(graph, sentence)} == {name}


def test_what_a_folder_says_beside_a_name_is_no_home_of_whom_it_names() -> None:
    sentence, name = "Thiesmar fixed the gangway before the storm.", "Thiesmar"
    gist = gist_of(sentence, "en", name)
    assert gist is not None
    places = [Place("category", "general", "general"), Place("unknown", "Harbour", "crew")]
    found = [home_of(sentence, {gist: Home(1, place)}, "en", name) for place in places]
    assert [home.place if home is not None else None for home in found] == [None, places[1]]


@pytest.mark.parametrize("then", ["Jonas arbeitet in Uelzen.", "Jonas Wiechert arbeitet in Uelzen."])
def test_a_name_with_the_ending_of_a_genitive_is_none(graph: graphdream.Graph, then: str) -> None:
    told = _told(graph, "Jona Overkamp leitet die Gärtnerei.", then)
    assert ("Jona Overkamp", then) not in told


def test_a_noun_that_opens_a_whole_name_is_not_who_bears_it(graph: graphdream.Graph) -> None:
    told = _told(graph, "Castle Hotel orders 60 rolls.", "Castle walls are cold in winter.")
    assert told == [("Castle Hotel", "Castle Hotel orders 60 rolls.")]


def test_who_is_named_in_a_fact_of_another_is_somebody(graph: graphdream.Graph) -> None:
    """What Imke did had been filed under Gesine, whose fact was the only one to name her."""
    told = _told(graph, "Gesine Overkamp runs the nursery.", "Gesine's niece Imkea waters it.", "Imkea lives in Emden.")
    assert told[-1] == ("Imkea", "Imkea lives in Emden.")


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Frau Teschke bestellt jeden Monat vier Stühle.", "Frau Teschke"),
        ("Monsieur Quéméner répare le camion.", "Monsieur Quéméner"),
        ("El señor Arrieta arregla la impresora.", "Arrieta"),
        ("O senhor Quaresma conserta a impressora.", "Quaresma"),
        ("El Hotel Urquijo encarga 30 guías cada mes.", "Hotel Urquijo"),
        ("L'Hôtel du Port commande 12 meules chaque mois.", "Hôtel du Port"),
        ("А Тимур работает в Туле.", "Тимур"),
    ],
)
def test_a_name_has_its_title_and_not_its_article(graph: graphdream.Graph, sentence: str, name: str) -> None:
    assert _told(graph, sentence) == [(name, sentence)]


@pytest.mark.parametrize(
    "sentence",
    ["У Тимура аллергия на орехи.", "Когда Тимур приехал, шёл снег.", "Муфельная печь сломалась вчера."],
)
def test_another_case_a_clause_and_an_adjective_name_nobody(graph: graphdream.Graph, sentence: str) -> None:
    """They had become the entities `Тимура`, `Когда Тимур` and `Муфельная`."""
    assert _told(graph, sentence) == []


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Jannik Osterloh ist der neue Lehrling.", "Er kommt aus Itzehoe."),
        ("Corentin Le Goff est le nouvel apprenti.", "Il habite à Auray."),
        ("Тимур Гараев — новый ученик.", "Он живёт в Алексине."),
    ],
)
def test_who_somebody_is_said_to_be_is_nobody_else(graph: graphdream.Graph, first: str, then: str) -> None:
    name = first[: first.index("Le Goff") + 7] if "Le Goff" in first else " ".join(first.split()[:2])
    assert _told(graph, f"{first} {then}") == [(name, first), (name, then)]


@pytest.mark.parametrize(
    "told",
    [
        "Maëlle est la patronne de la fromagerie. Elle ouvre à 8 h.",  # the dairy may be `elle`
        "Jannik Osterloh ist Annas Lehrling. Er kommt aus Itzehoe.",
    ],
)
def test_a_thing_beside_what_somebody_is_may_be_meant(graph: graphdream.Graph, told: str) -> None:
    assert [text for _, text in _told(graph, told) if text.startswith(("Elle", "Er"))] == []
