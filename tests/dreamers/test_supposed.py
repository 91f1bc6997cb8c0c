"""What may be so, or is so on a condition, is no fact of the one it names first; it stays text of its session."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from graphdream.dreamers.reading.supposed import is_conditional, is_supposed, main_clause


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Perhaps Wenzel sells the boat."),
        ("de", "Vielleicht verkauft Wenzel das Boot."),
        ("es", "Tal vez Wenzel venda el barco."),
        ("fr", "Peut-être que Wenzel vendra le bateau."),
        ("pt", "Talvez Wenzel venda o barco."),
        ("it", "Forse Wenzel vende la barca."),
        ("ru", "Может быть, Венцель продаст лодку."),
        ("zh", "也许文泽会卖船。"),
        ("ja", "もしかしたら文沢さんは船を売ります。"),
    ],
)
def test_what_may_be_so_is_told_by_what_opens_it(language: str, sentence: str) -> None:
    assert is_supposed(sentence, language)
    assert not is_supposed(sentence, None)


@pytest.mark.parametrize(
    ("language", "sentence", "clause"),
    [
        ("en", "If Wenzel sells the boat, then Ilka rows.", "Ilka rows."),
        ("de", "Wenn Wenzel das Boot verkauft, dann rudert Ilka.", "rudert Ilka."),
        ("fr", "S’il pleut, Ilka rame.", "Ilka rame."),
        ("ru", "Если Венцель продаст лодку, то Илка гребёт.", "Илка гребёт."),
        ("zh", "如果文泽卖船，那么伊卡划船。", "伊卡划船。"),
        ("en", "Unless it rains Ilka rows.", ""),  # nothing tells where the condition ends
    ],
)
def test_what_is_told_on_a_condition_stands_behind_it(language: str, sentence: str, clause: str) -> None:
    assert is_conditional(sentence, language)
    assert main_clause(sentence, language) == clause


def test_what_opens_with_no_condition_is_told_whole() -> None:
    for sentence in ("Ilka rows if it rains.", "", "Ilka"):
        assert not is_conditional(sentence, "en")
        assert main_clause(sentence, "en") == sentence


@pytest.mark.parametrize(
    ("told", "supposed", "name"),
    [
        ("Wenzel Krummau lives in Passau.", "If Wenzel Krummau moves to Linz, we need another cook.", "Wenzel Krummau"),
        ("Wenzel Krummau lives in Passau.", "Perhaps Wenzel Krummau will move to Linz.", "Wenzel Krummau"),
        ("Elvira Antolín vive en Soria.", "Si Elvira se muda a Lugo, habrá que buscar a alguien.", "Elvira Antolín"),
        ("Ядвига Лосева живёт в Пскове.", "Если Ядвига переедет в Орёл, придётся искать замену.", "Ядвига Лосева"),
    ],
)
def test_what_is_supposed_ends_nothing_and_names_nobody(tmp_path: Path, told: str, supposed: str, name: str) -> None:
    """`Si Iker` and `Если Тимур` had become entities of that name."""
    with graphdream.open(tmp_path / "memory.db") as graph:
        for day, summary in enumerate((told, supposed), 1):
            graph.record_session(f"s{day}", summary=summary, ended_at=f"2026-05-0{day}T18:00:00Z")
            graph.dream()
        facts = graph.store.connection.execute("SELECT content, status FROM attribute").fetchall()
        names = graph.store.connection.execute("SELECT name FROM entity").fetchall()
        assert [tuple(row) for row in facts] == [(told, "active")]
        assert [row[0] for row in names] == [name]
        assert any(supposed in hit.text for hit in graph.recall(supposed))


def test_a_rule_is_of_the_one_whom_its_clause_is_about(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        rule = "If the kiln trips, Ilka Brandl resets the fuse."
        for day, summary in enumerate(("Ilka Brandl lives in Passau.", rule), 1):
            graph.record_session(f"s{day}", summary=summary, ended_at=f"2026-05-0{day}T18:00:00Z")
            graph.dream()
        assert rule in [fact.content for fact in graph.entity("Ilka Brandl").facts["general"]]


def test_what_somebody_asks_to_be_kept_is_kept_though_it_is_supposed(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.record_session("s1", summary="Remember that if the kiln trips, the fuse is in the hall.")
        graph.dream()
        facts = graph.store.connection.execute("SELECT content FROM attribute").fetchall()
    assert [row[0] for row in facts] == ["if the kiln trips, the fuse is in the hall."]
