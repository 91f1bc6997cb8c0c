"""Working memory: own writes, reads everywhere, and nothing outlives its time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.clock import shifted
from graphdream.errors import ConflictError, NotFoundError, UsageError
from graphdream.graph.store import Store
from graphdream.views.working import DEFAULT_TTL_SECONDS, MAX_ENTRIES, WorkingMemory


class Watch:
    """A clock that is set by hand."""

    now = "2026-04-01T00:00:00Z"

    def __call__(self) -> str:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now = shifted(self.now, seconds)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def own(store: Store, watch: Watch) -> WorkingMemory:
    return WorkingMemory(store, "session/abc", clock=watch)


def test_a_note_is_read_by_its_plain_key_here_and_by_its_full_key_elsewhere(
    own: WorkingMemory, store: Store, watch: Watch
) -> None:
    own.put("inbox", "three mails")
    other = WorkingMemory(store, "subagent/t1", clock=watch)
    assert own.get("inbox").value == other.get("session/abc/inbox").value == "three mails"
    with pytest.raises(NotFoundError):
        other.get("inbox")


def test_one_writes_in_ones_own_namespace_only(own: WorkingMemory) -> None:
    for key in ("patrol/heartbeat/alert", "session/other/inbox", ""):
        with pytest.raises(UsageError):
            own.put(key, "x")
    assert own.put("session/abc/inbox", "x").key == "session/abc/inbox"


def test_notes_expire_after_five_minutes(own: WorkingMemory, watch: Watch) -> None:
    own.put("inbox", "x")
    watch.forward(DEFAULT_TTL_SECONDS - 1)
    assert own.get("inbox")
    watch.forward(1)
    with pytest.raises(NotFoundError):
        own.get("inbox")
    assert list(own.list()) == []


def test_a_full_namespace_refuses_and_an_expired_note_makes_room(own: WorkingMemory, watch: Watch) -> None:
    own.put("short", "x", ttl_seconds=10)
    for at in range(MAX_ENTRIES - 1):
        own.put(f"n{at}", "x")
    with pytest.raises(ConflictError):
        own.put("more", "x")
    own.put("n1", "replaced")
    watch.forward(11)
    assert own.put("more", "x")


def test_notes_survive_a_restart(tmp_path: Path, watch: Watch) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        WorkingMemory(store, "session/abc", clock=watch).put("inbox", "x")
    with Store.open(tmp_path / "memory.db") as store:
        assert WorkingMemory(store, "session/abc", clock=watch).get("inbox").value == "x"


def test_search_by_words_category_tags_and_place(own: WorkingMemory, store: Store, watch: Watch) -> None:
    own.put("a", "red and blue", category="colour", tags=["x", "y"])
    own.put("b", "red", tags=["x"])
    WorkingMemory(store, "patrol/colours", clock=watch).put("c", "blue")
    assert [note.key for note in own.search("red blue")] == ["session/abc/a", "session/abc/b"]
    assert [note.key for note in own.search(tags=["y"])] == ["session/abc/a"]
    assert [note.key for note in own.search("red", category="colour")] == ["session/abc/a"]
    assert [note.key for note in own.search("blue", prefix="/")] == ["patrol/colours/c", "session/abc/a"]
    assert [note.key for note in own.search("blue", prefix="patrol")] == ["patrol/colours/c"]


def test_a_session_sees_what_patrols_left_and_a_patrol_its_own(own: WorkingMemory, store: Store, watch: Watch) -> None:
    patrol = WorkingMemory(store, "patrol/heartbeat", clock=watch)
    patrol.put("alert", "x", ttl_seconds=3600)
    own.put("draft", "x")
    assert [line.split(":")[0] for line in own.inventory()] == ["session/abc/draft", "patrol/heartbeat/alert"]
    assert len(patrol.inventory()) == 1


@pytest.mark.parametrize("namespace", ["", "session", "session/", "a/b/c"])
def test_a_namespace_is_two_segments(store: Store, namespace: str) -> None:
    with pytest.raises(UsageError):
        WorkingMemory(store, namespace)
