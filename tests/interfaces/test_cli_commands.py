"""Every command as a user calls it: where the options stand, exit codes as docs/exit-codes.md has them, errors in words."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import COMMANDS, help_text, main
from graphdream.journal.verify import verify
from tests.support.graphs import apply, dump, entity

PROJECT = Path(__file__).resolve().parents[2]
ROOM = 36_000  # bytes of a file: enough for SQLite's index of the log, too little for the log of any pass
Call = Callable[..., tuple[int, str, str]]

EDITS = {
    "pin": ["Ada"], "unpin": ["Ada"], "constraint": ["a1"], "date": ["a1", "--valid-to", "2026-05"], "merge": ["Ada", "Bo"], "same": ["Ada", "Bo"], "distinct": ["Ada", "Bo"],
    "split": ["Ada", "--name", "Eve", "--fact", "a1"], "rename": ["Ada", "Eve"], "alias": ["Ada", "Eve"],
    "edit": ['{"op": "retype_entity", "entity": "e1", "type": "poet"}'],
    "retype": ["Ada", "poet"], "link": ["Ada", "knows", "Bo"], "unlink": ["l1"], "forget": ["a1"], "restore": ["a1"], "replace": ["a1", "a2"],
}  # fmt: skip
READS = {
    "entity": ["Ada"], "passes": [], "show": ["1"], "diff": ["1"], "replay": ["1"], "verify": [], "status": [],
    "explain": ["Ada", "Bo"],
}  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with Ada (e1: a1 likes tea, a2 in London) and Bo (e2: a3), as pass 1, to be copied."""
    path = tmp_path_factory.mktemp("told") / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Ada", general=["likes tea", "lives in London"]), entity("Bo", general=["plays chess"])])
    return path


@pytest.fixture
def call(told: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on a copy of that file.

    Returns exit code, standard output, standard error.
    """
    path = Path(shutil.copy(told, tmp_path / "memory.db"))

    def called(*words: str, db: str | None = str(path)) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*words, *(["--db", db] if db else [])])
        return (code, *capsys.readouterr())

    return called


def test_the_help_lists_every_command_and_the_documentation_every_code() -> None:
    listed = re.findall(r"^  (\w+) ", help_text(), re.MULTILINE)
    assert set(COMMANDS) <= set(listed)
    documented = {
        int(code)
        for code in re.findall(r"^\| (\d+) \|", (PROJECT / "docs" / "exit-codes.md").read_text(), re.MULTILINE)
    }
    assert documented == {0, 1, 2, 3, 4, 5, 6, 7, 70, 74}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_takes_a_database(call: Call, command: str) -> None:
    code, out, err = call(command, "--help", db=None)
    assert (code, err) == (0, "")
    assert f"graphdream {command}" in out
    for option in ("--db PATH", "--agent NAME", "--json"):
        assert option in out
    assert "{," not in out and ",}" not in out, "a choice that nobody can see"
    code, out, err = call(command, "--no-such-option")
    assert (code, out) == (2, "") and "--help" in err


@pytest.mark.parametrize("command", [*EDITS, *READS])
def test_a_file_that_is_not_there_is_not_made_by_looking(call: Call, tmp_path: Path, command: str) -> None:
    missing = tmp_path / "missing.db"
    code, _, err = call(command, *(EDITS | READS)[command], db=str(missing))
    assert (code, missing.exists()) == (6, False)
    assert "there is no database" in err and "import" in err


@pytest.mark.parametrize("command", [*EDITS, *READS])
def test_a_file_that_is_no_database_is_refused(call: Call, tmp_path: Path, command: str) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("These are my notes. " * 50)
    code, _, err = call(command, *(EDITS | READS).get(command, []), db=str(other))
    assert code == 3 and "cannot be opened as a graphdream database" in err
    assert other.read_text().startswith("These are my notes.")


def test_a_folder_that_cannot_be_is_said(call: Call, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("These are my notes.")
    code, _, err = call("record", "--session", "s1", "--summary", "Bo sings.", db=str(notes / "memory.db"))
    assert code == 3 and "there can be no database at" in err


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: no bound on the size of files here")
@pytest.mark.parametrize("words", [["rename", "Ada", "Eve"], ["undo", "1"], ["import", "graph.jsonl"]])
def test_without_room_on_the_disk_the_file_is_as_it_was(tmp_path: Path, words: list[str]) -> None:
    """A process that may not write files beyond what they are is met by what meets it on a full disk."""
    import resource

    path = tmp_path / "memory.db"
    lines = [{"kind": "entity", "id": f"n{number}", "name": f"Person {number}"} for number in range(500)]
    (tmp_path / "graph.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Store.open(path) as store:
        apply(store, [entity("Ada", general=["likes tea"])])
        before = dump(store)
    done = subprocess.run(
        [sys.executable, "-m", "graphdream", *words, "--db", str(path)], cwd=tmp_path, text=True, capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM)),
    )  # fmt: skip
    assert done.returncode == 3 and "the database cannot be written, and is as it was" in done.stderr, done.stderr
    with Store.open(path) as store:
        assert dump(store) == before and verify(store).ok


@pytest.mark.parametrize("command", [*EDITS, *READS, "doctor"])
def test_json_can_be_read_by_a_program(call: Call, command: str) -> None:
    prepared = {"unlink": ["link", "Ada", "knows", "Bo"], "restore": ["forget", "a1"], "unpin": ["pin", "Ada"]}
    if command in prepared:
        assert call(*prepared[command])[0] == 0
    code, out, err = call(command, *(EDITS | READS).get(command, []), "--json")
    assert (code, err) == (0, ""), err
    assert json.loads(out) is not None


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["entity", "Nobody"], 6, "Nobody"),
        (["pin", "e99"], 6, "e99"),
        (["forget", "l1"], 2, "no handle of a fact"),
        (["forget", "a99"], 6, "a99"),
        (["unlink", "x"], 2, "'x' is no handle"),
        (["merge", "Ada"], 2, "two entities at least"),
        (["merge", "Ada", "Ada"], 2, "`target` Ada is also in `source`"),
        (["link", "Ada", "knows", "Ada"], 2, "itself"),
        (["split", "Ada", "--name", "Eve"], 2, "names the facts"),
        (["split", "Ada", "--name", "Eve", "--fact", "tea"], 2, "'tea' is no handle"),
        (["split", "Ada", "--name", "", "--fact", "a1"], 2, "the name is empty"),
        (["split", "Ada", "--name", "Eve", "--fact", "a3"], 4, "no fact of e1"),
        (["split", "Ada", "--name", "Eve", "--alias", "Countess"], 6, "no alias"),
        (["rename", "Ada", "\u200b"], 2, "no name for an entity"),
        (["rename", "Ada", "***"], 2, "no name for an entity"),
        (["rename", "Ada", "## Next steps"], 2, "no name for an entity"),
        (["restore", "e99"], 6, "e99"),
        (["show", "99"], 6, "no pass 99"),
        (["undo", "99"], 6, "no pass 99"),
        (["replay", "99"], 6, "no pass 99"),
        (["replay", "1", "--level", "4"], 2, "level"),
        (["diff", "99"], 6, "99"),
        (["undo", "one"], 2, "PASS"),
        (["dream", "--compact", "--trigger"], 2, "not allowed with"),
        (["dream", "--loss-cap", "7"], 2, "between 0 and 1"),
        (["dreem"], 2, "did you mean `dream`"),
        (["--db"], 2, "stands before the command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_said_in_a_line_with_what_to_do(
    call: Call, words: list[str], code: int, said: str
) -> None:
    found, out, err = call(*words)
    assert (found, out) == (code, "") and said in err
    assert err.startswith("graphdream: ") and "Traceback" not in err and "internal error" not in err


def test_the_status_is_told_where_a_person_took_back_a_merge_of_their_own(call: Call) -> None:
    for words in (["merge", "Ada", "Bo"], ["undo", "2", "--all-wrong"]):
        assert call(*words)[0] == 0
    code, out, err = call("status")
    assert (code, err) == (0, "") and "merges" not in out


def test_a_name_that_fits_two_lists_both(call: Call) -> None:
    assert call("rename", "Bo", "ADA")[0] == 0
    code, _, err = call("pin", "ada")
    assert code == 4 and "e1" in err and "e2" in err


def test_without_a_database_the_agent_s_own_is_used(call: Call, tmp_path: Path) -> None:
    words = ["record", "--session", "s1", "--summary", "Ada called."]
    assert call(*words, "--agent", "butler", db=None)[0] == 0
    code, out, _ = call("status", "--agent", "butler", "--json", db=None)
    told = json.loads(out)
    assert code == 0 and told["unread"]["sessions"] == 1
    assert Path(told["database"]).is_relative_to(tmp_path / "home") and "butler" in told["database"]


def test_what_others_wrote_into_the_memory_does_not_steer_the_terminal(call: Call) -> None:
    assert call("rename", "Ada", "Ada \x1b[2J\u202e")[0] == 0
    for command in (["entity", "e1"], ["passes"], ["show", "2"], ["diff", "2"]):
        code, out, _ = call(*command)
        assert code == 0 and "\x1b" not in out and "\u202e" not in out, command


# Each command that takes words, with some; the rest need none.
_WORDS = {
    "import": ["notes.md"], "record": ["--session", "s", "--summary", "Ada called."], "remember": ["Ada sings."],
    "recall": ["Ada"], "context": ["--session", "s", "--message", "Ada?"], "working": ["put", "key", "value"],
    "feedback": ["a1", "used"], "plan": ["list"], "show": ["1"], "diff": ["1"], "undo": ["1"], "replay": ["1"],
    "entity": ["Ada"], "unmerge": ["e1"], "pin": ["Ada"], "unpin": ["Ada"], "constraint": ["a1"], "date": ["a1", "--valid-from", "2026"], "merge": ["Ada", "Bo"], "same": ["Ada", "Bo"],
    "distinct": ["Ada", "Bo"], "split": ["Ada", "--name", "Bo", "--fact", "a1"], "rename": ["Ada", "Bo"],
    "edit": ['{"op": "retype_entity", "entity": "e1", "type": "poet"}'], "alias": ["Ada", "Bo"], "retype": ["Ada", "person"], "link": ["Ada", "knows", "Bo"], "unlink": ["l1"],
    "forget": ["a1"], "restore": ["a1"], "replace": ["a1", "a2"], "purge": ["a1", "--yes"], "explain": ["Ada", "Bo"],
    "observe": ["events.jsonl"], "serve": ["--no-http", "--cycles", "1"],
    "init": ["--dry-run"],
}  # fmt: skip
# All but the server and the fleet work on no memory; the fleet on those of a folder, and the server makes one when it is told something (test_mcp.py).
_NO_FILE = {"demo", "resolve", "calibrate", "mcp", "completion", "fleet"}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - _NO_FILE))
def test_a_mistyped_path_makes_a_file_only_where_something_is_brought_in(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "user" / ".codex").mkdir(parents=True)
    (tmp_path / "notes.md").write_text("- Ada sings\n")
    (tmp_path / "events.jsonl").write_text('{"kind": "skill-use", "skill": "mail"}\n')
    code = main([command, *_WORDS.get(command, []), "--db", "memmory.db"])
    if command in ("import", "record", "remember", "observe"):
        assert code == 0 and (tmp_path / "memmory.db").exists()
    else:
        assert not (tmp_path / "memmory.db").exists()
        assert code != 2, f"the words for {command} are wrong: {capsys.readouterr().err}"


# These look for the agent's memory, and say so where there is none; of the others, those that ask nothing of it.
_LOOKS = set(COMMANDS) - _NO_FILE - {"import", "record", "remember", "observe", "hook", "init", "doctor"}


@pytest.mark.parametrize("command", sorted(_LOOKS))
def test_an_agent_that_has_no_memory_is_told_and_none_is_made(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistyped --agent left an empty memory where it was only asked."""
    home = tmp_path / "agents-of-mine"
    monkeypatch.setenv("GRAPHDREAM_HOME", str(home))
    assert main(["remember", "Ada sings.", "--agent", "butler"]) == 0
    before = sorted(home.rglob("*"))
    capsys.readouterr()
    assert main([command, *_WORDS.get(command, []), "--agent", "buttler"]) == 6
    assert "no database at" in (told := capsys.readouterr().err) and "buttler" in told
    assert sorted(home.rglob("*")) == before


def test_who_is_meant_by_a_mistyped_agent_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path / "agents-of-mine"))
    assert main(["remember", "Ada sings.", "--agent", "butler"]) == 0
    assert main(["recall", "Ada", "--agent", "buttler"]) == 6
    assert "did you mean --agent butler?" in capsys.readouterr().err
    assert main(["recall", "Ada", "--agent", "Zoë"]) == 6
    assert "agent 'Zoë' has no memory" in capsys.readouterr().err


@pytest.mark.parametrize("which", [("--db", "memmory.db"), ("--agent", "buttler")], ids=" ".join)
def test_events_make_a_memory_only_if_one_of_them_was_taken(
    which: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of which nothing could be read, or in which nothing stands, brings nothing in."""
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    bad.write_text('{"kind": "nothing"}\nno json\n')
    good.write_text(bad.read_text() + '{"kind": "skill-use", "skill": "mail"}\n')
    (tmp_path / "empty.jsonl").touch()
    before = sorted(tmp_path.rglob("*"))
    assert main(["observe", "bad.jsonl", *which]) == 1
    assert "2 lines could not be taken" in capsys.readouterr().err
    assert main(["observe", "empty.jsonl", *which]) == 0
    assert sorted(tmp_path.rglob("*")) == before
    assert main(["observe", "good.jsonl", *which]) == 1
    told = capsys.readouterr()
    assert "recorded 1 skill use" in told.out and "line 2: " in told.err
    assert len(list(tmp_path.rglob("*.db"))) == 1


def test_skills_make_a_memory_only_if_there_are_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    none, broken, mail = (tmp_path / name for name in ("none", "broken", "mail"))
    for folder, text in ((none, ""), (broken, "no head"), (mail, "---\nname: mail\ndescription: Sends.\n---\nText\n")):
        folder.mkdir()
        if text:
            (folder / "SKILL.md").write_text(text)
    assert main(["skills", "import", "none", "--db", "memory.db"]) == 6
    assert main(["skills", "import", "broken", "--db", "memory.db"]) == 3
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == []
    assert main(["skills", "import", "mail", "--db", "memory.db"]) == 0
    assert (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("import", "nothing.md"), ("observe", "nothing.jsonl"), ("record", "--session", "s", "--transcript", "nothing.jsonl"),
        ("skills", "import", "nothing"), ("skills", "use", "mail"), ("remember", "  "),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_that_brings_nothing_leaves_no_file(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*words, "--db", "memory.db"]) in (2, 6)
    assert list(tmp_path.iterdir()) == []
