"""Recording: nothing is lost, nothing is told twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphdream.errors import ConflictError, NotFoundError, UsageError
from graphdream.events.adding import Recorded
from graphdream.events.record import record
from graphdream.events.told import MAX_KEY_CHARACTERS, Observation
from graphdream.events.transcripts import Transcript, Turn
from graphdream.graph.store import Store
from tests.support.sessions import find_session, list_sessions, observations_of, summaries_of, turns_of

NOW = "2026-04-02T00:00:00.000Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as store:
        yield store


def put(store: Store, key: str = "s1", **told: Any) -> Recorded:
    return record(store, key, clock=lambda: NOW, **told)


def said(*words: str) -> Transcript:
    return Transcript(tuple(Turn("user", word) for word in words))


def words(store: Store, key: str = "s1") -> list[str]:
    return [turn.content for turn in turns_of(store.connection, find_session(store.connection, key).id)]


def test_everything_told_is_on_record(store: Store) -> None:
    recorded = put(
        store,
        summary="  Avery moved the deadline.\n",
        transcript=Transcript((Turn("user", "Friday!", "t1", "2026-04-01T09:00:00Z"),)),
        ended_at="2026-04-01 12:00+02:00",
        observations=[
            "Avery works on Fridays.",
            Observation("Kai is away.", "user", ("t1",)),
            {"speaker": "user", "text": "It rains.", "evidence": ["t1"]},
        ],
        metadata={"host": "test"},
    )
    assert recorded == Recorded(1, "s1", True, summaries=1, turns=1, observations=3)
    session = find_session(store.connection, "s1")
    assert tuple(session) == (
        1, "s1", "session", "2026-04-01T09:00:00Z", "2026-04-01T10:00:00Z", NOW, {"host": "test"}
    )  # fmt: skip
    (summary,) = summaries_of(store.connection, session.id)
    assert (summary.content, summary.tokens, summary.read_by) == ("Avery moved the deadline.", None, None)
    assert turns_of(store.connection, session.id) == [Turn("user", "Friday!", "t1", "2026-04-01T09:00:00Z")]
    assert [(seen.content, seen.speaker, seen.evidence) for seen in observations_of(store.connection, session.id)] == [
        ("Avery works on Fridays.", "", ()),
        ("Kai is away.", "user", ("t1",)),
        ("It rains.", "user", ("t1",)),
    ]


def test_telling_the_same_again_writes_nothing(store: Store) -> None:
    told: dict[str, Any] = {
        "summary": "one", "transcript": said("a", "b"), "observations": ["x"], "started_at": "2026-04-01",
        "ended_at": "2026-04-02", "metadata": {"k": 1},
    }  # fmt: skip
    put(store, **told)
    before = store.connection.total_changes
    again = put(store, **told)
    assert not again.anything
    assert store.connection.total_changes == before


def test_a_second_summary_is_a_further_one(store: Store) -> None:
    put(store, summary="one")
    put(store, summary="two")
    put(store, summary=" one\n")
    assert [summary.content for summary in summaries_of(store.connection, 1)] == ["one", "two"]


def test_the_same_summary_of_two_sessions_is_two_events(store: Store) -> None:
    put(store, "s1", summary="one")
    put(store, "s2", summary="one")
    assert [len(summaries_of(store.connection, session.id)) for session in list_sessions(store.connection)] == [1, 1]


def test_the_hosts_own_summary_is_used_where_none_is_given(store: Store) -> None:
    told = Transcript((Turn("user", "a"),), summary="so far")
    put(store, "s1", transcript=told)
    put(store, "s2", transcript=told, summary="mine")
    assert [summaries_of(store.connection, number)[0].content for number in (1, 2)] == ["so far", "mine"]


def test_turns_are_numbered_on(store: Store) -> None:
    put(store, transcript=said("a", "b"))
    put(store, transcript=said("a", "b", "c"))
    rows = store.connection.execute("SELECT position, content FROM turn ORDER BY position").fetchall()
    assert [tuple(row) for row in rows] == [(0, "a"), (1, "b"), (2, "c")]


def test_the_outermost_times_are_kept(store: Store) -> None:
    put(store, summary="a", started_at="2026-04-01T10:00:00Z", ended_at="2026-04-01T10:00:00.500Z")
    put(store, summary="b", started_at="2026-04-01T09:00:00Z", ended_at="2026-04-01T10:00:00Z")
    session = find_session(store.connection, "s1")
    assert (session.started_at, session.ended_at) == ("2026-04-01T09:00:00Z", "2026-04-01T10:00:00.500Z")


def test_metadata_is_added_to(store: Store) -> None:
    put(store, summary="a", metadata={"a": 1, "b": 1})
    put(store, summary="a", metadata={"b": 2, "c": [None]})
    assert find_session(store.connection, "s1").metadata == {"a": 1, "b": 2, "c": [None]}


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({}, "nothing to record"),
        ({"summary": " \n"}, "nothing to record"),
        ({"key": " ", "summary": "a"}, "no id"),
        ({"key": "k" * (MAX_KEY_CHARACTERS + 1), "summary": "a"}, "at most"),
        ({"summary": "a", "ended_at": "tomorrow"}, "ended_at: 'tomorrow' is not a time"),
        ({"summary": "a", "started_at": "2026-13-01"}, "started_at"),
        ({"summary": "a", "started_at": "2026-04-02", "ended_at": "2026-04-01"}, "before it starts"),
        ({"summary": "a", "kind": "nightmare"}, "not a kind"),
        ({"summary": "a", "metadata": {"a": object()}}, "not JSON"),
        ({"summary": "a", "metadata": {"a": float("nan")}}, "not JSON"),
        ({"observations": [" "]}, "blank"),
        ({"observations": [{"speaker": "Ada"}]}, "not an observation"),
    ],
)
def test_a_wrong_call_is_refused_and_leaves_nothing(store: Store, told: dict[str, Any], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        put(store, **told)
    assert not list_sessions(store.connection)


def test_a_missing_transcript_is_told_before_anything_is_written(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        put(store, summary="a", transcript=tmp_path / "none.jsonl")
    assert not list_sessions(store.connection)


def test_a_dream_is_no_session_and_the_other_way_round(store: Store) -> None:
    put(store, "dream-1", summary="a", kind="dream")
    with pytest.raises(ConflictError, match="on record as a dream"):
        put(store, "dream-1", summary="a")
    assert [session.key for session in list_sessions(store.connection, kind="dream")] == ["dream-1"]
    assert list_sessions(store.connection, kind="session") == []


def test_within_a_transaction_of_the_caller_it_is_part_of_that_one(store: Store) -> None:
    with pytest.raises(RuntimeError), store.writing():
        put(store, summary="a")
        raise RuntimeError
    assert not list_sessions(store.connection)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One file for many examples."""
    with Store.open(tmp_path_factory.mktemp("shared") / "memory.db") as store:
        store.connection.execute("PRAGMA synchronous = OFF")
        yield store


@given(key=st.text(min_size=1, max_size=20), summary=st.text(max_size=40), turn=st.text(max_size=40))
def test_any_text_can_be_recorded_and_telling_it_again_is_nothing_new(
    shared: Store, key: str, summary: str, turn: str
) -> None:
    told: dict[str, Any] = {"summary": summary, "transcript": [{"role": turn, "content": turn}]}
    assume(key.strip())
    put(shared, key, **told)
    assert not put(shared, key, **told).anything


def test_events_cannot_be_changed(store: Store) -> None:
    import sqlite3

    put(store, summary="a", transcript=said("b"))
    for sql in ("UPDATE summary SET content = 'x'", "UPDATE turn SET content = 'x'"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            store.connection.execute(sql)


def test_unknown_session(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no session 'x'"):
        find_session(store.connection, "x")
