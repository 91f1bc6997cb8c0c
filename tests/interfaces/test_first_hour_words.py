"""What a newcomer is told in the first hour: what an undo gave back, what became of a question, how a line is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream.interfaces.cli import main

Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on one memory; gives all that it printed."""

    def called(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        found = main([*words, "--db", str(tmp_path / "memory.db")])
        out, err = capsys.readouterr()
        assert found == code, out + err
        return out + err

    return called


@pytest.fixture
def asked(call: Call) -> Call:
    """a1 and a2 give two answers, told months apart, of which a dream asks."""
    call("remember", "Wiebke lives in Husum.", "--at", "2026-01-05", "--wait")
    call("remember", "Wiebke lives in Leer.", "--at", "2026-06-05", "--wait")
    assert "graphdream distinct a1 a2" in call("dream", "--compact")
    return call


def test_an_undo_says_what_came_back_by_kind_and_by_its_text(asked: Call) -> None:
    """It printed `attribute changed: 1`, which are words of the database."""
    asked("replace", "a1", "a2")
    told = asked("undo", "last")
    assert "1 fact brought back" in told and "Wiebke lives in Husum." in told
    assert "attribute" not in told


def test_an_undo_of_much_tells_a_few_of_each_kind_and_where_the_rest_is(call: Call, tmp_path: Path) -> None:
    rows = "".join(f"- Shelf {name} holds jars of {name} jam\n" for name in ("plum", "fig", "quince", "medlar", "pear"))
    (tmp_path / "cellar.md").write_text(f"# Cellar\n{rows}", encoding="utf-8")
    call("import", str(tmp_path / "cellar.md"))
    told = call("undo", "1")
    assert "5 facts taken out" in told and "Shelf plum holds jars of plum jam" in told
    assert "and 2 more" in told and "graphdream show 2" in told


def test_to_settle_what_a_replacement_has_settled_says_what_happened_and_what_can_be_done(asked: Call) -> None:
    asked("replace", "a1", "a2")
    told = asked("distinct", "a1", "a2")
    assert "a1 was already replaced by a2" in told and "graphdream restore a1" in told
    assert "no such contradiction" not in told and told.count("a1 was") + told.count("a1 is") == 1


def test_what_is_advised_there_can_be_done(asked: Call) -> None:
    asked("replace", "a1", "a2")
    asked("restore", "a1")
    assert "both hold" in asked("distinct", "a1", "a2")
    found = json.loads(asked("recall", "Wiebke", "--json"))
    assert {"Wiebke lives in Husum.", "Wiebke lives in Leer."} <= {hit["text"] for hit in found}


def test_what_was_settled_twice_and_what_was_put_aside_is_told_as_that(asked: Call) -> None:
    asked("distinct", "a1", "a2")
    assert "settled already that a1 and a2 both hold" in asked("distinct", "a1", "a2")
    asked("forget", "a2", "--reason", "moved away")
    told = asked("distinct", "a1", "a2")
    assert "a2 was archived" in told and "moved away" in told and "graphdream restore a2" in told


@pytest.mark.parametrize(
    ("words", "wrong", "right"),
    [
        (["--db", "x.db", "recall", "who is it?"], "--db stands before the command",
         "graphdream recall 'who is it?' --db x.db"),
        (["--db=x.db", "--json", "status"], "--db=x.db stands before", "graphdream status --db=x.db --json"),
        (["--agent", "mila", "dream"], "--agent stands before", "graphdream dream --agent mila"),
        (["--db", "remember", "it rains"], "--db is without its PATH", "graphdream remember 'it rains' --db PATH"),
        (["--db", "x.db", "recal", "who"], "'recal' is not a command", "did you mean `recall`"),
        (["--db", "x.db"], "--db stands before", "graphdream COMMAND --db x.db"),
        (["--db", "status", "dream"], "--db stands before", "graphdream dream --db status"),
        (["--db", "--json", "status"], "--db is without its PATH", "graphdream COMMAND --db PATH"),
        (["--agent"], "--agent is without its NAME", "graphdream COMMAND --agent NAME"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)  # fmt: skip
def test_options_before_the_command_are_answered_with_the_line_written_right(
    capsys: pytest.CaptureFixture[str], words: list[str], wrong: str, right: str
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert wrong in said.splitlines()[0] and right in said.splitlines()[1]


def test_recall_shows_where_a_fact_stands_as_the_notes_call_it(call: Call, tmp_path: Path) -> None:
    """It printed `Jams %2F Fig` of what stands under a heading within another, and of a name with a stroke."""
    notes = "# Cellar\n\n## Jams\n\n### Fig\n\n- Nine jars stand on the top shelf\n\n## Wine/beer\n\n- Ale is brewed at home\n"
    (tmp_path / "cellar.md").write_text(notes, encoding="utf-8")
    call("import", str(tmp_path / "cellar.md"))
    assert "concept/Cellar/Jams / Fig  (" in call("recall", "jars on the shelf")
    assert "concept/Cellar/Wine/beer  (" in call("recall", "who brews ale?")
    path = json.loads(call("recall", "jars on the shelf", "--json"))[0]["category"]
    assert path == "concept/Cellar/Jams %2F Fig", "programs get the path that --category takes"


def test_who_names_nobody_is_told_who_may_be_meant(call: Call) -> None:
    """A handle of a fact, as recall shows it, was an entity that is not there; and of a slip of the pen nothing was said."""
    call("remember", "Reet Kask tunes the organ.", "--category", "person/Reet Kask/work", "--wait")
    for command in (["entity", "a1"], ["pin", "a1"]):
        assert "a1 is a fact of e1 ('Reet Kask')" in call(*command, code=6)
    for command in (["entity", "Reet Kasc"], ["pin", "reet kaks"], ["merge", "Ret Kask", "--into", "e1"]):
        assert "did you mean e1 ('Reet Kask')?" in call(*command, code=6)
    assert "did you mean" not in call("pin", "Ülo Tamm", code=6)


def test_rows_are_called_what_people_call_them(call: Call) -> None:
    """They were attributes, and `such a row`."""
    call("remember", "Reet Kask tunes the organ.", "--category", "person/Reet Kask/work", "--wait")
    assert "there is no fact a77" in call("forget", "a77", code=6)
    assert "'e1' is no handle of a fact, such as a12" in call("constraint", "e1", code=2)
    assert "'e1' is no handle of a link, such as l7" in call("unlink", "e1", code=2)
    assert "1 entity, 1 aspect, 1 fact, 0 links" in call("doctor")
    assert "erased 1 fact" in call("purge", "a1", "--yes")


def test_two_passes_are_two_words_as_well_and_the_last_has_a_name(call: Call) -> None:
    """`diff 1 3` was an unrecognised argument, and of `diff last` nobody knew, as `show last` does."""
    for number in range(3):
        call("remember", f"Pipe {number} is of tin.", "--category", f"thing/Pipe {number}/make", "--wait")
    assert call("diff", "1", "3") == call("diff", "1..3").replace("diff 1..3 --all", "diff 1 3 --all")
    assert call("diff", "last").replace("last", "3") == call("diff", "3")
    assert call("diff", "1", "last").replace("last", "3") == call("diff", "1", "3")
    assert "are three" in call("diff", "1..2", "3", code=2)


def test_an_option_that_does_nothing_says_so(call: Call) -> None:
    """A budget of tokens was taken without a word where no model was asked."""
    call("remember", "Reet Kask tunes the organ.", "--wait")
    assert "--budget does nothing: no model is named" in call("dream", "--budget", "500")
    assert "--budget and --thorough do nothing" in call("dream", "--budget", "500", "--thorough", "--compact")
    assert "nothing: no model" not in call("dream")
