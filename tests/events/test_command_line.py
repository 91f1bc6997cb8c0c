"""The command line as a host's hook and a person meet it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from graphdream.errors import ConflictError, ImportRefusedError
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces import cli
from graphdream.interfaces.cli import COMMANDS, main
from graphdream.interfaces.output import printable, table
from graphdream.journal.passes import chain_pass
from support.attacks import shell

PROJECT = Path(__file__).resolve().parents[2]

# None of these may be loaded by a hook: each costs more than the whole command may.
HEAVY = (
    "pydantic", "numpy", "scipy", "click", "litellm", "sqlite_utils", "tiktoken", "networkx", "rapidfuzz", "yaml",
    "jsonschema", "filelock", "asyncio", "inspect", "shutil", "uuid",
)  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        record(store, "s0", summary="Avery moved the deadline.")
    return path


def whole_process(
    *words: str, input: str | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "graphdream", *words]
    return subprocess.run(command, input=input, env=env, capture_output=True, encoding="utf-8", cwd=PROJECT)


# ---------------------------------------------------------------------- the hot path


@pytest.mark.parametrize(
    "words",
    [
        ["record", "--session", "s1", "--summary", "Kai is away."],
        ["dream", "--status"],
        ["status", "--json"],
        ["--help"],
        ["record", "--help"],
    ],
    ids=" ".join,
)
def test_the_hot_path_loads_nothing_heavy(database: Path, words: list[str]) -> None:
    main(["status", "--db", str(database)])  # counts what is uncounted
    place = ["--db", str(database)] if "--help" not in words else []
    program = (
        "import sys; from graphdream.interfaces.cli import main; code = main(sys.argv[1:]);"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]; print(code, loaded)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words, *place], capture_output=True, text=True, cwd=PROJECT, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"


# ------------------------------------------------------------------------- record


def test_record_and_status_as_processes(database: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"role": "user", "content": "Grüße, 日本"}\n{"role": "us\n', encoding="utf-8")
    words = [
        "--session",
        "größe",
        "--summary",
        "Über alles 🌙",
        "--transcript",
        str(transcript),
        "--db",
        str(database),
    ]
    # Whatever the surroundings say about encodings, graphdream speaks UTF-8.
    first = whole_process("record", *words, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (first.returncode, first.stdout) == (0, "größe: recorded 1 summary, 1 turn\n")
    assert "1 line of the transcript" in first.stderr and "line 2: not JSON" in first.stderr
    assert whole_process("record", *words).stdout == "größe: everything was on record already\n"
    told = json.loads(whole_process("record", *words, "--json").stdout)
    assert (told["summaries"], told["turns"], told["bad_lines"]) == (0, 0, 1)
    status = json.loads(whole_process("dream", "--status", "--db", str(database), "--json").stdout)
    assert status["unread"]["sessions"] == 2
    assert status["due"] == {"mode": "incremental", "trigger": "first-run"}


def test_record_reads_a_summary_and_a_transcript_from_standard_input(database: Path) -> None:
    place = ["--db", str(database), "--session", "s1"]
    assert whole_process("record", "--summary", "-", *place, input="Grüße\n").stdout == "s1: recorded 1 summary\n"
    line = '{"role": "user", "content": "hi"}\n'
    assert whole_process("record", "--transcript", "-", *place, input=line).stdout == "s1: recorded 1 turn\n"
    both = whole_process("record", "--summary", "-", "--transcript", "-", *place, input=line)
    assert both.returncode == 2 and "both" in both.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--session", "s"], 2, "nothing to record"),
        (["--summary", "a"], 2, "--session is missing"),
        (["--session", "s", "--summary", "a", "--ended-at", "soon"], 2, "'soon' is not a time"),
        (["--session", "s", "--summary", "a", "--metadata", "{"], 2, "not JSON"),
        (["--session", "s", "--summary", "a", "--metadata", "[]"], 2, "not a JSON object"),
        (["--session", "s", "--transcript", "/nowhere/t.jsonl"], 6, "no transcript"),
    ],
)
def test_a_wrong_record_is_one_line_and_a_next_step(
    database: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert main(["record", *words, "--db", str(database)]) == code
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("graphdream: ") and said in told.err


@pytest.mark.parametrize(
    "words",
    [
        ["record", "--session", "  ", "--summary", "a"],
        ["record", "--session", "s", "--summary", " "],
        ["record", "--session", "s", "--summary", "a", "--started-at", "nonsense"],
        ["record", "--session", "s", "--observation", " "],
        ["remember", "a", "--at", "nonsense"],
        ["remember", "a", "--at", "nonsense", "--wait"],
        ["remember", "a", "--valid-from", "2026-03", "--valid-to", "2025"],
        ["remember", " ", "--wait"],
    ],
    ids=" ".join,
)
def test_what_is_refused_leaves_nothing_behind(tmp_path: Path, words: list[str]) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert main([*words, "--db", str(tmp_path / "new.db")]) == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_a_session_is_recorded_into_the_agents_own_file(tmp_path: Path) -> None:
    assert main(["record", "--agent", "ada", "--session", "s", "--summary", "a"]) == 0
    assert (tmp_path / "home" / "agents" / "ada" / "memory.db").exists()


# ------------------------------------------------------------------------- status


def test_status_of_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--db", str(tmp_path / "none.db")]) == 6
    assert "there is no database" in capsys.readouterr().err
    assert not (tmp_path / "none.db").exists()


def test_status_reads_the_configuration_beside_the_file(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database.with_name("agent.yaml").write_text("memory: {dreaming: {tokenThreshold: 5000, backfillOnFirstRun: false}}")
    assert main(["status", "--db", str(database)]) == 0
    assert "of 5,000 tokens;" in capsys.readouterr().out.splitlines()[0]


def test_status_reads_the_environment(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHDREAM_DREAMING__ENABLED", "false")
    assert main(["dream", "--db", str(database), "--status"]) == 0
    assert capsys.readouterr().out.startswith("no pass is due: dreaming is off; ")


def test_status_names_cost_and_wrong_merges(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(database) as store, store.writing():
        for number, cost in enumerate((0.25, 0.5, None), 1):
            store.connection.execute(
                "INSERT INTO pass (id, kind, status, started_at, cost, counts, hash_before, hash_after)"
                " VALUES (?, 'dream', 'applied', '', ?, '{\"rows\": {\"entity merged\": 2}}', '', '')",
                (number, cost),
            )
            chain_pass(store.connection, number)
        store.connection.execute("INSERT INTO rejection (pass_id, merged_by, first_id, second_id) VALUES (3, 1, 1, 2)")
    main(["status", "--db", str(database), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["cost"] == {"usd": 0.75, "tokens": 0, "passes_without_a_price": 1}
    assert (told["merges"]["merges"], told["merges"]["rejected"]) == (7, 1)
    main(["status", "--db", str(database)])
    assert "$0.75, and 1 pass at a price not known" in capsys.readouterr().out


# ---------------------------------------------------------------------- the program


def test_help_lists_every_command_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(name in told and command.line in told for name, command in COMMANDS.items())
    assert main(["help", "record"]) == 0
    assert "--session ID" in capsys.readouterr().out


def test_every_command_has_its_module() -> None:
    for command in COMMANDS.values():
        assert find_spec(f"{cli.__name__}.{command.module}") is not None, command.module


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["drem"], "did you mean `dream`"),
        (["xyzzy"], "graphdream --help"),
        (["--db", "x", "status"], "after"),
        (["status", "--wat"], "--wat"),
    ],
)
def test_a_wrong_call_says_what_would_be_right(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    assert said in told.err and told.out == ""


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (ConflictError("it is so", "do that"), 4, "graphdream: it is so\n  do that\n"),
        (
            ImportRefusedError("two faults", ["line 1: a", "line 2: b"], "mend them"), 3,
            "graphdream: two faults\n  line 1: a\n  line 2: b\n  mend them\n",
        ),
        (sqlite3.OperationalError("database is locked"), 5, "graphdream: the database stayed locked"),
        (KeyboardInterrupt(), 130, ""),
        (ValueError("a\nb"), 70, "graphdream: internal error: ValueError: a b\n  GRAPHDREAM_DEBUG=1 shows"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_every_error_has_its_code_and_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: BaseException, code: int, said: str
) -> None:
    def fail(words: list[str]) -> int:
        raise fault

    monkeypatch.setattr(cli, "_run", fail)
    assert main(["status"]) == code
    told = capsys.readouterr().err
    assert told.startswith(said) and "Traceback" not in told


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (TypeError("no such thing"), "graphdream: internal error: TypeError: no such thing\n"),
        (
            sqlite3.ProgrammingError("Cannot operate on a closed database."),
            "graphdream: internal error: ProgrammingError: ",
        ),
        (
            sqlite3.OperationalError("no such column: naem"),
            "graphdream: internal error: OperationalError: no such column",
        ),
        (sqlite3.OperationalError("malformed JSON"), "graphdream: internal error: OperationalError: malformed JSON\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_fault_of_ours_is_told_as_that_and_damage_only_where_it_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: Path, fault: Exception, said: str
) -> None:
    """A statement with a wrong name was told as a damaged database, and in a memory with a forged row each fault was."""

    def fail(words: list[str]) -> int:
        raise fault

    monkeypatch.setattr(cli, "_run", fail)
    words = ["status", "--db", str(database)]
    assert main(words) == 70
    told = capsys.readouterr().err
    assert told.startswith(said) and "damaged" not in told
    with shell(database) as c:
        c.execute("UPDATE session SET metadata = '{\"forged\": 1}'")
    assert main(words) == 3
    told = capsys.readouterr().err
    assert told.startswith(said) and "the database is damaged besides: " in told


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setenv("GRAPHDREAM_DEBUG", "1")
    main(["status", "--db", str(tmp_path / "none.db")])
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_closes_the_pipe_is_no_error(database: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "graphdream", "status", "--db", str(database)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=PROJECT,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_an_export_that_is_read_half_way_ends_in_silence(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    assert main(["import", str(PROJECT / "fixtures" / "small.jsonl.gz"), "--db", str(database)]) == 0
    with subprocess.Popen(
        [sys.executable, "-m", "graphdream", "export", "--db", str(database)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=PROJECT,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.wheel
def test_the_installed_program_records_and_tells(tmp_path: Path) -> None:
    database = str(tmp_path / "memory.db")
    assert main(["record", "--db", database, "--session", "s", "--summary", "Kai is away."]) == 0
    assert main(["dream", "--status", "--db", database]) == 0


# ------------------------------------------------------------------------- output


def test_tables_align_whatever_is_in_them() -> None:
    assert table([("a", 1, True), ("日本", 12_000, None)], ("name", "count", "on")) == (
        "name   count  on\n"
        "a          1  yes\n"
        "日本  12,000\n"
    )  # fmt: skip
    assert table([]) == ""
    assert table([], ("a", "b")) == "a  b\n"


def test_what_is_in_memory_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2Jb\n\u202ec") == "a\\x1b[2Jb\\n\\u202ec"
    assert "\x1b" not in table([("\x1b[31m", 1)])


def test_of_a_transcript_without_a_summary_is_told_whether_a_pass_reads_it(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"role": "user", "content": "I moved to Oslo."}\n', encoding="utf-8")
    words = ["record", "--session", "s1", "--transcript", str(transcript), "--db", str(database)]
    assert main(words) == 0
    assert "a pass reads what people said in it" in capsys.readouterr().out
    assert main([*words, "--summary", "Kai moved to Oslo."]) == 0
    assert "without a summary" not in capsys.readouterr().out
    transcript.write_text('{"role": "assistant", "content": "Done."}\n', encoding="utf-8")
    assert main(["record", "--session-id", "s2", *words[3:]]) == 0
    assert "no pass is due for it" in capsys.readouterr().out


_STILL_ASKING = """
import signal, sys, threading
from graphdream.__main__ import start

class Interrupting:
    def read(self, most=-1):
        signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell or `make` may have it ignored
threading.Thread(target=threading.Event().wait).start()
sys.stdin = Interrupting()
sys.argv = ["graphdream", "recall", "-", "--db", sys.argv[1]]
raise SystemExit(start())
"""


def test_an_interrupted_command_does_not_wait_for_a_thread_that_never_ends(database: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _STILL_ASKING, str(database)], capture_output=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, b"")
