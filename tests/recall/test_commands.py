"""The commands print what the library returns."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from graphdream.__main__ import main
from graphdream.graph.store import Store
from graphdream.recall.vectors import embed_missing
from support.families import Families


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_recall_prints_the_fact_with_its_category(memory: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Avery editor", "-k", "1", "--explain", "--db", str(memory.path)]) == 0
    shown = lines(capsys)
    assert shown[0].endswith("Avery's editor is Zed.")
    assert "person/Avery/work" in shown[1]
    assert "words" in shown[2]


def test_batch_answers_each_line(
    memory: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"id": 7, "question": "pottery"}\n\n{"id": 8, "question": "zzz"}\n'))
    assert main(["recall", "--batch", "-", "--db", str(memory.path)]) == 0
    first, second = map(json.loads, lines(capsys))
    assert (first["id"], first["results"][0]["id"]) == (7, "c2")
    assert second == {"id": 8, "results": []}


def test_faults_are_told_in_words(memory: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"question": 3}\n')
    assert main(["recall", "--batch", str(bad), "--db", str(memory.path)]) == 2
    assert "line 1" in capsys.readouterr().err
    assert main(["recall", "--db", str(memory.path)]) == 2
    assert main(["recall", "--batch", str(tmp_path / "none"), "--db", str(memory.path)]) == 6


@pytest.mark.parametrize("asked", [["recall", "Porto"], ["categories"]])
def test_asking_a_path_that_is_not_there_makes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: list[str]
) -> None:
    assert main([*asked, "--db", str(tmp_path / "memori.db")]) == 6
    assert "there is no database at" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_an_agent_may_ask_before_it_was_told_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path))
    assert main(["recall", "Porto"]) == 0
    assert capsys.readouterr().out.startswith("nothing is remembered yet\n  graphdream import MEMORY.md ")
    assert main(["remember", "Ada sings.", "--wait"]) == 0
    capsys.readouterr()
    assert main(["recall", "Porto"]) == 0
    assert capsys.readouterr().out == "nothing is remembered about that\n"


@pytest.mark.parametrize("k", ['"many"', "null", "2.5", "0", "1001"])
def test_a_line_of_a_batch_with_a_wrong_k_is_told(
    memory: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], k: str
) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_text(f'{{"question": "pottery", "k": {k}}}\n')
    assert main(["recall", "--batch", str(asked), "--db", str(memory.path)]) == 2
    assert "internal" not in capsys.readouterr().err


UNSTORABLE = "half \udcff of a pair, and a \x00 inside"  # what a shell passes for bytes that are no UTF-8
STORED = "half \ufffd of a pair, and a \ufffd inside"


def test_bytes_that_are_no_text_are_remembered_as_far_as_they_are_text(
    memory: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--db", str(memory.path)]
    remember = [
        "remember",
        "--wait",
        UNSTORABLE,
        "--category",
        "notes/\udcff",
        "--tag",
        "\udcff",
        "--session",
        "\udcff",
    ]
    assert main([*remember, *where]) == 0
    assert main(["context", "--session", UNSTORABLE, "--message", UNSTORABLE, *where]) == 0
    assert STORED in capsys.readouterr().out
    assert main(["working", "put", UNSTORABLE, UNSTORABLE, "--tag", "\udcff", *where]) == 0
    assert main(["working", "get", UNSTORABLE, *where]) == 0
    assert STORED in capsys.readouterr().out


def test_doctor_says_how_many_facts_lack_a_vector(memory: Store, capsys: pytest.CaptureFixture[str]) -> None:
    model, doctor = Families(), ["doctor", "--db", str(memory.path)]
    for made, lacking in ((0, None), (2, 3), (3, 0)):
        embed_missing(memory, model, limit=made)
        assert main(doctor) == 0
        found = [line for line in lines(capsys) if line.startswith("vectors ")]
        assert (f"{lacking} lack one" in "".join(found)) is bool(lacking)
        assert len(found) == (0 if lacking is None else 1)


def test_remember_then_recall_then_categories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--db", str(tmp_path / "new.db")]
    assert main(["remember", "The user lives in Porto", "--category", "user-preferences/home", "--wait", *where]) == 0
    handle = lines(capsys)[0].split()[0]
    assert main(["recall", "Porto", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)[0]["handle"] == handle
    assert main(["categories", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out) == {"user-preferences/home": 1}


def test_context_prints_exactly_what_is_injected(memory: Store, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["context", "--session", "s", "--message", "Avery editor", "--db", str(memory.path)]
    assert main(ask) == 0
    text = capsys.readouterr().out
    assert main([*ask, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] + "\n" == text


def test_working_memory_by_hand(memory: Store, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--namespace", "session/s", "--db", str(memory.path)]
    assert main(["working", "put", "draft", "hello", *where]) == 0
    assert main(["working", "get", "draft", *where]) == 0
    assert lines(capsys)[-1] == "hello"
    assert main(["working", "drop", "draft", *where]) == 0
    assert main(["working", "get", "draft", *where]) == 6


def test_feedback_is_confirmed_with_its_counts_and_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(tmp_path / "memory.db")]
    assert main(["remember", "Ada sings in a choir.", *db]) == 0
    for session, note in (("s1", ""), ("s2", "she left"), ("s1", "")):
        capsys.readouterr()
        assert main(["feedback", "a1", "wrong", "--session", session, "--note", note, *db]) == 0
    assert capsys.readouterr().out == (
        "a1  Ada sings in a choir.\n      this session had said so already (so far: wrong 2)\n"
    )
    assert main(["feedback", *db]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("fact  said") and "she left" in listed and listed.count("a1") == 2
    assert main(["feedback", "a2", *db]) == 0 and "no feedback" in capsys.readouterr().out


def test_what_was_said_of_a_session_is_listed_beside_what_was_said_of_a_fact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "memory.db")]
    assert main(["remember", "Ada sings in a choir.", *db]) == 0
    correction = ["feedback", "Never order\nflour on a Sunday.", "--kind", "correction", "--session", "s7"]
    assert main([*correction, "--skill", "orders", "--at", "2026-03-02T09:00:00Z", *db]) == 0
    assert main(["feedback", "a1", "wrong", "--note", "she left", *db]) == 0
    assert main(["feedback", "", "--kind", "thumbs-up", "--session", "s8", "--at", "2026-03-01", *db]) == 0
    capsys.readouterr()
    assert main(["feedback", *db]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["fact", "said", "on", "in", "session", "note"]
    assert [row.split()[:2] for row in rows] == [
        ["a1", "wrong"],
        ["correction", "2026-03-02"],
        ["thumbs-up", "2026-03-01"],
    ]
    assert rows[1].endswith("s7          Never order flour on a Sunday. (orders)")
    assert main(["feedback", "--json", *db]) == 0
    fact, said, _ = json.loads(capsys.readouterr().out)
    assert (fact["fact"], fact["signal"], fact["note"], fact["skill"]) == ("a1", "wrong", "she left", "")
    assert said == {
        "fact": None, "signal": "correction", "session": "s7", "note": "Never order\nflour on a Sunday.",
        "given_at": "2026-03-02T09:00:00Z", "skill": "orders",
    }  # fmt: skip
    assert main(["feedback", "a1", *db]) == 0
    assert "correction" not in capsys.readouterr().out
