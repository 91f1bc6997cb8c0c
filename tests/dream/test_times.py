"""When a fact holds in the world is told with it or set afterwards, as exactly as it is known, and read at a date."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import graphdream
from graphdream.interfaces.cli import main

Call = Callable[..., str]
HOME = "Cẩm Tú lives in Huế"


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def called(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == code
        told = capsys.readouterr()
        return told.out if code == 0 else told.err

    return called


def test_a_fact_is_told_with_its_times_and_found_only_while_it_holds(call: Call) -> None:
    place = ["--category", "person/Cẩm Tú/home"]
    call("remember", HOME, *place, "--valid-from", "2026-03", "--valid-to", "2026-09", "--at", "2026-03-01")
    assert f"{HOME}  [since 2026-03; until 2026-09]" in call("entity", "Cẩm Tú")
    assert HOME in call("recall", "Cẩm Tú", "--as-of", "2026-08-31")
    assert HOME not in call("recall", "Cẩm Tú", "--as-of", "2026-09-02")
    assert HOME not in call("recall", "Cẩm Tú", "--as-of", "2026-02-01")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["--valid-from", "2020", "--valid-to", "2031-05", "--occurred-at", "2020-02"],
         "since 2020; until 2031-05; on 2020-02"),
        (["--valid-from", "2020-03-15", "--valid-to", "2031"], "since 2020-03-15; until 2031"),
        (["--valid-from", "2020-03", "--valid-to", "2031-05-02"], "since 2020-03; until 2031-05-02"),
        (["--valid-from", "2020-03-15", "--valid-to", "2031-05-02"], "since 2020-03-15; until 2031-05-02"),
        (["--occurred-at", "2020-03-15T18:30"], "on 2020-03-15T18:30:00Z"),
    ],
)  # fmt: skip
def test_each_time_is_shown_as_exactly_as_it_was_given(call: Call, given: list[str], shown: str) -> None:
    """All were shown as exactly as the first: an end in May 2031 beside a beginning in 2020 as 2031."""
    call("remember", HOME, "--category", "person/Cẩm Tú/home", *given)
    assert f"{HOME}  [{shown}]" in call("entity", "Cẩm Tú")


@pytest.mark.parametrize(
    ("before", "given", "shown"),
    [
        ([], ["--valid-from", "2020-03-15", "--valid-to", "2031"], "since 2020-03-15; until 2031"),
        ([], ["--valid-from", "2020", "--valid-to", "2031-05-02"], "since 2020; until 2031-05-02"),
        ([], ["--valid-from", "2020-03", "--occurred-at", "2020-04-02"], "since 2020-03; on 2020-04-02"),
        (["--valid-from", "2020"], ["--occurred-at", "2020-04-02"], "since 2020; on 2020-04-02"),
        (["--valid-from", "2020-03-15"], ["--valid-to", "2031"], "since 2020-03-15; until 2031"),
        (["--valid-from", "2020"], ["--valid-from", "2020-03-15"], "since 2020-03-15"),
        (["--valid-from", "2020"], ["--clear", "valid-from", "--valid-to", "2031-05"], "until 2031-05"),
    ],
)
def test_times_that_are_dated_later_are_known_as_exactly_as_they_were_given(
    call: Call, before: list[str], given: list[str], shown: str
) -> None:
    """All were known as exactly as the first that was given, those that had been given before as well."""
    call("remember", HOME, "--category", "person/Cẩm Tú/home", *before)
    call("date", "a1", *given)
    assert f"{HOME}  [{shown}]" in call("entity", "Cẩm Tú")


def test_a_time_that_would_be_known_less_exactly_than_it_was_given_is_refused(call: Call) -> None:
    call("remember", HOME, "--category", "person/Cẩm Tú/home")
    told = call("date", "a1", "--valid-from", "2020-01-01", "--valid-to", "2031", code=2)
    assert "by the year 2020-01-01 (valid_from) would be known by the year alone; say `precision`" in told
    call("date", "a1", "--valid-from", "2020-01-01", "--valid-to", "2031", "--precision", "day")
    assert "[since 2020-01-01; until 2031-01-01]" in call("entity", "e1")


def test_who_says_how_exactly_all_of_them_are_known_is_believed(call: Call) -> None:
    call("remember", HOME, "--category", "person/Cẩm Tú/home")
    call("date", "a1", "--valid-from", "2026-03-11", "--valid-to", "2026-05-12", "--precision", "month")
    assert "[since 2026-03; until 2026-05]" in call("entity", "e1")


def test_times_are_set_changed_and_cleared_by_a_command_and_taken_back(call: Call) -> None:
    call("remember", HOME, "--category", "person/Cẩm Tú/home")
    done = json.loads(call("date", "a1", "--valid-to", "2027", "--review-after", "2026-12-24", "--json"))["pass"]
    page = json.loads(call("entity", "Cẩm Tú", "--json"))
    (fact,) = page["facts"]["home"]
    assert (fact["valid_to"], fact["precision"]) == ("2027-01-01T00:00:00Z", "year")
    assert "[until 2027; look again after 2026-12-24]" in call("entity", "e1")
    assert "has these times already" in call("date", "a1", "--valid-to", "2027")
    call("date", "a1", "--clear", "valid-to", "--occurred-at", "2026-05-11", "--precision", "month")
    assert "[on 2026-05; look again after 2026-12-24]" in call("entity", "e1")
    call("undo", str(done + 1))
    assert "[until 2027; look again after" in call("entity", "e1")
    assert "verified" in call("verify") or "agree" in call("verify")


def test_what_is_no_time_or_ends_before_it_begins_is_refused(call: Call) -> None:
    call("remember", HOME, "--category", "person/Cẩm Tú/home", "--valid-from", "2026-03-15")
    assert "no year, month, day or time" in call("date", "a1", "--valid-to", "soon", code=2)
    assert "before it began" in call("date", "a1", "--valid-to", "2026-03-01", code=2)
    assert "is not a time" in call("remember", "x is y", "--valid-from", "2026-13", code=2)
    assert "[since 2026-03-15]" in call("entity", "e1")


def test_what_is_known_already_is_reinforced_and_dated_also_when_it_waited(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        first = graph.remember(HOME, category="person/Cẩm Tú/home")
        again = graph.remember(HOME, category="person/Cẩm Tú/home", valid_to="2026-11", review_after="2026-10-01")
        assert (again.handle, again.known) == (first.handle, True)
        (fact,) = graph.entity("Cẩm Tú").facts["home"]
        assert (fact.valid_to, fact.precision, fact.reinforcement) == ("2026-11-01T00:00:00Z", "month", 2)
        graph.edit({"op": "date_attribute", "attribute": "a1", "clear": ["valid_to"]})
        (fact,) = graph.entity("Cẩm Tú").facts["home"]
        assert fact.valid_to is None and fact.review_after == "2026-10-01T00:00:00Z"
        assert graph.replay(again.pass_id).same and graph.verify().ok
    told = ["remember", HOME, "--category", "person/Cẩm Tú/home", "--valid-to", "2026-12"]
    assert main([*told, "--db", str(tmp_path / "memory.db")]) == 0
    with graphdream.open(tmp_path / "memory.db") as graph:
        (fact,) = graph.entity("Cẩm Tú").facts["home"]
        assert (fact.valid_to, fact.reinforcement) == ("2026-12-01T00:00:00Z", 3) and graph.verify().ok
        with pytest.raises(graphdream.ConflictError):
            graph.remember(HOME, category="person/Cẩm Tú/home", valid_to="2026-10", by="agent")


def test_further_entities_that_a_fact_names_are_on_their_pages(call: Call) -> None:
    call("remember", "keeps the bees of the Ostertor café", "--category", "person/Zsófia Tömösvári/work")
    call("remember", "sold Zsófia Tömösvári two hives", "--category", "person/Dragiša/work")
    page = json.loads(call("entity", "Zsófia Tömösvári", "--json"))
    assert [fact["content"] for fact in page["named_in"]] == ["sold Zsófia Tömösvári two hives"]


@pytest.mark.parametrize("time", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"])
def test_a_time_that_is_none_in_utc_is_refused(call: Call, time: str) -> None:
    for option in ("--at", "--valid-from", "--valid-to", "--occurred-at", "--review-after"):
        assert "is not a time" in call("remember", HOME, option, time, code=2)
    call("remember", HOME)
    call("recall", HOME, "--as-of", time, code=2)


def test_what_is_told_at_the_ends_of_the_calendar_is_remembered_and_found(call: Call) -> None:
    for day in ("0001-01-01", "9999-12-31"):
        for fact in ("The meeting was yesterday", "The meeting is tomorrow", "The meeting is next Friday"):
            call("remember", f"{fact} ({day[:4]})", "--at", day)
    for asked in (
        "meeting December 31 9999",
        "meeting yesterday",
        "meeting in December 9999",
        "meeting in January 0001",
    ):
        call("recall", asked)
        call("recall", asked, "--as-of", "9999-12-31")
    call("dream")
