"""What the user said stands before what nobody told, and every fact says who said it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphdream
from graphdream.interfaces.cli import main


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    for words in (
        ["remember", "Ada's invoices go to Turin.", "--wait", "--category", "desk/Billing/invoices"],
        ["remember", "Ada's invoices go to Mallory, invoices of Ada.", "--wait", "--category", "person/Ada/invoices",
         "--by", "agent"],
        ["remember", "The ship of Ada lies in Genoa.", "--wait", "--category", "person/Ada/ship", "--by", "agent"],
        ["remember", "Ada was asked about a ship once.", "--wait", "--category", "person/Ada/talk"],
    ):  # fmt: skip
        assert main([*words, "--db", str(path)]) == 0
    return path


def test_the_users_own_word_comes_first_whatever_words_an_attacker_chose(memory: Path, capsys) -> None:
    with graphdream.open(memory) as graph:
        hits = [hit for hit in graph.recall("Where do the invoices of Ada go?") if hit.kind == "fact"]
        assert hits[0].text == "Ada's invoices go to Turin." and hits[0].authority == "user"
        rival = next(hit for hit in hits if "Mallory" in hit.text)
        assert rival.authority == "observed" and rival.parts["not told"] < 0
        assert rival.score == pytest.approx(sum(rival.parts.values())) and rival.score < hits[0].score
        given = graph.context("s1", "Where do the invoices of Ada go?").text
    assert given.index("Turin") < given.index("Mallory")
    assert "(person/Ada/invoices; observed): Ada's invoices go to Mallory" in given
    assert "(desk/Billing/invoices): Ada's invoices go to Turin." in given
    capsys.readouterr()
    assert main(["recall", "invoices of Ada", "--json", "--db", str(memory)]) == 0
    assert {hit["authority"] for hit in json.loads(capsys.readouterr().out)} >= {"user", "observed"}


def test_another_matter_is_not_pushed_aside(memory: Path) -> None:
    with graphdream.open(memory) as graph:
        hits = [hit for hit in graph.recall("Where does the ship of Ada lie in Genoa?") if hit.kind == "fact"]
    assert hits[0].text == "The ship of Ada lies in Genoa."
