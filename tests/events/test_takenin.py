"""What is remembered of calls that were taken in is bounded, and none is ever taken in twice, nor one lost."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.clock import shifted
from graphdream.dream.later import put_off_call, take_in_told
from graphdream.errors import IntegrityError
from graphdream.events import takenin
from graphdream.events.spool import CALLS, refused, spool_path, waiting
from graphdream.events.takenin import ForgottenCallError, note_taken_in, taken_in_at
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from tests.support.attacks import shell

BEGIN = "2026-03-01T00:00:00.000Z"
KEPT, STEP = 5, 3
ROWS = "SELECT count(*) FROM meta WHERE key LIKE 'taken in %'"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a handful were many."""
    monkeypatch.setattr(takenin, "KEPT", KEPT)
    monkeypatch.setattr(takenin, "_STEP", STEP)


class Life:
    """Calls that are taken in over the time, by a clock that a test sets."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self.now = store, BEGIN
        monkeypatch.setattr(takenin, "utc_now", lambda: self.now)

    def name(self, number: int, kind: str = CALLS) -> Path:
        """The file of a call that is told now."""
        return spool_path(self.store.path) / f"{self.now.replace(':', '')}-{number:016x}{kind}"

    def take_in(self, call: Path) -> bool:
        """Whether a call is taken in that has come to its place just now; False where it is set aside."""
        with self.store.writing():
            try:
                if not taken_in_at(self.store, call):
                    note_taken_in(self.store, call)
                    return True
            except ForgottenCallError:
                pass
        return False

    def rows(self) -> int:
        count: int = self.store.connection.execute(ROWS).fetchone()[0]
        return count


@contextmanager
def a_life(folder: Path) -> Iterator[Life]:
    with Store.open(folder / "memory.db") as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(takenin, "KEPT", KEPT)
        patch.setattr(takenin, "_STEP", STEP)
        yield Life(store, patch)


waits = st.lists(
    st.tuples(st.sampled_from((1.0, 600.0, 30_000.0, 100_000.0)), st.sampled_from((CALLS, ".json"))), max_size=40
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(waits=waits, late=st.integers(0, 39))
def test_no_call_is_taken_in_twice_and_the_rows_are_bounded(
    waits: list[tuple[float, str]], late: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with a_life(tmp_path_factory.mktemp("life")) as life:
        calls: list[tuple[Path, str]] = []
        held: tuple[Path, str] | None = None  # a call that somebody keeps from being taken in, for as long as it takes
        for number, (seconds, kind) in enumerate(waits):
            life.now = shifted(life.now, seconds)
            call = life.name(number, kind)
            if number == late:
                held = call, life.now
                continue
            assert life.take_in(call), "one that is told now is never set aside"
            calls.append((call, life.now))
        last_day = shifted(life.now, -takenin.KEPT_SECONDS)
        recent = sum(at >= last_day for _, at in calls)
        assert life.rows() <= 2 * (KEPT + STEP) + recent
        assert life.store.seal.faults(anew=True) == []
        assert not any(life.take_in(call) for call, _ in calls)
        if held is not None and held[1] >= last_day:
            assert life.take_in(held[0]), "what was delayed for less than a day is taken in"


def test_one_that_was_told_long_ago_is_taken_in_where_nothing_so_new_was_forgotten(few: None, tmp_path: Path) -> None:
    with a_life(tmp_path) as life:
        first = life.name(0)
        life.now = shifted(life.now, 1e7)
        for number in range(1, KEPT + STEP):
            assert life.take_in(life.name(number))
        assert life.take_in(first)


def test_a_clock_that_ran_ahead_keeps_no_call_out(tmp_path: Path) -> None:
    with a_life(tmp_path) as life:
        life.now = "2029-01-01T00:00:00.000Z"
        ahead = []
        for number in range(4 * (KEPT + STEP)):
            ahead.append(life.name(number))
            assert life.take_in(ahead[-1])
            life.now = shifted(life.now, 50_000.0)
        life.now = BEGIN
        for number in range(100, 100 + 4 * (KEPT + STEP)):
            call = life.name(number)
            assert life.take_in(call) and not life.take_in(call)
            life.now = shifted(life.now, 50_000.0)


def test_a_file_that_nobody_could_discard_is_not_forgotten(tmp_path: Path) -> None:
    with a_life(tmp_path) as life:
        kept = life.name(0)
        kept.parent.mkdir()
        kept.write_text("{}", encoding="utf-8")
        assert life.take_in(kept)
        at = life.now
        for number in range(1, 40):
            life.now = shifted(life.now, 200_000.0)
            assert life.take_in(life.name(number))
        with life.store.writing():
            assert taken_in_at(life.store, kept) == at
        assert life.rows() <= KEPT + STEP + 1


def test_a_call_that_was_forgotten_and_is_put_back_is_set_aside_and_told(
    few: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "memory.db"
    assert main(["remember", "Grace writes compilers", "--wait", "--category", "person/Grace", "--db", str(path)]) == 0
    call = put_off_call(path, "edit", now=BEGIN, mutations=[{"op": "pin", "entity": "e1"}], by="user")
    shutil.copy(call, tmp_path / call.name)
    with Store.open(path) as store:
        assert take_in_told(store) == 1
        for day in range(2, 30):
            told = shifted(BEGIN, day * 86_400.0)
            put_off_call(path, "note", now=told, namespace="a", key="b", value="c", ttl=60.0)
            assert take_in_told(store) == 1
        assert store.connection.execute(ROWS).fetchone()[0] < KEPT + STEP
    assert main(["unpin", "e1", "--db", str(path)]) == 0
    shutil.copy(tmp_path / call.name, call)
    capsys.readouterr()
    assert main(["passes", "--db", str(path)]) == 0
    said = capsys.readouterr().err
    assert "('edit') cannot be made: it was told at 2026-03-01T00:00:00Z, and of calls that old" in said
    assert "warning" not in said
    assert waiting(path, CALLS) == [] and len(refused(path)) == 1
    with Store.open(path) as store:
        assert store.connection.execute("SELECT pinned FROM entity WHERE id = 1").fetchone()[0] == 0
        assert verify(store).ok
    assert main(["doctor", "--db", str(path)]) == 1


def test_what_says_that_calls_were_forgotten_is_sealed(tmp_path: Path) -> None:
    with a_life(tmp_path) as life:
        first = life.name(0)
        life.take_in(first)
        for number in range(1, 20):
            life.now = shifted(life.now, 100_000.0)
            life.take_in(life.name(number))
        assert not life.take_in(first)
        path = life.store.path
    with shell(path) as connection:
        assert connection.execute("DELETE FROM meta WHERE key LIKE 'taken in, and forgotten%'").rowcount == 1
    time.sleep(0.01)
    with Store.open(path) as store, store.reading(), pytest.raises(IntegrityError):
        taken_in_at(store, first)
