"""A sentence that names nobody goes where the memory speaks of what opens it, if that is one place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphdream
from graphdream.dream.topics import homes_of
from graphdream.dreamers.gathered import Topic
from graphdream.dreamers.reading.topics import begins_with, is_heading, topics_in
from tests.support.notes import memory_of, place_of

NOTES = """# Station

## Kelp survey
- next dive: 3 February
- The drysuit zipper sticks
- anode stock low

## Crew
- Yusra (cook, on deck since May): allergic to latex
- Gardener: Pino, Tuesdays
- 14 divers, 2 cooks
- Brandvik: account 40112, at least 150 euros

## Boat
- Rent: 520 euros a month
- Status: in the yard
- stern light by Bergvik, lantern `otter`
- De motor loopt onrustig

## Lab
- Status: open
- La centrifuga è impostata su 900 giri
- Gauges need UTC
- Buoys from the old pier
- Freezer no. 3 hums
- Shed padlock: 6204
- Elavgift 2,10 kr per kWh
- Möte första tisdagen i månaden
- Kranen lyfter högst 6 ton

## Markt
- nächster Markt: 14. März
- Standgebühr 120 Euro
- Waage defekt
- Alarme : 5519
- Дедлайн отчёта: 5 марта
- Аренда 38 тысяч

## 仓库
- 租金：3200元
- 家賃: 520ユーロ
- 임대료: 520유로
"""


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """A memory of notes with headings."""
    with memory_of(NOTES, tmp_path) as graph:
        yield graph


def _place(graph: graphdream.Graph, text: str) -> str | None:
    place = place_of(graph, text)
    return place and place[1]


@pytest.mark.parametrize(
    ("told", "heading"),
    [
        ("The next dive was put off to 10 February.", "Kelp survey"),
        ("The drysuit zipper was repaired by Malo.", "Kelp survey"),
        ("The kelp survey now has 16 transects.", "Kelp survey"),
        ("Rent is 560 euros now.", "Boat"),
        ("The rent went up.", "Boat"),
        ("The zipper of the drysuit was oiled.", "Kelp survey"),
        ("The zipper of the tent was oiled.", None),
        ("Die Waage ist repariert.", "Markt"),
        ("The rent rises to 560 euros.", "Boat"),
        ("The tide table is on the wall.", None),
        ("Yusra broke an arm.", "Crew"),
        ("Brandvik's account number is 40977 now.", "Crew"),
        ("Der nächste Markt beginnt um 8.", "Markt"),
        ("Die Standgebühr beträgt 150 Euro.", "Markt"),
        ("L'alarme est coupée.", "Markt"),
        ("Дедлайн отчёта перенесли на 12 марта.", "Markt"),
        ("Аренда выросла до 41 тысячи.", "Markt"),
        ("The boat is back in the water.", "Boat"),
        ("De motor is gerepareerd.", "Boat"),
        ("La centrifuga è rotta.", "Lab"),
        ("租金现在是3500元。", "仓库"),
        ("租金从下月起是3600元。", "仓库"),
        ("租金的押金已退。", None),
        ("家賃は560ユーロになった。", "仓库"),
        ("임대료는 560유로입니다.", "仓库"),
        ("仓库在二楼。", "仓库"),
        ("Status is closed for the winter.", None),  # of two headings
        ("Gauges no longer need UTC.", "Lab"),
        ("Gauges were late again.", None),  # nothing else in common
        ("Rent rises to 560 euros.", "Boat"),
        ("Freezer no. 3 was thawed.", "Lab"),
        ("Buoys now come from the old yard.", "Lab"),
        ("The weather was foul.", None),
        ("Anode stock is fine again.", "Kelp survey"),
        ("It was put off to 10 February.", None),
        ("The next tide table is here.", None),  # `the next` is no topic
        ("Pino is on leave until May.", "Crew"),
        ("The diver's licence ran out.", None),
        ("The lantern was polished.", "Boat"),
        ("The divers were paid.", "Crew"),
        ("The padlock was oiled.", "Lab"),
        ("Padlocks are cheap.", None),
        ("Elavgiften höjdes från 2,10 till 2,45 kr.", "Lab"),
        ("Möten hålls nu första torsdagen i månaden.", "Lab"),
        ("Kranen lyfter bara 5 ton.", "Lab"),
        ("Gauger in chief is Ada.", "general"),  # a form of `gauges`, and nothing more
    ],
)
def test_a_sentence_goes_where_the_memory_speaks_of_what_opens_it(graph: graphdream.Graph, told: str, heading):
    graph.record_session("s1", summary=told)
    graph.dream()
    assert _place(graph, told) == heading


def test_each_sentence_of_a_text_without_blanks_rests_on_it(graph: graphdream.Graph) -> None:
    """A number in it had made one word of all that stands before it, which nothing said."""
    graph.record_session("s1", summary="租金现在是3500元。家賃は560ユーロになった。임대료는 560유로입니다.")
    graph.dream()
    for told in ("租金现在是3500元。", "家賃は560ユーロになった。", "임대료는 560유로입니다."):
        assert _place(graph, told) == "仓库"


def test_what_somebody_asks_to_be_remembered_goes_there(graph: graphdream.Graph) -> None:
    """It had been looked up with what asks for it, and found nothing."""
    graph.record_session(
        "s1", transcript=[{"role": "user", "content": "Please remember that the next dive is on 9 March."}]
    )
    graph.dream()
    assert _place(graph, "the next dive is on 9 March.") == "Kelp survey"


def test_what_was_observed_goes_there_whole(graph: graphdream.Graph) -> None:
    told = "The next dive was put off to 10 February. Brandvik knows."
    graph.record_session("s1", observations=[told])
    graph.dream()
    assert _place(graph, told) == "Kelp survey"


def test_what_a_person_tells_goes_there_too_and_to_the_general_folder_else(graph: graphdream.Graph) -> None:
    graph.remember("The next dive is on 12 February")
    graph.remember("The weather was foul")
    assert _place(graph, "The next dive is on 12 February") == "Kelp survey"
    assert _place(graph, "The weather was foul") == "general"


def test_a_told_change_ends_what_the_notes_say(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Rent is 560 euros a month now.", ended_at="2027-03-01T18:00:00Z")
    graph.dream()
    rows = graph.store.connection.execute("SELECT content FROM attribute WHERE status = 'superseded'").fetchall()
    assert [row[0] for row in rows] == ["Rent: 520 euros a month"]


@pytest.mark.parametrize(
    ("sentence", "language", "bare"),
    [
        ("The next dive was put off", "en", [("next dive", True), ("next", False)]),
        ("Rent is 560 euros", "en", [("Rent is 560", False), ("Rent", True)]),
        ("Rent rises to 560 euros", "en", [("Rent rises", True), ("Rent", False)]),
        ("In the kelp survey, nothing new", "en", [("kelp survey", True), ("kelp", False)]),
        ("Die Miete steigt", "de", [("Miete steigt", True), ("Miete", True)]),
        ("We found 3 urchins", "en", []),
        ("On Fridays the lab is closed", "en", []),
        ("2027", "en", []),
        ("", "en", []),
        ("The\x00rent is due", "en", []),
        ("The, rent is due", "en", []),
    ],
)
def test_a_topic_ends_where_what_goes_on_is_no_part_of_it(sentence: str, language: str, bare: list[tuple[str, bool]]):
    found = [(topic.bare, topic.ends) for topic in topics_in(sentence, language) if topic.tells < 3]
    assert found == bare


@pytest.mark.parametrize(
    ("content", "is_it"),
    [
        ("next dive: 3 February", True),
        ("**Next dive** 3 February", True),
        ("The next dive is at noon", True),
        ("next dive site: north", True),
        ("The next", False),
        ("after the next dive", False),
    ],
)
def test_a_fact_begins_with_a_topic(content: str, is_it: bool):
    assert begins_with(content, Topic("The next dive", "next dive", 2)) == is_it


def test_one_word_alone_must_be_the_label():
    assert begins_with("the kelp dies", Topic("The kelp", "kelp", 1))
    assert begins_with("kelp: dying", Topic("Kelp", "Kelp", 1))
    assert not begins_with("kelp dies", Topic("Kelp", "Kelp", 1))


def test_or_the_rest_is_in_part_the_same():
    rest = frozenset(("needs", "light"))
    assert begins_with("kelp needs clear water", Topic("Kelp", "Kelp", 1, ends=True, rest=rest))
    assert not begins_with("kelp needs clear water", Topic("Kelp", "Kelp", 1, ends=False, rest=rest))
    assert begins_with("kelp needs light", Topic("Kelp", "Kelp", 1, ends=False, rest=rest))


def test_a_heading_is_the_last_of_its_path():
    topic = Topic("The kelp survey", "kelp survey", 2)
    assert is_heading("Projects / Kelp survey", topic)
    assert is_heading("Kelp survey", topic)
    assert not is_heading("Kelp survey / Gear", topic)


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ("The user's rent went up to 560 euros.", "Boat"),
        ("My rent is 560 euros now.", "Boat"),
        ("The user prefers tabs.", "general"),
        ("The user no longer uses spaces.", "general"),
        ("The user usually works at night.", "general"),
        ("The user recently asked for tests.", None),
        ("User has two kids.", "general"),
        ("The user moved to Bergen.", "general"),
        ("The user has switched to Zed.", "general"),
        ("The user's sister lives in Brest.", "general"),
        ("El usuario vive en Lugo.", "general"),
        ("Der Nutzer mag keine Emojis.", "general"),
        ("L'utilisatrice préfère les listes.", "general"),
        ("用户对花生过敏。", "general"),
        ("L'utilisateur préfère les onglets.", "general"),
        ("ユーザーは短い答えを好む。", "general"),
        ("The user asked for more tests.", None),
        ("The user was annoyed.", None),
        ("The user has asked for tests.", None),
        ("The user interface is blue.", None),
    ],
)
def test_what_holds_of_the_user_is_a_fact_and_what_the_user_asked_for_is_not(graph: graphdream.Graph, told: str, place):
    graph.record_session("s1", summary=told)
    graph.dream()
    assert _place(graph, told) == place


def test_what_is_said_of_the_user_is_consolidated(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="The user lives in Bergen.", ended_at="2027-03-01T18:00:00Z")
    graph.dream()
    graph.record_session("s2", summary="The user moved from Bergen to Oslo.", ended_at="2027-04-01T18:00:00Z")
    graph.dream()
    rows = graph.store.connection.execute("SELECT content FROM attribute WHERE status = 'superseded'").fetchall()
    assert [row[0] for row in rows] == ["The user lives in Bergen."]


@given(st.one_of(st.text(max_size=60), st.text("aZ \"'*^():.-\x00é’是", max_size=40)))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_opens_a_sentence_can_be_looked_up(graph: graphdream.Graph, text: str) -> None:
    for home in homes_of(graph.store.connection, topics_in(text, None)).values():
        assert home.entity_id
