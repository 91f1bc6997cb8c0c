"""The backlog: every token counted once, exactly, and subtracted only when a pass has read it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.events import counter
from graphdream.events.counter import Backlog, backlog, count_pending, mark_read, unread_tokens
from graphdream.events.record import record
from graphdream.events.tokens import EstimatingTokenizer, default_tokenizer
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass


class Words:
    """One token a word; remembers what it was asked to count."""

    name = "words"
    exact = True

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return len(text.split())

    def count_many(self, texts: Iterable[str]) -> list[int]:
        return [self.count(text) for text in texts]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as store:
        yield store


def put(store: Store, key: str, summary: str, kind: str = "session") -> None:
    record(store, key, summary=summary, kind=kind, clock=lambda: f"2026-04-01T00:00:0{len(key)}Z")


def read(store: Store, *summary_ids: int) -> int:
    """A pass that reads these summaries; returns how many it marked."""
    with open_pass(store, PassHeader(kind="dream")) as current:
        return mark_read(store.connection, current.id, summary_ids)


def test_the_figure_is_that_of_the_real_tokenizer(store: Store) -> None:
    texts = ["Avery moved the deadline to Friday.", "Дедлайн перенесён. 締め切りは金曜日。", "a" * 10_000]
    for number, text in enumerate(texts):
        put(store, f"s{number}", text)
    tokenizer = default_tokenizer()
    assert unread_tokens(store) == sum(tokenizer.count(text) for text in texts)


def test_every_summary_is_counted_once(store: Store) -> None:
    words = Words()
    put(store, "a", "one two")
    assert unread_tokens(store, lambda: words) == 2
    put(store, "b", "three")
    assert [unread_tokens(store, lambda: words) for _ in range(3)] == [3, 3, 3]
    assert words.counted == ["one two", "three"]
    assert [tuple(row) for row in store.connection.execute("SELECT tokens, tokenizer FROM summary")] == [
        (2, "words"),
        (1, "words"),
    ]


def test_no_tokenizer_is_loaded_where_everything_is_counted(store: Store) -> None:
    put(store, "a", "one two")
    unread_tokens(store, Words)

    def load() -> Words:
        raise AssertionError("a tokenizer was loaded")

    assert unread_tokens(store, load) == 2


def test_only_what_a_pass_read_is_subtracted(store: Store) -> None:
    for key, text in (("a", "one"), ("bb", "two three"), ("ccc", "four five six")):
        put(store, key, text)
    assert unread_tokens(store, Words) == 6
    assert read(store, 2) == 1
    put(store, "dddd", "seven")  # arrives during or after the pass
    assert unread_tokens(store, Words) == 1 + 3 + 1
    assert read(store, 2, 3) == 1  # what was read stays with its first reader
    assert [row[0] for row in store.connection.execute("SELECT read_by FROM summary ORDER BY id")] == [None, 1, 2, None]


def test_a_pass_that_fails_has_read_nothing(store: Store) -> None:
    put(store, "a", "one")
    with pytest.raises(RuntimeError), open_pass(store, PassHeader(kind="dream")) as current:
        mark_read(store.connection, current.id, [1])
        raise RuntimeError
    assert unread_tokens(store, Words) == 1


def test_observations_are_marked_as_well(store: Store) -> None:
    record(store, "a", observations=["one", "two"])
    with open_pass(store, PassHeader(kind="dream")) as current:
        assert mark_read(store.connection, current.id, [], [1]) == 1
    assert backlog(store, Words).observations == 1


def test_the_backlog_names_sessions_and_the_oldest(store: Store) -> None:
    assert backlog(store, Words) == Backlog(0, True, 0, 0, 0, None)
    put(store, "aa", "one")
    put(store, "aa", "two")
    put(store, "bbb", "three")
    record(store, "c", observations=["x"], clock=lambda: "2026-04-01T00:00:01Z")
    assert backlog(store, Words) == Backlog(3, True, 3, 3, 1, "2026-04-01T00:00:01Z")


def test_a_dream_makes_no_backlog(store: Store) -> None:
    """A pass that records itself must not make the next one due."""
    record(store, "dream-1", kind="dream", summary="merged two", observations=["it went well"])
    assert backlog(store, Words) == Backlog(0, True, 0, 0, 0, None)


def test_an_estimate_is_said_to_be_one(store: Store) -> None:
    put(store, "a", "one two")
    assert backlog(store, EstimatingTokenizer) == Backlog(2, False, 1, 1, 0, "2026-04-01T00:00:01Z")


@pytest.mark.parametrize("blocked", ["by a writer", "by a read-only file"])
def test_where_figures_cannot_be_stored_the_answer_is_exact_all_the_same(store: Store, blocked: str) -> None:
    for key in ("a", "bb", "ccc"):
        put(store, key, "one two")
    other = sqlite3.connect(store.path, isolation_level=None)
    if blocked == "by a writer":
        other.execute("BEGIN IMMEDIATE")
    else:
        store.connection.execute("PRAGMA query_only = ON")
    assert unread_tokens(store, Words) == 6
    assert store.connection.execute("SELECT count(tokens) FROM summary").fetchone()[0] == 0
    other.close()
    store.connection.execute("PRAGMA query_only = OFF")
    assert count_pending(store, Words()) == {}
    assert store.connection.execute("SELECT sum(tokens) FROM summary").fetchone()[0] == 6
    assert store.connection.execute("PRAGMA busy_timeout").fetchone()[0] == 60_000


def test_batches_are_bounded_and_cover_everything(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter, "_BATCH_SUMMARIES", 3)
    monkeypatch.setattr(counter, "_BATCH_CHARACTERS", 20)
    texts = [f"{'word ' * (number % 7)}end" for number in range(20)]
    for number, text in enumerate(texts):
        put(store, f"s{number}", text)
    assert unread_tokens(store, Words) == sum(len(text.split()) for text in texts)
    assert store.connection.execute("SELECT count(*) FROM summary WHERE tokens IS NULL").fetchone()[0] == 0


def test_what_is_recorded_while_counting_goes_on_is_counted(store: Store) -> None:
    put(store, "a", "one")

    class Slow(Words):
        def count_many(self, texts: Iterable[str]) -> list[int]:
            with Store.open(store.path) as other:
                put(other, "bb", "two three")
            return super().count_many(texts)

    slow = Slow()
    assert unread_tokens(store, lambda: slow) == 3


def test_who_only_reads_counts_and_writes_nothing(tmp_path: Path) -> None:
    """What another program has put beside the file is left to others, and figures are not stored."""
    path = tmp_path / "memory.db"
    with graphdream.open(path) as graph:
        graph.record_session("one", summary="Mirela plays the oboe.")
        before = graph.store.connection.total_changes
        tokens = graph.status().backlog.tokens
        assert tokens == unread_tokens(graph.store, reading=True) > 0
        assert graph.store.connection.total_changes == before
        assert unread_tokens(graph.store) == tokens and graph.store.connection.total_changes > before
        graph.record_session("long", summary="word " * 20_000)
        before = graph.store.connection.total_changes
        assert graph.status().backlog.tokens > tokens and graph.store.connection.total_changes > before
