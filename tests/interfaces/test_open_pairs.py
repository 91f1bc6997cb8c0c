"""What a dream leaves open is asked by name, and a person's answer ends it; small memories merge at the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.importers import import_lines

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
AT = "2026-01-05T09:00:00Z"


def put_in(path: Path, entities: list[dict]) -> None:
    """A memory of some entities, each a name, a type and facts."""
    lines = [json.dumps({"kind": "meta", "format": "graphdream/1"})]
    for at, entity in enumerate(entities):
        rows = [
            {"kind": "entity", "id": f"x{at}", "name": entity["name"], "type": entity["type"], "created_at": AT},
            {"kind": "aspect", "id": f"a{at}", "entity_id": f"x{at}", "name": "general", "created_at": AT},
        ]
        rows += [
            {
                "kind": "attribute",
                "id": f"f{at}.{number}",
                "entity_id": f"x{at}",
                "aspect_id": f"a{at}",
                "content": fact,
            }
            for number, fact in enumerate(entity["facts"])
        ]
        lines += [json.dumps(row) for row in rows]
    with Store.open(path) as store:
        import_lines(store, [json.loads(line) for line in lines], source="memory.jsonl")


@pytest.fixture
def call(tmp_path, capsys):
    """Runs a command on one memory; what its JSON says."""

    def called(*words: str) -> dict:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "memory.db"), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return called


ALEX = [
    {"name": "Alex", "type": "person", "facts": ["barista at the corner"]},
    {"name": "Alex", "type": "person", "facts": ["landlord, wants the rent"]},
    {"name": "Harbour", "type": "project", "facts": ["opens in May"]},
]


def test_what_nobody_can_be_sure_of_is_asked_by_name_also_where_there_is_nothing_to_do(call, tmp_path, capsys):
    put_in(tmp_path / "memory.db", ALEX)
    for _ in range(2):
        (pair,) = call("dream", "--compact")["figures"]["open_pairs"]
        assert (pair["first"], pair["first_name"], pair["second"], pair["second_name"]) == ("e1", "Alex", "e2", "Alex")
        assert 0 < pair["probability"] < 1
    assert main(["dream", "--compact", "--db", str(tmp_path / "memory.db")]) == 0
    assert "graphdream same e1 e2, or graphdream distinct e1 e2" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["same", "distinct"])
def test_an_answer_is_on_record_and_ends_the_question_and_can_be_taken_back(call, tmp_path, answer):
    put_in(tmp_path / "memory.db", ALEX)
    asked = call("dream", "--compact")["figures"]["open_pairs"]
    answered = call(answer, asked[0]["first"], asked[0]["second"])
    assert answered["pass"] and answered["outcomes"][0]["status"] == "applied"
    assert "open_pairs" not in call("dream", "--compact")["figures"]
    call("undo", str(answered["pass"]))
    again = call("dream", "--compact")["figures"].get("open_pairs", [])
    assert again  # taking an answer back is no answer: it is asked again


def test_one_person_under_six_names_with_facts_that_fit_is_one_but_for_one_at_most(call, tmp_path):
    six = [json.loads(line) for line in (FIXTURES / "six_names.jsonl").read_text(encoding="utf-8").splitlines()]
    put_in(tmp_path / "memory.db", six)
    call("dream", "--compact")
    with Store.open(tmp_path / "memory.db") as store:
        left = store.connection.execute("SELECT count(*) FROM entity WHERE status = 'active'").fetchone()[0]
    assert left <= 2


def test_names_that_look_alike_are_not_merged_by_resolve_without_an_option(monkeypatch, capsys):
    rows = [json.loads(line) for line in (FIXTURES / "hard_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    names = [row[side]["name"] for row in rows if not row["same"] for side in ("first", "second")]
    distinct = sorted(set(names))
    lines = "\n".join(json.dumps({"id": name, "name": name}) for name in distinct)
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    assert main(["resolve"]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["id"]: row["cluster"] for row in said if "cluster" in row} == {name: name for name in distinct}


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Torben zog von Flensburg nach Kiel", "Torben mag Tee"),
        ("Torben wohnt in Kiel", "Torben mag Wandern"),
        ("Torben lives in Kiel", "Torben plays the cello"),
        ("Torben vive en Vigo", "Torben toca el piano"),
        ("Torben Ahlers lives in Kiel", "Torben Ahlers plays the cello"),
        ("小明住在杭州", "小明会弹钢琴"),
    ],
)
def test_what_answers_another_question_is_not_asked_about(call, first, then):
    """The score of two sentences that share nothing but whom they are about is high in a memory of a few lines."""
    call("remember", first, "--session", "one")
    call("dream")
    call("remember", then, "--session", "two")
    assert "open_facts" not in call("dream")["figures"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Torben wohnt in Kiel", "Torben lebt in Husum"),
        ("Torben lives in Kiel", "Torben is based in Husum"),
        ("Torben vive en Vigo", "Torben reside en Lugo"),
    ],
)
def test_what_may_answer_the_same_question_in_other_words_is_asked_about(call, first, then):
    call("remember", first, "--session", "one")
    call("dream")
    call("remember", then, "--session", "two")
    (asked,) = call("dream")["figures"]["open_facts"]
    assert (asked["question"], asked["first_text"], asked["second_text"]) == ("replaces", first, then)
