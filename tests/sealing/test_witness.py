"""Everything is put back to an older copy at once: memory, anchors and keys agree, and the witness tells."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphdream
from graphdream.errors import IntegrityError
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from graphdream.journal.witness import watch, witness_of
from graphdream.paths import database_path
from graphdream.sealing import witnesskinds
from tests.support.pages import blocks

KINDS = ("folder", "git", "command")
SCRIPT = """
    import pathlib, sys, time
    here = pathlib.Path(__file__).parent
    what, name = sys.argv[1:]
    with (here / "asked").open("a") as asked:
        asked.write(what + "\\n")
    if (here / "refuse").exists():
        sys.exit("the vault is shut")
    notes = here / name
    if what == "note":
        told = sys.stdin.read()
        if (here / "hold").exists():
            (here / "hold").rename(here / "held")
            while not (here / "release").exists():
                time.sleep(0.01)
        with notes.open("a") as file:
            file.write(told)
    elif notes.exists():
        print(notes.read_text(), end="")
"""


class Place:
    """A home with a memory, and the witness that its settings name, which is not in it."""

    def __init__(self, kind: str, home: Path, witness: Path) -> None:
        self.kind, self.home, self.witness = kind, home, witness

    @property
    def script(self) -> Path:
        return self.witness / "witness.py"

    @property
    def database(self) -> Path:
        return database_path()

    def asked(self) -> list[str]:
        """What the command was asked, in order."""
        told = self.witness / "asked"
        return told.read_text().split() if told.exists() else []

    def put_back(self, copy: Path) -> None:
        """Everything but the witness, as a restored backup does."""
        shutil.rmtree(self.home)
        shutil.copytree(copy, self.home)

    def copied(self, name: str = "older") -> Path:
        return Path(shutil.copytree(self.home, self.home.with_name(name)))

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """Meanwhile the settings name no witness."""
        name = f"GRAPHDREAM_WITNESS__{self.kind.upper()}"
        named = os.environ.pop(name)
        try:
            yield
        finally:
            os.environ[name] = named

    def clear(self) -> None:
        """Take every note away, and leave the witness."""
        if self.kind == "git":
            git(self.witness, "update-ref", "-d", *branches(self.witness))
        else:
            for file in self.witness.iterdir():
                if file != self.script:
                    file.unlink()

    def forge(self, line: str) -> None:
        """Add a line that somebody made up to the notes."""
        if self.kind == "git":
            (branch,) = branches(self.witness)
            notes = f"{git(self.witness, 'show', f'{branch}:notes')}{line}\n"
            told = f"commit {branch}\ncommitter m <m> 1 +0000\ndata 0\nfrom {branch}^0\nM 644 inline notes\n"
            git(self.witness, "fast-import", "--quiet", given=f"{told}data {len(notes)}\n{notes}\n")
        else:
            (notes_file,) = (
                file for file in self.witness.iterdir() if file not in (self.script, self.witness / "asked")
            )
            with notes_file.open("a") as file:
                file.write(f"{line}\n")

    @contextmanager
    def out_of_reach(self) -> Iterator[None]:
        away = self.witness.with_name("away")
        if self.kind == "command":
            (self.witness / "refuse").touch()
        else:
            self.witness.rename(away)
        try:
            yield
        finally:
            if self.kind == "command":
                (self.witness / "refuse").unlink()
            else:
                away.rename(self.witness)


def git(folder: Path, *words: str, given: str = "") -> str:
    done = subprocess.run(["git", "-C", folder, *words], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def branches(folder: Path) -> list[str]:
    return git(folder, "for-each-ref", "--format=%(refname)", "refs/heads/graphdream-witness").split()


def make(kind: str, folder: Path, patch: pytest.MonkeyPatch) -> Place:
    """A home and a witness of some kind in a folder; both are what the environment names."""
    home, witness = folder / "home", folder / "witness"
    witness.mkdir(parents=True)
    home.mkdir()
    patch.setenv("GRAPHDREAM_HOME", str(home))
    patch.setenv("GRAPHDREAM_STATE_HOME", str(home / "state"))
    patch.setenv("GRAPHDREAM_CONFIG_HOME", str(home / "config"))
    place = Place(kind, home, witness)
    if kind == "git":
        git(witness, "init", "--quiet")
    if kind == "command":
        place.script.write_text(textwrap.dedent(SCRIPT))
        patch.setenv("GRAPHDREAM_WITNESS__COMMAND", json.dumps(shlex.join([sys.executable, str(place.script)])))
    else:
        patch.setenv(f"GRAPHDREAM_WITNESS__{kind.upper()}", str(witness))
    return place


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return make(request.param, tmp_path / "place", monkeypatch)


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Place]:
    return lambda kind: make(kind, tmp_path / "place", monkeypatch)


def do(*words: str, code: int = 0) -> None:
    assert main(list(words)) == code, words


def fact(text: str) -> None:
    do("remember", text, "--wait", "--category", "person/Grace/notes")


def session(name: str) -> None:
    do("record", "--session", name, "--summary", f"Grace moved the {name} log to Postgres 16.")


def live() -> None:
    """A few sessions and a dream."""
    fact("Grace keeps the log in Postgres 16.")
    session("harbour")
    session("lantern")
    do("dream")


def go_on() -> None:
    fact("Grace sails on Sundays.")
    session("office")
    do("dream")


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """What `trust --json` says."""
    capsys.readouterr()
    main(["trust", "--json"])
    return json.loads(capsys.readouterr().out)


# ---------------------------------------------------------------------- the attack


def test_a_home_that_was_put_back_whole_is_told(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    live()
    copy = place.copied()
    go_on()
    do("verify")
    place.put_back(copy)
    with place.unwatched():
        do("verify")  # file, anchor and key agree: nothing else tells
    capsys.readouterr()
    do("verify", code=1)
    assert "FAULT  witness: " in capsys.readouterr().out
    do("doctor", code=1)
    assert "older copy" in capsys.readouterr().out
    if place.kind == "folder":
        do("recall", "Grace")
        said = capsys.readouterr()
        assert "older copy" in said.err and "Postgres" in said.out
    writes = (
        ["dream"], ["cycle"], ["export"], ["undo", "1", "--cascade"], ["purge", "a1", "--yes"],
        ["remember", "Grace rows.", "--wait"], ["replace", "a1", "Grace keeps the log on paper."],
        ["trust", "--rotate-key"],
    )  # fmt: skip
    for words in writes:
        assert main(words) != 0, words
        said = capsys.readouterr()
        assert "put back to an older copy" in said.err + said.out, words
    do("trust", code=1)
    assert "witness agrees" in capsys.readouterr().out
    said = told(capsys)
    assert said["ok"] is False and said["witness_agrees"] is False
    assert said["witness_writes"] > said["sealed_writes"]


def test_a_person_decides_and_the_note_is_made_anew(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    live()
    copy = place.copied()
    go_on()
    place.put_back(copy)
    do("trust", "--reason", "the disk was restored from the backup of Monday")
    assert "accepted  witness" in capsys.readouterr().out
    said = told(capsys)
    assert said["ok"] is True and said["witness_agrees"] is True and said["witness_writes"] == said["sealed_writes"]
    go_on()
    do("verify")
    do("doctor")


def test_damage_that_is_accepted_goes_on_record_and_stays_told(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    live()
    copy = place.copied()
    go_on()
    place.put_back(copy)
    session("boat")  # what is recorded without asking the witness
    do("dream", "--accept-damage")
    do("verify", code=1)
    with Store.open(place.database) as store:
        inputs = store.connection.execute("SELECT inputs FROM pass ORDER BY id DESC LIMIT 1").fetchone()[0]
    assert "the witness" in "".join(json.loads(inputs)["damage"])


def test_what_went_on_from_an_older_copy_beyond_the_note_is_told(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    live()
    copy = place.copied()
    fact("Grace sails on Sundays.")
    place.put_back(copy)
    with place.unwatched():
        for number in range(5):
            fact(f"Grace bought boat {number}.")
        do("verify")
    capsys.readouterr()
    do("verify", code=1)
    assert (
        "which is not in it: the file was put back to an older copy, and went on from there" in capsys.readouterr().out
    )
    do("dream", code=1)


def test_another_way_of_as_many_writes_is_told(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    live()
    copy = place.copied()
    fact("Grace sails on Sundays.")
    noted = told(capsys)["witness_writes"]
    place.put_back(copy)
    with place.unwatched():
        fact("Grace sails on Mondays.")
    said = told(capsys)
    assert said["sealed_writes"] == noted and said["ok"] is False


def test_what_came_after_the_last_note_is_not_covered(place: Place) -> None:
    """Told of in docs/trust.md: notes are made when a pass ends, not with each session."""
    live()
    copy = place.copied()
    session("office")
    place.put_back(copy)
    do("verify")


# ---------------------------------------------------------------------- the witness itself is attacked


def test_a_note_that_was_made_without_the_key_is_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    live()
    before = told(capsys)
    (name,) = (
        [branch.rpartition("/")[2] for branch in branches(place.witness)]
        if place.kind == "git"
        else [file.stem for file in place.witness.iterdir() if file.name not in ("witness.py", "asked")]
    )
    for line in (
        json.dumps([name, 999_999, "00" * 32, 1, "00" * 32, str(before["key"])]) + "\t" + "00" * 32,
        json.dumps([name, 10**40, [], None, {}, 7]) + "\t" + "00" * 32,
        "[" * 10_000,
        "nothing at all \x00\t",
    ):
        place.forge(line)
        assert told(capsys) == before
    go_on()
    do("verify")
    assert told(capsys)["witness_pass"] > before["witness_pass"]


def test_notes_that_are_taken_away_are_missed(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    fact("Grace keeps the log in Postgres 16.")  # one pass is enough
    place.clear()
    capsys.readouterr()
    do("verify", code=1)
    assert "has no note of the file that holds, though it had one" in capsys.readouterr().out
    do("dream", code=1)
    do("trust", "--reason", "the witness was made anew")
    do("verify")
    fact("Grace sails on Sundays.")
    do("verify")


def test_notes_that_were_spoiled_are_missed(at: Callable[[str], Place], capsys: pytest.CaptureFixture[str]) -> None:
    place = at("folder")
    live()
    (notes,) = place.witness.iterdir()
    notes.write_bytes(notes.read_bytes().replace(b"0", b"1"))
    do("verify", code=1)
    assert "no note of the file that holds" in capsys.readouterr().out


def test_a_file_without_a_seal_in_the_place_of_one_is_told(at: Callable[[str], Place]) -> None:
    place = at("folder")
    live()
    with Store.open(place.database) as store:
        for table in ("seal", "seal_node"):
            store.connection.execute(f"DELETE FROM {table}")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for kept in ("state/anchors", "config/sealed"):
        shutil.rmtree(place.home / kept)
    do("verify", code=1)
    do("dream", code=1)


# ---------------------------------------------------------------------- it cannot be reached


def test_one_that_cannot_be_reached_keeps_nobody_from_anything(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    with place.out_of_reach():
        live()
        do("verify")
        said = capsys.readouterr()
        assert "cannot be reached" in said.err and "note   the witness" in said.out
    go_on()
    do("verify")
    noted = told(capsys)
    assert noted["witness_agrees"] is True
    with place.out_of_reach():
        capsys.readouterr()
        fact("Grace bought a second boat.")
        said = capsys.readouterr()
        assert said.err.count("cannot be reached") == 1 and "remembered" in said.out
        do("doctor")
        assert any("witness" in line and "note" in line for line in capsys.readouterr().out.splitlines())
        said_of = told(capsys)
        assert "witness_unreachable" in said_of and "witness_agrees" not in said_of and said_of["ok"] is True
        do("export")
    do("verify")
    fact("Grace rows on Mondays.")
    assert told(capsys)["witness_pass"] > noted["witness_pass"]


def test_a_command_that_never_ends_is_left(
    at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at("command")
    monkeypatch.setattr(witnesskinds, "SECONDS", 0.2)
    endless = shlex.join([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setenv("GRAPHDREAM_WITNESS__COMMAND", json.dumps(endless))
    fact("Grace keeps the log in Postgres 16.")
    said = capsys.readouterr()
    assert "gave no answer within 0.2 seconds" in said.err and "remembered" in said.out


@pytest.mark.parametrize("kind", ["git", "command"])
def test_a_program_that_is_not_there_is_told(
    kind: str, at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = at(kind)
    monkeypatch.setenv("PATH", str(place.home))
    if kind == "command":
        monkeypatch.setenv("GRAPHDREAM_WITNESS__COMMAND", "no-such-program --quietly")
    fact("Grace keeps the log in Postgres 16.")
    assert "cannot be run: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_that_is_no_repository_is_told(
    inside: bool, at: Callable[[str], Place], capsys: pytest.CaptureFixture[str]
) -> None:
    place = at("git")
    shutil.rmtree(place.witness / ".git")
    if inside:
        git(place.witness.parent, "init", "--quiet")
    fact("Grace keeps the log in Postgres 16.")
    assert "not a git repository" in capsys.readouterr().err


def test_a_folder_that_may_not_be_written_to_is_told(
    at: Callable[[str], Place], capsys: pytest.CaptureFixture[str]
) -> None:
    place = at("folder")
    live()
    (notes,) = place.witness.iterdir()
    notes.unlink()
    notes.mkdir()
    capsys.readouterr()
    fact("Grace sails on Sundays.")
    said = capsys.readouterr()
    assert "cannot be reached" in said.err and "remembered" in said.out


# ---------------------------------------------------------------------- honest lives


def test_a_memory_that_was_there_before_its_witness_is_noted_with_its_next_pass(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    with place.unwatched():
        live()
    do("verify")
    assert "the next pass makes one" in capsys.readouterr().out
    do("recall", "Grace")
    fact("Grace sails on Sundays.")
    assert told(capsys)["witness_agrees"] is True


def test_passes_that_were_made_without_the_witness_raise_no_alarm(place: Place) -> None:
    live()
    with place.unwatched():
        go_on()
    do("verify")
    go_on()
    do("verify")


def test_another_memory_of_the_same_name_has_notes_of_its_own(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    other = place.home.with_name("another")
    for _ in range(2):
        for home in (other, place.home):
            monkeypatch.setenv("GRAPHDREAM_HOME", str(home))
            monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(home / "state"))
            monkeypatch.setenv("GRAPHDREAM_CONFIG_HOME", str(home / "config"))
            go_on()
            do("verify")


def test_a_copy_and_what_it_was_copied_from_go_their_own_ways(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    copy = place.home / "copy.db"
    with Store.open(place.database) as store:
        store.connection.execute("VACUUM INTO ?", (str(copy),))
    whole = place.copied("whole")
    for _ in range(2):
        go_on()
        for words in (["remember", "Grace rows.", "--wait"], ["dream"], ["verify"]):
            do(*words, "--db", str(copy))
        do("verify")
    for name in ("HOME", "STATE_HOME", "CONFIG_HOME"):
        monkeypatch.setenv(f"GRAPHDREAM_{name}", os.environ[f"GRAPHDREAM_{name}"].replace(str(place.home), str(whole)))
    go_on()
    do("verify")


def test_another_key_raises_no_alarm(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    live()
    do("trust", "--rotate-key")
    do("verify")
    go_on()
    do("verify")
    assert told(capsys)["witness_agrees"] is True


def test_a_home_from_before_another_key_is_told(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Seen: with the home, keys were put back of which the one that later notes are sealed with was none."""
    live()
    copy = place.copied()
    do("trust", "--rotate-key")
    go_on()
    place.put_back(copy)
    said = told(capsys)
    assert said["ok"] is False and said["witness_agrees"] is False


def test_another_witness_takes_over(at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch) -> None:
    place = at("folder")
    live()
    second = place.witness.with_name("second")
    second.mkdir()
    monkeypatch.setenv("GRAPHDREAM_WITNESS__FOLDER", str(second))
    do("verify")
    go_on()
    do("verify")
    assert len(list(second.iterdir())) == 1


def test_undo_and_purge_and_import_are_noted(place: Place, capsys: pytest.CaptureFixture[str], fixtures: Path) -> None:
    live()
    for words in (
        ["replace", "a1", "Grace keeps the log on paper."],
        ["undo", "1", "--cascade"],
        ["import", str(fixtures / "small.jsonl.gz")],
        ["trust", "--reason", "looked at it"],
    ):
        do(*words)
        said = told(capsys)
        assert said["witness_agrees"] is True
        with Store.open(place.database) as store:
            newest = store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
        assert said["witness_pass"] == newest, words
    do("verify")


def test_programs_at_once_raise_no_alarm_and_the_newest_pass_is_noted(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    told_by = """
import sys, graphdream
with graphdream.open() as graph:
    for number in range(4):
        graph.remember(f"{sys.argv[1]} bought boat {number}.", category=f"person/{sys.argv[1]}/boats")
        assert not graph.store.seal.faults(anew=True)
"""
    names = ("Grace", "Ines", "Mirela")
    programs = [subprocess.Popen([sys.executable, "-W", "error", "-c", told_by, name]) for name in names]
    assert [program.wait() for program in programs] == [0, 0, 0]
    do("verify")
    said = told(capsys)
    assert said["ok"] is True and said["witness_pass"] == 12


def test_a_program_that_is_overtaken_while_it_notes_leaves_no_older_note(
    at: Callable[[str], Place], capsys: pytest.CaptureFixture[str]
) -> None:
    place = at("command")
    live()
    (place.witness / "hold").touch()
    slow = [sys.executable, "-m", "graphdream", "remember", "Grace sails on Sundays.", "--wait"]
    with subprocess.Popen(slow, stdout=subprocess.DEVNULL) as program:
        while not (place.witness / "held").exists():
            assert program.poll() is None
            time.sleep(0.01)
        fact("Grace bought a second boat.")  # it was not kept waiting: what is noted is committed
        noted = told(capsys)
        (place.witness / "release").touch()
    assert program.returncode == 0
    assert told(capsys) == noted
    do("verify")


def test_a_connection_that_knows_of_no_note_does_not_miss_the_first_one(place: Place) -> None:
    with place.unwatched():
        live()
    with graphdream.open() as early, graphdream.open() as late:
        assert verify(early.store).ok
        late.remember("Grace sails on Sundays.")
        assert not early.store.seal.faults()
        early.remember("Grace bought a second boat.")
        assert verify(early.store).ok and verify(late.store).ok


def test_no_output_is_written_over_its_notes(
    at: Callable[[str], Place], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = at("folder")
    assert main(["remember", "Grace sails.", "--wait"]) == 0
    (notes,) = place.witness.glob("*.notes")
    before = notes.read_bytes()
    (tmp_path / "link").symlink_to(notes)
    capsys.readouterr()
    for out in (notes, notes.with_name(notes.name.upper()), notes.with_name(f"{'0' * 32}.notes"), tmp_path / "link"):
        for more in ([], ["--force"]):
            assert main(["export", "--out", str(out), *more]) == 2
            assert "for the notes of a witness" in capsys.readouterr().err
    assert notes.read_bytes() == before
    assert [file.name for file in place.witness.iterdir()] == [notes.name]
    assert main(["export", "--out", str(place.witness / "graph.jsonl")]) == 0, "the disk is for other things, too"


def test_hooks_do_not_wait_for_it(at: Callable[[str], Place]) -> None:
    place = at("command")
    live()
    before = place.asked()
    session("office")
    do("remember", "Grace sails on Sundays.")
    assert place.asked() == before
    do("dream")
    assert place.asked() != before


def test_the_repository_of_a_person_stays_as_it_was(
    at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = at("git")
    (place.witness / "letter").write_text("mine")
    git(place.witness, "add", "letter")
    git(place.witness, "-c", "user.name=m", "-c", "user.email=m@m", "commit", "--quiet", "-m", "mine")
    (place.witness / "letter").write_text("not committed yet")
    before = git(place.witness, "rev-parse", "HEAD"), git(place.witness, "status", "--porcelain")
    monkeypatch.setenv("GIT_DIR", str(place.home))  # as within a hook of git's
    monkeypatch.setenv("GIT_INDEX_FILE", str(place.home / "index"))
    live()
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert (git(place.witness, "rev-parse", "HEAD"), git(place.witness, "status", "--porcelain")) == before
    (branch,) = branches(place.witness)
    assert int(git(place.witness, "rev-list", "--count", branch)) >= 3  # the first note, and one of each pass
    git(place.witness, "fsck", "--strict")


def test_a_bare_repository_will_do(at: Callable[[str], Place], capsys: pytest.CaptureFixture[str]) -> None:
    place = at("git")
    shutil.rmtree(place.witness / ".git")
    git(place.witness, "init", "--quiet", "--bare")
    live()
    assert told(capsys)["witness_agrees"] is True


# ---------------------------------------------------------------------- the library, and laws


def test_the_library_tells_and_refuses(place: Place) -> None:
    with graphdream.open() as graph:
        graph.remember("Grace keeps the log in Postgres 16.")
    copy = place.copied()
    with graphdream.open() as graph:
        graph.remember("Grace sails on Sundays.")
    place.put_back(copy)
    with graphdream.open() as graph:
        assert graph.recall("Grace")
        with pytest.raises(IntegrityError, match="older copy"):
            graph.remember("Grace rows.")
        with pytest.raises(IntegrityError, match="older copy"):
            graph.dream()
        assert [fault.check for fault in graph.verify().faults] == ["witness"]
        graph.trust("put back on purpose")
        graph.remember("Grace rows.")
        assert graph.verify().ok


def test_the_library_warns_of_one_that_cannot_be_reached(place: Place) -> None:
    with place.out_of_reach(), pytest.warns(UserWarning, match="cannot be reached"), graphdream.open() as graph:
        graph.remember("Grace keeps the log in Postgres 16.")


def test_a_fleet_is_noted_memory_by_memory(at: Callable[[str], Place], capsys: pytest.CaptureFixture[str]) -> None:
    place = at("folder")
    with place.unwatched():
        live()
    session("office")
    report = graphdream.dream_fleet(place.home / "agents", jobs=1)
    (dreamed,) = report.agents
    said = told(capsys)
    assert said["witness_agrees"] is True and said["witness_pass"] == dreamed.pass_id


def test_settings_that_are_wrong_are_told_before_a_file_is_made(
    at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = at("folder")
    monkeypatch.setenv("GRAPHDREAM_WITNESS__GIT", str(place.witness))
    with pytest.raises(graphdream.ConfigError, match=r"should not be set besides memory\.witness\.folder"):
        graphdream.open()
    do("categories", code=2)
    assert not place.database.exists()


STEPS = st.lists(st.sampled_from(("pass", "session", "elsewhere", "keep", "put back", "key")), max_size=8)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_it_is_told_where_a_noted_pass_is_lacking_and_only_there(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Passes and sessions with the witness and without, another key, a home that is kept and put back, in any order: the
    file is told to be an older copy exactly where a pass that was noted since is not in it."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        place = make("folder", tmp_path_factory.mktemp("life"), patch)
        passes: list[int] = []  # in the file, in order, each by a number of its own
        noted = made = 0
        kept: list[int] | None = None
        for step in ("pass", *steps):
            if step == "keep":
                shutil.rmtree(place.home.with_name("older"), ignore_errors=True)
                place.copied()
                kept = [*passes]
            elif step == "put back":
                if kept is not None:
                    place.put_back(place.home.with_name("older"))
                    passes = [*kept]
            else:
                made += step != "session"
                with place.unwatched() if step == "elsewhere" else graphdream.open() as graph:
                    if graph is None:
                        with graphdream.open() as other:
                            other.remember(f"Grace bought boat {made}.")
                    elif step == "session":
                        graph.record_session("lantern", summary=f"Grace bought boat {made}.")
                    elif step == "key":
                        graph.trust(rotate_key=True)
                    else:
                        graph.remember(f"Grace bought boat {made}.")
                if step != "session":
                    passes.append(made)
                    noted = noted if step == "elsewhere" else made
            with Store.open(place.database) as store:
                watch(store, witness_of(None), warnings.warn)
                report = verify(store)
            assert report.ok == (noted in passes), report.faults
            if not report.ok:
                with graphdream.open() as graph:
                    made = noted = made + 1
                    graph.trust("put back on purpose")
                    assert graph.verify().ok
                passes.append(made)


def test_the_command_in_the_documentation_is_a_witness(
    at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = at("command")
    page = Path(__file__).resolve().parents[2] / "docs" / "trust.md"
    (script,) = (block.text for block in blocks(page) if block.file == "witness.py")
    place.script.write_text(script)
    monkeypatch.setenv("HOME", str(place.witness))
    live()
    copy = place.copied()
    go_on()
    assert told(capsys)["witness_agrees"] is True
    place.put_back(copy)
    assert told(capsys)["witness_agrees"] is False
