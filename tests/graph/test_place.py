"""One file is one memory under every name, or it is not written; what is written gets to where readers look for it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.later import put_off
from graphdream.errors import UnwritableError
from graphdream.events.record import record
from graphdream.events.spool import FACTS, spool_path, waiting
from graphdream.graph.place import Place
from graphdream.graph.schema import LOG_BYTES
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory with one fact and one session."""
    path = tmp_path / "memory.db"
    assert main(["remember", "Grace writes compilers", "--wait", "--db", str(path)]) == 0
    assert main(["record", "--session", "s0", "--summary", "Grace wrote one.", "--db", str(path)]) == 0
    return path


def sessions(path: Path) -> set[str]:
    with Store.open(path, create=False) as store:
        return {row[0] for row in store.connection.execute("SELECT key FROM session")}


def test_a_second_name_of_the_file_stops_writing_but_not_reading(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = path.with_name("other.db")
    os.link(path, other)
    capsys.readouterr()
    for name in (path, other):
        db = ["--db", str(name)]
        for words in (["dream", "--compact"], ["rename", "e1", "Ada"], ["undo", "1"], ["remember", "x", "--wait"]):
            assert main([*words, *db]) == 3
            assert "2 names (hard links)" in capsys.readouterr().err
        assert main(["recall", "compilers", *db]) == 0 and "Grace writes compilers" in capsys.readouterr().out
        for words in (["verify"], ["status"], ["passes"], ["export"], ["context", "--session", "s", "--message", "x"]):
            assert main([*words, *db]) == 0
        assert main(["doctor", *db]) == 1 and "hard links" in capsys.readouterr().out


@pytest.mark.parametrize("kept_name", ["first", "second"])
def test_no_session_is_lost_while_the_file_has_two_names(
    kept_name: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = path.with_name("other.db")
    os.link(path, other)
    for number in range(6):
        db = ["--db", str(path if number % 2 else other)]
        assert main(["record", "--session", f"s{number}", "--summary", f"Session {number}.", *db]) == 0
        assert "waits beside the file" in capsys.readouterr().out
    assert sessions(path) == {"s0"} and len(waiting(path)) == 6 and waiting(other) == []
    gone, kept = (other, path) if kept_name == "first" else (path, other)
    gone.unlink()
    assert main(["passes", "--db", str(kept)]) == 0
    assert sessions(kept) == {f"s{number}" for number in range(6)}
    assert main(["verify", "--db", str(kept)]) == 0
    assert not spool_path(gone).exists()
    capsys.readouterr()
    main(["doctor", "--db", str(kept)])
    assert "waiting" not in capsys.readouterr().out


def test_what_waits_beside_a_former_name_comes_along_with_the_file(path: Path, tmp_path: Path) -> None:
    """A memory is moved while a fact and a session wait beside it: neither stays behind."""
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    assert main(["record", "--session", "late", "--summary", "Told before the move.", "--db", str(path)]) == 0
    assert main(["remember", "Grace likes ships", "--db", str(path)]) == 0
    blocker.execute("ROLLBACK")
    blocker.close()
    (tmp_path / "elsewhere").mkdir()
    moved = tmp_path / "elsewhere" / "moved.db"
    path.rename(moved)
    for _ in range(2):  # the second time the head of the file tells where it lay
        assert main(["recall", "ships", "--db", str(moved)]) == 0
        assert sessions(moved) == {"s0", "late"}
    with graphdream.open(moved) as graph:
        assert [hit.text for hit in graph.recall("ships")] == ["Grace likes ships"]


def test_what_waits_for_another_memory_is_left_there(path: Path, tmp_path: Path) -> None:
    """Also where that memory is gone: who copied another file to its side has not copied what it was told."""
    other = tmp_path / "other.db"
    assert main(["record", "--session", "o", "--summary", "Another memory.", "--db", str(other)]) == 0
    put_off(other, "Ada likes trains")
    other.unlink()
    assert main(["passes", "--db", str(path)]) == 0
    assert len(waiting(other, FACTS)) == 1


def test_a_name_given_while_the_file_is_open_stops_writing(path: Path) -> None:
    with Store.open(path) as store:
        record(store, "s1", summary="Before.")
        os.link(path, path.with_name("other.db"))
        assert record(store, "s2", summary="Meanwhile.").spooled
        path.with_name("other.db").unlink()
        assert not record(store, "s3", summary="After.").spooled
    assert sessions(path) == {"s0", "s1", "s2", "s3"}


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: links need a privilege here")
def test_a_folder_in_the_place_of_the_file_is_no_second_name_of_it(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match="it is a folder"):  # it was put there before the place was looked at
        Place.of(tmp_path).confirm(tmp_path)


def test_a_symbolic_link_is_the_memory_that_it_leads_to(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(path)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    assert main(["record", "--session", "linked", "--summary", "Told by the link.", "--db", str(link)]) == 0
    assert main(["remember", "Grace likes ships", "--db", str(link)]) == 0
    blocker.execute("ROLLBACK")
    blocker.close()
    assert [entry.name for entry in (tmp_path / "elsewhere").iterdir()] == ["link.db"]
    assert main(["recall", "ships", "--db", str(path)]) == 0
    assert "linked" in sessions(path)
    with graphdream.open(link) as graph:
        assert graph.store.path == path and len(graph.recall("ships")) == 1


@pytest.mark.parametrize("way", ["removed", "replaced", "moved"])
def test_what_is_written_to_a_file_that_is_not_there_any_more_is_not_acknowledged(
    way: str, path: Path, tmp_path: Path
) -> None:
    with Store.open(path) as store:
        if way == "removed":
            path.unlink()
        elif way == "moved":
            path.rename(tmp_path / "moved.db")
        else:
            with Store.open(tmp_path / "fresh.db") as fresh:
                record(fresh, "f", summary="Another file.")
            (tmp_path / "fresh.db").replace(path)
        with pytest.raises(UnwritableError, match=r"moved or removed|took the place"), store.writing():
            pass
        assert record(store, "s1", summary="Told meanwhile.").spooled  # kept for whoever opens the path next
    if way == "replaced":
        assert main(["passes", "--db", str(path)]) == 0
        assert sessions(path) == {"f"}  # a file in the place of another one is written to when a person says so
        assert main(["trust", "--reason", "moved here", "--db", str(path)]) == 0
        assert main(["passes", "--db", str(path)]) == 0
        assert sessions(path) == {"f", "s1"}


def test_the_log_is_written_back_though_somebody_reads(path: Path) -> None:
    """A reader that stays, with a question every now and then: the log keeps to its bound, and the file is sound."""
    log = path.with_name("memory.db-wal")
    with Store.open(path) as reader, Store.open(path) as store:
        longest = 0
        for number in range(120):
            record(store, f"long-{number}", summary=f"{number} " + "word " * 60_000)
            assert reader.connection.execute("SELECT count(*) FROM session").fetchone()[0] == number + 2
            longest = max(longest, log.stat().st_size)
        assert longest < 2 * LOG_BYTES
        assert path.stat().st_size > 20_000_000
        assert reader.connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert verify(store).ok


def test_a_log_that_was_begun_anew_is_not_written_back_with_each_write(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its length on the disk; to write it back takes as long as a session does."""
    with Store.open(path) as store:
        for number in range(30):
            record(store, f"long-{number}", summary=f"{number} " + "word " * 60_000)
        assert path.with_name("memory.db-wal").stat().st_size >= LOG_BYTES
        guards = []
        connect = sqlite3.connect
        monkeypatch.setattr(
            sqlite3, "connect", lambda *given, **named: guards.append(given) or connect(*given, **named)
        )
        for number in range(30):
            record(store, f"short-{number}", summary=f"{number} is short.")
        assert len(guards) <= 1
    assert len(sessions(path)) == 61


def test_a_reader_in_the_middle_keeps_what_it_sees_and_holds_up_nobody(path: Path) -> None:
    with Store.open(path) as reader, Store.open(path) as store, reader.reading():
        assert reader.connection.execute("SELECT count(*) FROM session").fetchone()[0] == 1
        for number in range(60):
            record(store, f"long-{number}", summary=f"{number} " + "word " * 60_000)
        assert reader.connection.execute("SELECT count(*) FROM session").fetchone()[0] == 1
    assert len(sessions(path)) == 61


WRITER = """
import sys
from graphdream.events.record import record
from graphdream.graph.store import Store
with Store.open(sys.argv[1]) as store:
    for number in range(int(sys.argv[3])):
        while record(store, f"{sys.argv[2]}-{number}", summary=f"{sys.argv[2]} {number} " + "word " * 40_000).spooled:
            pass
"""


@pytest.mark.parametrize("each", [25, pytest.param(400, marks=pytest.mark.soak)], ids=["in-ci", "soak"])
def test_many_writers_that_write_the_log_back_lose_nothing(each: int, path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"w{number}", str(each)], cwd=PROJECT)
        for number in range(4)
    ]
    with Store.open(path) as reader:
        while any(writer.poll() is None for writer in writers):
            reader.connection.execute("SELECT max(id) FROM summary").fetchone()
        assert [writer.wait() for writer in writers] == [0] * 4
        assert reader.connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert sessions(path) == {"s0"} | {f"w{number}-{session}" for number in range(4) for session in range(each)}


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_what_is_made_is_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    before = os.umask(0o022)
    try:
        with Store.open(path) as store:
            record(store, "s1", summary="Ada called.")
            with Store.open(path) as other, other.writing():  # meanwhile a session has to wait
                record(store, "s2", summary="Ada called again.")
            left = {one.name: one.stat().st_mode & 0o077 for one in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert {"memory.db", "memory.db-wal", "memory.db-shm", "memory.db.spool"} <= left.keys()
    assert set(left.values()) == {0}
