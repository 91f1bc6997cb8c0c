"""Whom sentences of several languages are about, read without a model and each in a memory of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.dreamers.reading import sentences
from graphdream.graph.categories import GENERAL
from tests.support.graphs import NOW, facts_of

SENTENCES = Path(__file__).parents[2] / "fixtures" / "summary_sentences.jsonl"
LEAST_RIGHT, MOST_WRONG = 0.8, 0.02


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("They spoke at 1:56 pm. Orrin left.", ["They spoke at 1:56 pm.", "Orrin left."]),
        ("Dr. Okonjo came. Mrs. Vane did not.", ["Dr. Okonjo came.", "Mrs. Vane did not."]),
        ("Prof. Imre reads J. Doe, e.g. at night.", ["Prof. Imre reads J. Doe, e.g. at night."]),
        ("Das gilt z. B. heute. Morgen nicht.", ["Das gilt z. B. heute.", "Morgen nicht."]),
        (
            "Markt ist am 21. März. Er dauert bis 17. Danach ist Ruhe.",
            ["Markt ist am 21. März.", "Er dauert bis 17.", "Danach ist Ruhe."],
        ),
        ("L'ufficio chiude alle 18. Marco è nuovo.", ["L'ufficio chiude alle 18.", "Marco è nuovo."]),
        ("Den 21. marts er fri. Tak.", ["Den 21. marts er fri.", "Tak."]),
        ("A fornada sai às 4h. O pão esfria.", ["A fornada sai às 4h.", "O pão esfria."]),
        ("It holds 40 MB. Logs go first.", ["It holds 40 MB.", "Logs go first."]),
        ("At 5 Dr. Weber came in 3 MHz. Fine.", ["At 5 Dr. Weber came in 3 MHz.", "Fine."]),
        ("Freezer no. 3 hums. Nr. 4 ist leer.", ["Freezer no. 3 hums.", "Nr. 4 ist leer."]),
        ("- one\n- two", ["one", "two"]),
        ("彼は来た。彼女は来ない。", ["彼は来た。", "彼女は来ない。"]),
    ],
)
def test_sentences_end_where_one_ends(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """An empty memory with a clock that stands still."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        yield graph


def _told_of(folder: Path, case: dict[str, object]) -> str | None:
    """Name of the entity that a sentence becomes a fact of, None where it stays text of its session, or is filed in the
    folder of what is said of nobody."""
    with graphdream.open(folder / "memory.db", clock=lambda: NOW) as graph:
        for name in case.get("known", ()):  # type: ignore[attr-defined]
            graph.remember("is known", category=f"thing/{name}/note")
        graph.record_session("s1", summary=str(case["text"]))
        graph.dream(compact=False)
        row = graph.store.connection.execute(
            "SELECT entity.name FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id"
            " WHERE content = ?",
            (case["text"],),
        ).fetchone()
        return row[0] if row and row[0] != GENERAL else None


def test_whom_a_sentence_is_about_is_found_and_rarely_wrong(tmp_path: Path) -> None:
    """Aim: four in five right, one in fifty wrong. A sentence that tells of nobody is right where nothing is made."""
    cases = [json.loads(line) for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    counts: dict[str, Counter[str]] = {}
    for number, case in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = _told_of(folder, case)
        verdict = "right" if found == case["subject"] else "none" if found is None else "wrong"
        counts.setdefault(case["language"], Counter())[verdict] += 1
        if verdict != "right":
            print(f"{verdict}: {case['text']} -> {found}, expected {case['subject']}")
    total = sum(counts.values(), Counter())
    print({language: dict(tally) for language, tally in counts.items()}, dict(total))
    assert total["right"] >= LEAST_RIGHT * len(cases)
    assert total["wrong"] <= MOST_WRONG * len(cases)
    for language, tally in counts.items():
        assert tally["right"] > sum(tally.values()) / 2, language


@pytest.mark.parametrize(
    ("summary", "day"),
    [
        ("Yesterday Tobiah shipped the export job.", "2025-12-31"),
        ("Tobiah ships the export job next Friday.", "2026-01-02"),
        ("Tobiah left the company last Tuesday.", "2025-12-30"),
        ("Tobiah joined two days ago as a tester.", "2025-12-30"),
        ("Tobiah signed on 2025-11-04 at noon.", "2025-11-04"),
        ("Tobiah arrives on March 3rd with the crates.", "2026-03-03"),
        ("Jorinde hat gestern den Vertrag unterschrieben.", "2025-12-31"),
        ("Jorinde zieht nächsten Freitag nach Kassel um.", "2026-01-02"),
        ("Solveig Marchetti arrive le 3 mars à Nantes.", "2026-03-03"),
        ("Ximena entregó ayer el informe final.", "2025-12-31"),
        ("Iracema volta na próxima sexta-feira.", "2026-01-02"),
        ("Ратмир вчера закончил большой отчёт.", "2025-12-31"),
        ("Tobiah may march on with version 3.11 and two servers.", None),
        ("Tobiah sat near the window and now works from home.", None),
        ("Tobiah moved the launch from May 3 to June 3.", None),
        ("Tobiah meets everybody on Friday.", None),
        ("Tobiah starts in May.", None),
    ],
)
def test_a_relative_day_becomes_the_day_it_meant(graph: graphdream.Graph, summary: str, day: str | None) -> None:
    graph.record_session("s1", summary=summary, started_at="2026-01-01T09:00:00Z")
    graph.dream()
    row = graph.store.connection.execute("SELECT content, occurred_at, valid_from FROM attribute").fetchone()
    assert row["content"] == summary
    assert (row["occurred_at"] or "")[:10] == (day or "")
    assert (row["valid_from"] or "")[:10] == (day if day and day <= "2026-01-01" else "")


@pytest.mark.parametrize(
    ("summary", "occurred", "since", "precision"),
    [
        ("Tobiah left the company last month.", "2025-12-01T00:00:00Z", "2025-12-01T00:00:00Z", "month"),
        ("Tobiah retires next year.", "2027-01-01T00:00:00Z", None, "year"),
        ("Tobiah joined two weeks ago as a tester.", "2025-12-18T00:00:00Z", "2025-12-18T00:00:00Z", None),
        ("Tobiah moved the deadline to Friday.", "2026-01-02T00:00:00Z", None, None),
        ("Tobiah was born on May 3.", None, None, None),
    ],
)
def test_a_time_is_known_as_exactly_as_it_was_told(
    graph: graphdream.Graph, summary: str, occurred: str | None, since: str | None, precision: str | None
) -> None:
    graph.record_session("s1", summary=summary, started_at="2026-01-01T09:00:00Z")
    graph.dream()
    row = graph.store.connection.execute("SELECT * FROM attribute").fetchone()
    assert (row["content"], row["occurred_at"], row["valid_from"], row["time_precision"]) == (
        summary, occurred, since, precision
    )  # fmt: skip


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (
            "Wiebke Harms hat gestern in Husum den Vertrag unterschrieben. 三浦こずえは大津に住んでいる。",
            {("Wiebke Harms", "2025-12-31")},
        ),
        ("三浦こずえは大津に住んでいる。Tobiah shipped the export job yesterday.", {("Tobiah", "2025-12-31")}),
        ("Tobiah shipped the export job yesterday. 김하늘은 부산에 산다.", {("Tobiah", "2025-12-31")}),
        (
            "Ратмир вчера закончил большой отчёт. Tobiah shipped the export job yesterday, and so it is done.",
            {("Ратмир", "2025-12-31"), ("Tobiah", "2025-12-31")},
        ),
    ],
)
def test_a_session_in_two_scripts_is_read_in_two_languages(
    graph: graphdream.Graph, summary: str, told: set[tuple[str, str]]
) -> None:
    """A dictionary of Japanese was looked for, there is none, and no pass got any further."""
    graph.record_session("s1", summary=summary, started_at="2026-01-01T09:00:00Z")
    assert graph.dream().status == "applied"
    rows = graph.store.connection.execute(
        "SELECT entity.name, substr(occurred_at, 1, 10) FROM attribute"
        " JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id"
    ).fetchall()
    assert told <= {tuple(row) for row in rows}


def test_a_day_to_come_hides_nothing_that_is_known(graph: graphdream.Graph) -> None:
    """It holds from now on that something will happen; only what has begun is dated by its beginning."""
    graph.record_session(
        "s1", summary="Tobiah arrives on March 3rd with the crates.", started_at="2026-01-01T09:00:00Z"
    )
    graph.dream()
    assert graph.recall("when does Tobiah arrive?", as_of="2026-01-02")[0].text.startswith("Tobiah arrives")
    assert not [hit for hit in graph.recall("Tobiah", as_of="2025-12-31") if hit.handle.startswith("a")]


@pytest.mark.parametrize(
    "summary",
    [
        "Lunch was late again. Lunch is at noon from now on.",
        "Refactoring took all afternoon.",
        "Everyone agreed to postpone the release.",
        "Monday was quiet.",
        "Release Notes",
        "Standups start at nine.",
        "Who moved the deadline?",
        "Kaffee hilft immer gegen müde Köpfe.",
        "Neue Rechner stehen seit gestern im Keller.",
        "U-Bahn fährt heute nicht.",
        "Q3 numbers look thin.",
        "Les réunions durent trop longtemps.",
        "Встреча началась позже обычного.",
        "I'm allergic to dust and to cats.",
        "They’ve bought a boat for the club.",
        "Don't push to the main branch.",
        "J'ai deux chats et un chien.",
        "C'est trop cher pour nous.",
        "L'appartement est petit mais clair.",
        "Recuerda la clave.",
        "Compra pan mañana.",
        "Chiudi la porta.",
    ],
)
def test_a_word_at_the_head_of_a_sentence_is_no_name(graph: graphdream.Graph, summary: str) -> None:
    graph.record_session("s1", summary=summary)
    graph.dream()
    assert graph.store.connection.execute("SELECT name FROM entity").fetchall() == []


@pytest.mark.parametrize(
    "said", ["Noor vive en Cádiz.", "Noor habite à Brest.", "Noor mora em Braga.", "Noor lives in Ghent."]
)
def test_a_short_sentence_by_itself_is_in_the_language_that_its_words_speak_for(
    graph: graphdream.Graph, said: str
) -> None:
    graph.record_session("s1", summary=said)
    graph.dream()
    assert [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")] == ["Noor"]


def test_a_portuguese_article_before_a_name_is_no_part_of_it(graph: graphdream.Graph) -> None:
    graph.remember("Entregas: Davi, de moto", category="project/Padaria/equipe")
    graph.record_session("s1", summary="O Caio trocou a moto por uma bicicleta. O Davi agora tem um carro.")
    graph.dream(compact=False)
    names = [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")]
    assert "Caio" in names and not {"O Caio", "O Davi", "Davi"} & {*names}  # a line of the bakery is about Davi


def test_a_dutch_sentence_goes_where_its_topic_stands(graph: graphdream.Graph) -> None:
    graph.remember("Lidmaatschap: 120 euro per jaar", category="project/Zeilschool/prijzen")
    graph.record_session(
        "s1", summary="Het lidmaatschap kost nu 135 euro per jaar. De boot ligt nu aan de andere kade."
    )
    graph.dream(compact=False)
    assert "Het lidmaatschap kost nu 135 euro per jaar." in facts_of(graph.store, "Zeilschool")


def test_a_word_of_grammar_of_another_language_is_no_name(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="The boiler was serviced in the morning. Ich habe zwei Katzen.")
    graph.dream()
    assert graph.store.connection.execute("SELECT name FROM entity").fetchall() == []


@pytest.mark.parametrize("name", ["O'Brien", "D'Angelo", "Xi'an"])
def test_a_mark_within_a_name_is_no_shortened_word(graph: graphdream.Graph, name: str) -> None:
    graph.record_session("s1", summary=f"{name} was hit by a storm in the morning.")
    graph.dream()
    assert [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")] == [name]


def test_a_word_that_the_memory_writes_small_is_no_name(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="We fed the zorbit twice. The zorbit sleeps.")
    graph.record_session("s2", summary="Zorbit feeding went well.")
    graph.dream()
    assert graph.store.connection.execute("SELECT name FROM entity").fetchall() == []


def test_a_word_that_the_memory_writes_with_a_capital_in_mid_sentence_is_one(graph: graphdream.Graph) -> None:
    """`Amber` is a word as well; that this memory writes it so where no capital is owed is the evidence."""
    graph.record_session("s1", summary="We asked Amber about the invoice.")
    graph.dream()
    graph.record_session("s2", summary="Amber pays it tomorrow.")
    graph.dream()
    assert [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")] == ["Amber"]


def test_a_first_name_means_who_is_called_by_it_in_the_same_session(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Avery Felts moved to Oslo. Avery likes tea.")
    graph.dream()
    assert [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")] == ["Avery Felts"]


def test_what_is_said_beside_a_fact_is_not_what_it_is_about(graph: graphdream.Graph) -> None:
    graph.remember("is a reporter", category="person/Noor/role")
    graph.record_session("s1", summary="The pump in the cellar was serviced in May, according to Noor.")
    graph.dream(compact=False)
    rows = graph.store.connection.execute("SELECT content FROM attribute").fetchall()
    assert [row[0] for row in rows] == ["is a reporter"]


ONE_AMONG_OTHERS = [
    ("Mirela runs a bakery with her brother. They are open on all days but Sunday.",
     "Gestern hat Mirela den Vertrag unterschrieben.", "Gestern"),
    ("Mirela runs a bakery with her brother. They are open on all days but Sunday.",
     "Mañana firma el contrato con el dueño de la casa.", "Mañana"),
    ("Mirela führt mit ihrem Bruder eine Bäckerei. Sie haben an allen Tagen außer sonntags offen.",
     "Yesterday the oven was out of order again.", "Yesterday"),
    ("Mirela tient une boulangerie avec son frère. Ils ouvrent tous les jours sauf le dimanche.",
     "Flour is bought from the mill in the valley.", "Flour"),
]  # fmt: skip


@pytest.mark.parametrize(("around", "told", "word"), ONE_AMONG_OTHERS, ids=[word for *_, word in ONE_AMONG_OTHERS])
def test_a_capital_that_a_sentence_owes_to_its_own_language_names_nobody(
    graph: graphdream.Graph, around: str, told: str, word: str
) -> None:
    """All sentences had been read in the language of most of them."""
    graph.record_session("s1", summary=f"{around} {told}")
    graph.dream(compact=False)
    assert word not in [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")]


def test_a_first_name_is_not_left_off_where_somebody_else_has_the_same_last_name(graph: graphdream.Graph) -> None:
    """`Marsh` recurred behind two first names, so that `Tilda` was taken for a capital that the sentence owes."""
    graph.record_session(
        "s1",
        summary="Tilda Marsh hired Greta Marsh for the weekends. Greta Marsh bakes rye bread on Sundays.",
    )
    graph.dream(compact=False)
    names = {row[0] for row in graph.store.connection.execute("SELECT name FROM entity")}
    assert "Marsh" not in names and {"Tilda Marsh", "Greta Marsh"} <= names


NAMESAKES = [
    ("Mark Hill is vegan. Grace Hill lives in York.", "Grace Hill is no longer vegan."),
    ("Mark Hill lives in Leeds. Grace Hill lives in York.", "Grace Hill moved from York to Hull."),
    ("Rose Finch lives in Leeds. Olive Finch lives in York.", "Olive Finch moved from York to Hull."),
    ("May Quill lives in Leeds. Hope Quill lives in York.", "Hope Quill moved from York to Hull."),
    ("Jutta Kern wohnt in Kiel. Volker Kern wohnt in Husum.", "Volker Kern ist von Husum nach Emden gezogen."),
    ("August Specht wohnt in Kiel. Ruben Specht wohnt in Trier.", "Ruben Specht ist von Trier nach Worms gezogen."),
    ("Rosa Peña vive en Lugo. Blanca Peña vive en Vigo.", "Blanca Peña se mudó de Vigo a Gijón."),
    ("Rose Martel habite à Nantes. Olive Martel habite à Brest.", "Olive Martel a déménagé de Brest à Lyon."),
    ("Надежда Чумакова живёт в Перми. Вера Чумакова живёт в Уфе.", "Вера Чумакова переехала из Уфы в Омск."),
    ("Anna Kowalczyk mieszka w Gdyni. Piotr Kowalczyk mieszka w Toruniu.", "Piotr Kowalczyk przeniósł się do Łodzi."),
]  # fmt: skip


@pytest.mark.parametrize(("both", "then"), NAMESAKES, ids=[both[:12] for both, _ in NAMESAKES])
@pytest.mark.parametrize("apart", [False, True], ids=["one-session", "two-sessions"])
def test_two_who_share_a_last_name_are_two(graph: graphdream.Graph, both: str, then: str, apart: bool) -> None:
    """They had become one entity of the last name, and what was told of the one replaced what was told of the other."""
    first, second = sentences(both)
    for number, told in enumerate([first, second, then] if apart else [both, then]):
        graph.record_session(f"s{number}", summary=told, started_at=f"2025-0{number + 1}-10T09:00:00Z")
        graph.dream()
    one, other = (" ".join(told.split()[:2]) for told in (first, second))
    shown = graph.store.connection.execute(
        "SELECT entity.name, content, attribute.status FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id"
    ).fetchall()
    found = {row["content"]: (row["name"], row["status"]) for row in shown}
    assert not any(name not in (one, other, GENERAL) for name, _ in found.values())
    assert found.get(first, (one, "active"))[0] != other and found.get(second, (other, ""))[0] != one
    assert found.get(first, (one, "active"))[1] == "active"
    assert found.get(then, (other, ""))[0] in (other, GENERAL)
    if not apart:
        assert found[first][0] == one and found[second][0] == found[then][0] == other


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Tobiah lives in Leeds. Later Tobiah moved to York.", "Tobiah"),
        ("Tobiah lives in Leeds. Then Tobiah moved to York.", "Tobiah"),
        ("Yesterday Mark Hill moved to Leeds.", "Mark Hill"),
        ("Iracema mora em Braga. Depois Iracema foi para Faro.", "Iracema"),
        ("Мирослава живёт в Туле. Позже Мирослава уехала в Псков.", "Мирослава"),
        ("Jorinde wohnt in Kiel. Gestern hat Jorinde den Vertrag unterschrieben.", "Jorinde"),
    ],
)
def test_a_word_that_only_leads_in_is_no_first_name(graph: graphdream.Graph, told: str, name: str) -> None:
    graph.record_session("s1", summary=told)
    graph.dream()
    assert facts_of(graph.store, name) == {*sentences(told)}


def test_who_is_named_by_a_last_name_that_several_bear_is_nobody(graph: graphdream.Graph) -> None:
    graph.record_session(
        "s1", summary="Mark Hill lives in Leeds. Grace Hill lives in York. We met Hill and Hill sings."
    )
    graph.dream()
    names = {row[0] for row in graph.store.connection.execute("SELECT name FROM entity")}
    assert {"Mark Hill", "Grace Hill"} <= names
    assert facts_of(graph.store, "Mark Hill") == {"Mark Hill lives in Leeds."}
