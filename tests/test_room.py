"""Too little room on the disk or in memory, folders that nobody may write to, and devices that never end."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphdream.errors import UnwritableError
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from graphdream.room import confirm_disk
from tests.support.graphs import dump

PROJECT = Path(__file__).resolve().parents[1]
GRAPH = PROJECT / "fixtures" / "small.jsonl.gz"

if sys.platform == "win32":
    pytest.skip("NOT TESTED: no limits of processes here", allow_module_level=True)


def started(words: list[str], *, limit: str = "", obeying: bool = False, stdin: str = "") -> tuple[int, str, str]:
    """Exit code and outputs of a command in a process of its own.

    Args:
        limit: a command of the shell before it.
        obeying: permissions of files hold also for root.
    """
    lead = "setpriv --bounding-set=-dac_override --inh-caps=-dac_override " if obeying and os.geteuid() == 0 else ""
    if lead and not shutil.which("setpriv"):
        pytest.skip("NOT TESTED: root may write everywhere")
    done = subprocess.run(
        ["bash", "-c", f'{limit} exec {lead}{sys.executable} -m graphdream "$@" {stdin}', "bash", *words], cwd=PROJECT,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's graph in a file, and a session that no pass has read."""
    path = tmp_path_factory.mktemp("imported") / "m.db"
    assert main(["import", str(GRAPH), "--db", str(path)]) == 0
    assert main(["record", "--session", "s1", "--summary", "Ada moved to Zurich.", "--db", str(path)]) == 0
    return path


# ---------------------------------------------------------------------- the disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 12 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("NOT TESTED: only root may mount a small disk")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("words", [["dream", "--compact"], ["undo", "1"], ["purge", "a1", "--yes"], ["cycle"]])
def test_room_is_looked_for_before_anything_is_begun(words: list[str], small_disk: Path, imported: Path) -> None:
    path = small_disk / "m.db"
    shutil.copy(imported, path)
    (small_disk / "else").write_bytes(bytes(12_000_000 - path.stat().st_size - 2_000_000))
    code, out, err = started([*words, "--db", str(path)])
    assert (code, out) == (3, "") and "nothing was begun" in err and "left, and this may take" in err
    (small_disk / "else").unlink()
    with Store.open(path) as store, Store.open(imported) as before:
        assert dump(store) == dump(before) and verify(store).ok


@pytest.mark.parametrize("spare", range(100_000, 4_000_001, 650_000))
def test_what_a_full_disk_stops_is_as_it_was_and_what_is_committed_is_said_to_be(
    spare: int, small_disk: Path, imported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without looking first, the disk is full at any moment: in the pass, or when its pages are given back."""
    import graphdream.journal.undo

    path = small_disk / "m.db"
    shutil.copy(imported, path)
    (small_disk / "else").write_bytes(bytes(12_000_000 - path.stat().st_size - spare))
    monkeypatch.setattr(graphdream.journal.undo, "confirm_disk", lambda path: None)
    code = main(["undo", "1", "--db", str(path)])
    (small_disk / "else").unlink()
    with Store.open(path) as store, Store.open(imported) as before:
        undone = store.connection.execute("SELECT count(*) FROM pass WHERE kind = 'undo'").fetchone()[0]
        assert (code, undone) in ((0, 1), (3, 0))
        assert verify(store).ok and (undone or dump(store) == dump(before))


@pytest.mark.parametrize("words", [["replay", "1"], ["import", str(GRAPH), "--dry-run"]], ids=lambda words: words[0])
def test_what_has_no_room_is_the_copy_and_not_the_memory(
    words: list[str],
    small_disk: Path,
    imported: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (small_disk / "else").write_bytes(bytes(12_000_000 - 300_000))
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    assert main([*words, "--db", str(imported)]) == 3
    said = capsys.readouterr().err
    assert f"no copy can be written to {small_disk}" in said and "TMPDIR" in said
    assert [path.name for path in small_disk.iterdir()] == ["else"]


def test_half_a_backup_is_not_kept(small_disk: Path, imported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = small_disk / "m.db"
    shutil.copy(imported, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE INDEX planted ON entity (name)")
    (small_disk / "else").write_bytes(bytes(12_000_000 - path.stat().st_size - 300_000))
    assert main(["doctor", "--mend-schema", "--db", str(path)]) == 3
    assert "no copy can be written to" in capsys.readouterr().err
    assert list(small_disk.glob("*.backup*")) == []


def test_a_disk_with_room_is_enough(imported: Path) -> None:
    confirm_disk(imported)
    with pytest.raises(UnwritableError, match="nothing was begun"):
        confirm_disk(imported, most_bytes=10**18)


# ---------------------------------------------------------------------- memory


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: other systems do not hold to this limit")
@pytest.mark.parametrize("words", [["dream", "--compact"], ["cycle"]])
def test_two_hundred_megabytes_are_told_to_be_too_few_and_nothing_hangs(words: list[str], imported: Path) -> None:
    code, _, err = started([*words, "--db", str(imported)], limit="ulimit -v 204800;")
    assert code == 3 and "a pass takes at least" in err
    for small in (["recall", "tea"], ["status"], ["passes"]):
        assert started([*small, "--db", str(imported)], limit="ulimit -v 204800;")[0] == 0


# ---------------------------------------------------------------------- folders that nobody may write to


@pytest.fixture
def read_only(imported: Path) -> Iterator[Path]:
    """A copy of the file in a folder that may be read only."""
    folder = Path(tempfile.mkdtemp(prefix="graphdream-read-only-"))
    path = folder / "m.db"
    shutil.copy(imported, path)
    path.chmod(0o444)
    folder.chmod(0o555)
    yield path
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "words",
    [["recall", "tea"], ["verify"], ["passes"], ["export"], ["entity", "e1"], ["categories"], ["diff", "1"],
     ["context", "--session", "s", "--message", "tea", "--mark"], ["status"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_read_only_folder_is_read(words: list[str], read_only: Path) -> None:
    code, out, err = started([*words, "--db", str(read_only)], obeying=True)
    assert code == 0 and out, err


@pytest.mark.parametrize(
    "words",
    [["dream"], ["cycle"], ["undo", "1"], ["pin", "e1"], ["record", "--session", "x", "--summary", "y"]],
    ids=lambda words: words[0],
)
def test_a_read_only_folder_is_not_written_and_that_is_said(words: list[str], read_only: Path) -> None:
    code, _, err = started([*words, "--db", str(read_only)], obeying=True)
    assert code == 3 and ("read-only" in err or "nothing can be kept" in err)
    assert [path.name for path in read_only.parent.iterdir()] == ["m.db"]


@pytest.mark.parametrize("words", [["dream", "--compact"], ["cycle"]], ids=lambda words: words[0])
def test_a_dry_run_says_the_same_where_the_memory_may_only_be_read(words: list[str], read_only: Path) -> None:
    words = [*words, "--dry-run", "--json", "--db", str(read_only)]
    told = started(words, obeying=True)
    assert told[0] == 0 and [path.name for path in read_only.parent.iterdir()] == ["m.db"], told
    read_only.parent.chmod(0o755)
    read_only.chmod(0o644)
    assert _untimed(told[1]) == _untimed(started(words)[1])


def _untimed(report: str) -> str:
    return re.sub(r'"seconds": [\d.]+|\d{4}-\d\d-\d\dT[\d:.]+Z', "", report)


def test_the_doctor_finds_nothing_wrong_with_a_file_that_may_only_be_read_but_that(read_only: Path) -> None:
    code, out, err = started(["doctor", "--json", "--db", str(read_only)], obeying=True)
    faults = [finding["check"] for finding in json.loads(out) if finding["state"] == "fault"]
    assert (code, faults) == (1, ["place"]), err


# ---------------------------------------------------------------------- devices that never end


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="NOT TESTED: there is no endless device here")
@pytest.mark.parametrize(
    "words",
    [["import", "/dev/zero"], ["import", "/dev/zero", "--format", "markdown"], ["import", "/dev/zero", "--format", "jsonl"],
     ["import", "-"], ["record", "--session", "z", "--transcript", "/dev/zero"], ["record", "--session", "z", "--summary", "-"],
     ["observe", "/dev/zero"], ["observe", "-"], ["remember", "-"], ["recall", "-"], ["recall", "--batch", "-"],
     ["working", "put", "k", "-"], ["context", "--session", "s", "--message", "-"], ["skills", "import", "/dev/zero"],
     ["calibrate", "/dev/zero"], ["resolve"]],
    ids=" ".join,
)  # fmt: skip
def test_an_endless_input_ends(words: list[str], tmp_path: Path) -> None:
    code, _, err = started(
        [*words, "--db", str(tmp_path / "m.db")], limit="ulimit -v 2000000; ulimit -t 60;", stdin="< /dev/zero"
    )
    assert code in (0, 1, 2, 3, 6) and err and "enough memory" not in err


_GIVES_BACK = """
import re
from graphdream.heap import give_back_memory

def held():
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024

blocks = [bytes(4000) for _ in range(50_000)]  # smaller than what the C library maps by itself
kept = blocks[::500]
full = held()
del blocks
before = held()
asked = give_back_memory()
print(asked, full - before, before - held())
"""


def test_freed_memory_between_blocks_that_stay_is_given_back() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("NOT TESTED: no /proc here")
    said = subprocess.run(
        [sys.executable, "-c", _GIVES_BACK], capture_output=True, text=True, check=True
    ).stdout.split()
    if said[0] != "True":
        pytest.skip("NOT TESTED: the C library here cannot be asked")
    assert int(said[2]) > 50, f"MiB: {said}"
