"""Many processes record while a pass runs: nothing is lost, nobody is turned away, the token counter stays exact."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.dream.lease import hold
from graphdream.events.counter import mark_read, unread_tokens
from graphdream.events.record import take_in
from graphdream.events.spool import refused, waiting
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass

PROJECT = Path(__file__).resolve().parents[2]

# Each session opens the file anew, as a hook's process does.
RECORDER = """
import sys
from graphdream.events.record import record
from graphdream.graph.store import Store
path, name, sessions = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(sessions):
    with Store.open(path) as store:
        turns = [{"role": "user", "content": f"{name} said {turn}"} for turn in range(number % 4)]
        record(store, f"{name}-{number}", summary=f"Recorder {name} told its session {number}.", transcript=turns)
"""


def run_passes(store: Store, recorders: list[subprocess.Popen[str]]) -> int:
    """Passes that read what is there and write graph rows, one after the other, until the recorders are done."""
    passes = 0
    while any(recorder.poll() is None for recorder in recorders):
        with hold(store) as lease:
            shown = [row[0] for row in store.connection.execute("SELECT id FROM summary WHERE read_by IS NULL")]
            with open_pass(store, PassHeader(kind="dream")) as current:
                lease.confirm(store.connection)
                first = store.connection.execute("SELECT count(*) FROM entity").fetchone()[0]
                store.connection.executemany(
                    "INSERT INTO entity (uid, name, canonical, version) VALUES (?, ?, ?, ?)",
                    [(f"e{first + i}", f"E{first + i}", f"e{first + i}", current.id) for i in range(200)],
                )
                mark_read(store.connection, current.id, shown)
        passes += 1
    return passes


@pytest.mark.parametrize(
    ("processes", "sessions"), [(4, 25), pytest.param(16, 200, marks=pytest.mark.soak)], ids=["4x25", "16x200"]
)
def test_recorders_beside_a_pass_lose_nothing(tmp_path: Path, processes: int, sessions: int) -> None:
    path = tmp_path / "memory.db"
    # The file does not exist yet: the recorders also race to make it.
    recorders = [
        subprocess.Popen(
            [sys.executable, "-c", RECORDER, str(path), f"r{number}", str(sessions)],
            stderr=subprocess.PIPE, text=True, cwd=PROJECT,
        )
        for number in range(processes)
    ]  # fmt: skip
    with Store.open(path) as store:
        passes = run_passes(store, recorders)
        faults = [recorder.communicate()[1] for recorder in recorders]
        assert faults == [""] * processes
        assert passes > 0
        take_in(store)
        assert waiting(path) == [] and refused(path) == []
        told = {f"r{name}-{number}" for name in range(processes) for number in range(sessions)}
        summaries = store.connection.execute(
            "SELECT key, content, read_by FROM summary JOIN session ON session.id = session_id"
        ).fetchall()
        assert len(summaries) == len(told) and {row["key"] for row in summaries} == told
        turns = store.connection.execute("SELECT count(*) FROM turn").fetchone()[0]
        assert turns == processes * sum(number % 4 for number in range(sessions))
        tokenizer = default_tokenizer()
        unread = [row["content"] for row in summaries if row["read_by"] is None]
        assert unread_tokens(store) == sum(tokenizer.count_many(unread))
        every_pass = {row[0] for row in store.connection.execute("SELECT id FROM pass")}
        assert {row["read_by"] for row in summaries} - {None} <= every_pass
        assert store.connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
