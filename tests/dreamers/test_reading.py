"""Reading sessions without a model: who is spoken of, what becomes a fact, and what stays session text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.mutations.model import AddAlias, MarkDistinct, RenameEntity
from tests.support.graphs import NOW, facts_of


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """An empty memory with a clock that stands still."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        yield graph


TURNS = [
    {"id": "t1", "speaker": "Avery", "text": "I finally moved to Oslo last weekend."},
    {"id": "t2", "speaker": "Noor", "text": "Nice! My marathon training starts in May."},
    {"id": "t3", "speaker": "Avery", "text": "Good luck with it."},
]


def test_what_a_summary_says_becomes_facts_of_those_it_names(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Avery moved to Oslo. Noor starts marathon training in May.", transcript=TURNS)
    report = graph.dream()
    assert report.status == "applied"
    assert facts_of(graph.store, "Avery") == {"Avery moved to Oslo."}
    assert facts_of(graph.store, "Noor") == {"Noor starts marathon training in May."}


def test_a_fact_is_linked_to_its_session_and_the_turns_it_rests_on(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Noor starts marathon training in May.", transcript=TURNS)
    graph.dream()
    rows = graph.store.connection.execute("SELECT session_key, turn_uid FROM evidence").fetchall()
    assert [tuple(row) for row in rows] == [("s1", "t2")]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that staging runs on port 8443.", "staging runs on port 8443."),
        ("Please remember: the invoice number is 5521.", "the invoice number is 5521."),
        ("Merk dir bitte, dass der Server in Kiel steht.", "der Server in Kiel steht."),
        ("Por favor, recuerda que la clave caduca en mayo.", "la clave caduca en mayo."),
        ("Souviens-toi que le code est 4411.", "le code est 4411."),
        ("Запомни: деплой по четвергам.", "деплой по четвергам."),
        ("记住：接口端口是9000。", "接口端口是9000。"),
        ("From now on use pnpm, not npm.", "From now on use pnpm, not npm."),
        ("Ab sofort laufen die Tests nachts.", "Ab sofort laufen die Tests nachts."),
    ],
)
def test_what_somebody_asks_to_be_remembered_is(graph: graphdream.Graph, said: str, kept: str) -> None:
    graph.record_session("s1", transcript=[{"role": "user", "content": f"Thanks. {said}"}])
    graph.dream()
    assert facts_of(graph.store, "general") == {kept}


@pytest.mark.parametrize(
    "said",
    [
        "I remember that we met in May.",
        "Remember to call the dentist.",
        "Remember when it rained for a week.",
        "Do you remember that port?",
        "From now until noon nobody is here.",
        "From now on.",
        "Recuerda la clave.",
    ],
)
def test_what_is_remembered_by_somebody_is_not_asked_to_be_kept(graph: graphdream.Graph, said: str) -> None:
    graph.record_session("s1", transcript=[{"role": "user", "content": said}])
    graph.dream()
    assert not graph.store.connection.execute("SELECT content FROM attribute").fetchall()


def test_what_is_to_be_remembered_of_somebody_known_is_a_fact_of_theirs(graph: graphdream.Graph) -> None:
    graph.remember("lives in Ghent", category="person/Noor/home")
    graph.record_session("s1", transcript=[{"role": "user", "content": "Remember that Noor moved to Husum."}])
    graph.dream()
    assert "Noor moved to Husum." in facts_of(graph.store, "Noor")


def test_a_machine_asks_for_nothing_to_be_remembered(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=[{"role": "assistant", "content": "Remember that staging is on port 8443."}])
    graph.dream()
    assert not graph.store.connection.execute("SELECT content FROM attribute").fetchall()


def test_a_sentence_that_names_nobody_stays_session_text(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="She said it went well. The weather was nice. They agreed to meet again.")
    graph.dream()
    assert graph.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0] == 0
    assert graph.store.connection.execute("SELECT read_by FROM summary WHERE id = 1").fetchone()[0] == 1


def test_a_proper_name_that_recurs_becomes_an_entity_and_one_that_does_not_does_not(graph: graphdream.Graph) -> None:
    graph.record_session(
        "s1",
        summary="The team chose Kestrel Portal for review. Later Kestrel Portal lost a build. Someone met Zelda Quist.",
    )
    graph.dream()
    names = {row[0] for row in graph.store.connection.execute("SELECT name FROM entity")}
    assert names == {"Kestrel Portal"}


def test_known_names_and_aliases_are_recognised(graph: graphdream.Graph) -> None:
    graph.remember("is a vendor", category="organization/Foundry Nuke/role")
    graph.edit(AddAlias(entity="Foundry Nuke", name="Nuke"))
    graph.record_session("s1", summary="We tested Nuke on the farm over night.")
    graph.dream(compact=False)
    assert "We tested Nuke on the farm over night." in facts_of(graph.store, "Foundry Nuke")


def test_a_name_that_fits_two_entities_decides_nothing(graph: graphdream.Graph) -> None:
    graph.remember("sails", category="person/Alex/hobby")
    graph.remember("paints", category="artist/Alexa/hobby")
    graph.edit(RenameEntity(entity="e2", name="Alex"), MarkDistinct(first="e1", second="e2"))
    before = graph.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0]
    graph.record_session("s1", summary="Yesterday Alex bought a boat in Lisbon.")
    graph.dream(compact=False)
    assert graph.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0] == before


def test_what_is_known_is_reinforced_not_added(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Avery moved to Oslo.", transcript=TURNS)
    graph.dream()
    graph.record_session("s2", summary="Avery moved to Oslo.", transcript=TURNS[:1])
    graph.dream()
    row = graph.store.connection.execute("SELECT count(*), max(reinforcement) FROM attribute").fetchone()
    assert tuple(row) == (1, 2)


def test_observations_are_taken_as_they_are_and_hang_on_who_they_name(graph: graphdream.Graph) -> None:
    from graphdream.events.told import Observation

    graph.record_session("s1", transcript=TURNS, observations=[Observation("likes long runs", "Noor", ("t2",))])
    graph.dream()
    assert facts_of(graph.store, "Noor") == {"likes long runs"}


def test_an_observation_about_nobody_known_is_taken_too(graph: graphdream.Graph) -> None:
    """It was handed over as a fact: left out of the graph, it would be found by no question."""
    graph.record_session("s1", observations=["prefers tabs", "Deploys happen on Friday."])
    graph.record_session("s2", observations=["prefers tabs"])
    graph.dream()
    assert facts_of(graph.store, "general") == {"prefers tabs", "Deploys happen on Friday."}
    assert [hit.category for hit in graph.recall("when do deploys happen?")] == ["general"]


def test_observations_about_nobody_known_hang_on_the_folder_that_is_there(graph: graphdream.Graph) -> None:
    graph.remember("the office closes at six")
    graph.record_session("s1", observations=["prefers tabs"])
    graph.dream(compact=False)
    assert facts_of(graph.store, "general") == {"the office closes at six", "prefers tabs"}


def test_names_in_observations_recur_too(graph: graphdream.Graph) -> None:
    told = {"Farah's dog is called Ziggy", "The colour Farah likes best is teal"}
    graph.record_session(
        "s1", observations=[*told, "Lunch is at noon", "Let's meet there", "Let's eat", "Lunch is good"]
    )
    graph.dream()
    assert facts_of(graph.store, "Farah") == told
    assert facts_of(graph.store, "general") == {"Lunch is at noon", "Let's meet there", "Let's eat", "Lunch is good"}


def test_who_owns_something_at_the_beginning_of_a_sentence_is_a_name(graph: graphdream.Graph) -> None:
    graph.record_session("s1", observations=["Ivo's team runs Redis", "Ivo sails", "Today's lunch was late"])
    graph.dream()
    assert facts_of(graph.store, "Ivo") == {"Ivo's team runs Redis", "Ivo sails"}
    assert facts_of(graph.store, "general") == {"Today's lunch was late"}


def test_a_pass_is_a_session_that_never_makes_the_next_one_due(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Avery moved to Oslo.", transcript=TURNS)
    graph.dream()
    row = graph.store.connection.execute("SELECT key, kind FROM session ORDER BY id DESC LIMIT 1").fetchone()
    assert tuple(row) == ("dream-1", "dream")
    assert not graph.dream_due()
    assert graph.dream().status == "nothing"


def test_the_cost_of_an_incremental_pass_follows_the_session_not_the_graph(graph: graphdream.Graph) -> None:
    """What a pass gathers after one session does not grow with what else is known."""
    from graphdream.dream.gather import gather, unread_sessions

    for number in range(60):
        graph.remember(f"keeps {number} bees in hive {number}", category=f"person/Keeper {number:03d} Holm/hobby")
    graph.dream()
    graph.record_session("s1", summary="Keeper 007 Holm sold a hive to a neighbour.")
    seen = gather(graph.store, mode="incremental", now=NOW, sessions=unread_sessions(graph.store))
    assert len(seen.entities) == 0
    assert graph.dream().status == "applied"
    assert "Keeper 007 Holm sold a hive to a neighbour." in facts_of(graph.store, "Keeper 007 Holm")


def test_what_is_known_is_reinforced(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Avery Felts lives in the city of Oslo.")
    graph.dream()
    graph.record_session("s2", summary="Avery Felts lives in the city of Oslo.")
    graph.dream()
    rows = graph.store.connection.execute("SELECT content, reinforcement FROM attribute").fetchall()
    assert [tuple(row) for row in rows] == [("Avery Felts lives in the city of Oslo.", 2)]
    quotes = graph.store.connection.execute("SELECT session_key, quote FROM evidence ORDER BY id").fetchall()
    assert [tuple(row) for row in quotes] == [
        ("s1", "Avery Felts lives in the city of Oslo."),
        ("s2", "Avery Felts lives in the city of Oslo."),
    ]


def test_reading_a_session_again_adds_nothing(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Avery Felts lives in Oslo. Avery Felts lives in Oslo.")
    graph.dream()
    graph.record_session("s1", summary="Avery Felts lives in Oslo. Nobody else does.")
    graph.dream()
    rows = graph.store.connection.execute("SELECT content, reinforcement FROM attribute").fetchall()
    assert [tuple(row) for row in rows] == [("Avery Felts lives in Oslo.", 1)]


def test_whom_else_a_fact_names_is_on_record_and_on_their_page(graph: graphdream.Graph) -> None:
    from graphdream.views.entity_page import entity_page

    graph.remember("is late", category="project/Lantern/state")
    graph.record_session("s1", summary="Avery Felts moved the Lantern deadline to Friday.")
    graph.dream(compact=False)
    assert facts_of(graph.store, "Avery Felts") == {"Avery Felts moved the Lantern deadline to Friday."}
    page = entity_page(graph.store, "Lantern")
    assert [fact.content for fact in page.named_in] == ["Avery Felts moved the Lantern deadline to Friday."]
    assert "named in" in page.text() and page.facts.keys() == {"state"}


@pytest.mark.parametrize(
    ("first", "then", "name"),
    [
        ("Wanjiru Kamau lives in Nakuru.", "Wanjiru moved from Nakuru to Kisumu.", "Wanjiru Kamau"),
        (
            "The badge reader uses firmware 3.2.",
            "The badge reader was upgraded from firmware 3.2 to 3.4.",
            "general",
        ),
    ],
)
def test_what_an_earlier_session_of_the_same_pass_told_is_known(
    graph: graphdream.Graph, first: str, then: str, name: str
) -> None:
    """Only what was known before the pass had counted, so one dream of two sessions knew less than two dreams."""
    graph.record_session("s1", summary=first, started_at="2025-01-10T09:00:00Z")
    graph.record_session("s2", summary=then, started_at="2025-02-10T09:00:00Z")
    graph.dream()
    rows = graph.store.connection.execute(
        "SELECT content, attribute.status FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id WHERE entity.name = ? ORDER BY attribute.id",
        (name,),
    ).fetchall()
    assert [tuple(row) for row in rows] == [(first, "superseded"), (then, "active")]


def test_a_first_name_of_two_in_earlier_sessions_of_the_pass_means_neither(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Wanjiru Kamau lives in Nakuru.", started_at="2025-01-10T09:00:00Z")
    graph.record_session("s2", summary="Wanjiru Odera lives in Thika.", started_at="2025-02-10T09:00:00Z")
    graph.record_session("s3", summary="Wanjiru moved from Nakuru to Kisumu.", started_at="2025-03-10T09:00:00Z")
    graph.dream()
    assert facts_of(graph.store, "Wanjiru Odera") == {"Wanjiru Odera lives in Thika."}
