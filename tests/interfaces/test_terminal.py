"""What a person at a terminal sees: a real pseudo-terminal, real shells."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import COMMANDS, main
from graphdream.journal.overview import _ORDER, GROUPS
from tests.support.graphs import apply, entity

pty = pytest.importorskip("pty", reason="NOT TESTED: no pseudo-terminals here")
BOLD = "\x1b[1m"


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """Pass 1: Ada, Ada L. and sixty facts; pass 2: they are merged, and twenty facts are archived."""
    path = tmp_path / "memory.db"
    facts = [f"has a parrot by the name of Number {at}" for at in range(60)]
    with Store.open(path) as store:
        apply(store, [entity("Ada Ruiz", pets=facts), entity("A. Ruiz", general=["sails"])])
        apply(
            store,
            [{"op": "merge_entities", "source": ["e2"], "target": "e1"}]
            + [{"op": "delete_attribute", "content": f"a{at}", "reason": "flew away"} for at in range(1, 21)],
        )
    return path


def at_a_terminal(words: list[str], rows: int = 200, **environment: str) -> str:
    """What a command prints on a terminal of 100 columns."""
    import fcntl
    import struct
    import termios

    lead, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    variables = {
        **{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PAGER", "COLUMNS", "LINES")},
        "TERM": "xterm-256color", **environment,
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "graphdream", *words], stdin=follower, stdout=follower, stderr=follower, env=variables
    )
    os.close(follower)
    told = b""
    while True:
        try:
            piece = os.read(lead, 65_536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        told += piece
    os.close(lead)
    assert process.wait() == 0, told
    return told.decode().replace("\r\n", "\n")


def test_a_person_sees_headings_in_bold_and_a_program_plain_text(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = at_a_terminal(["show", "2", "--db", str(memory)])
    assert f"{BOLD}Facts archived: 20" in seen
    assert BOLD not in at_a_terminal(["show", "2", "--db", str(memory)], NO_COLOR="1")
    assert main(["show", "2", "--db", str(memory)]) == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain and "Facts archived: 20" in plain


def test_a_table_fits_the_terminal(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = at_a_terminal(["passes", "--db", str(memory)])
    head, first, second = (line for line in seen.splitlines() if line.strip())
    assert BOLD in head and "kind" in head
    assert max(map(len, (first, second))) <= 100
    assert main(["passes", "--db", str(memory)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_what_is_longer_than_the_screen_goes_to_the_pager(memory: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(f'#!/bin/sh\ncat > "{tmp_path}/paged"\necho paged\n')
    pager.chmod(0o755)
    words = ["show", "2", "--archived", "--db", str(memory)]
    assert at_a_terminal(words, rows=10, PAGER=str(pager)) == "paged\n"
    assert (tmp_path / "paged").read_text().count("has a parrot") == 20
    for short in ({"rows": 200, "PAGER": str(pager)}, {"rows": 10, "PAGER": ""}, {"rows": 10, "PAGER": "/no/such"}):
        assert at_a_terminal(words, **short).count("has a parrot") == 20
    assert at_a_terminal([*words, "--json"], rows=10, PAGER=str(pager)).startswith("[")


def test_each_kind_of_change_can_be_read_alone(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "2", "--merges", "--db", str(memory)]) == 0
    assert "  e2 A. Ruiz → e1 Ada Ruiz\n" in capsys.readouterr().out
    assert main(["show", "2", "--archived", "--json", "--db", str(memory)]) == 0
    (kind,) = json.loads(capsys.readouterr().out)
    assert kind["count"] == len(kind["examples"]) == 20
    assert kind["examples"][0] | {"before": 0} == {
        "before": 0, "after": "", "why": "flew away", "handles": ["a1"], "into": "",
    }  # fmt: skip
    assert main(["show", "2", "--added", "--db", str(memory)]) == 0
    assert capsys.readouterr().out == "nothing of that kind in pass 2\n"


def test_the_groups_of_kinds_are_all_kinds() -> None:
    assert sorted(kind for kinds in GROUPS.values() for kind in kinds) == sorted(_ORDER)


# ---------------------------------------------------------------------- completion


def script(shell: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "graphdream", "completion", shell], text=True, capture_output=True, check=True
    ).stdout


def completed_by_bash(folder: Path, line: str) -> list[str]:
    (folder / "completion.bash").write_text(script("bash"))
    words = line.split(" ")
    asked = f"""
        source {folder}/completion.bash
        COMP_WORDS=({" ".join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}
        COMP_LINE={line!r}; COMP_POINT={len(line)}
        $(complete -p graphdream | sed 's/.*-F \\([^ ]*\\).*/\\1/') graphdream {words[-1]!r} {words[-2]!r}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "--norc", "-c", asked], text=True, capture_output=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="NOT TESTED: no bash here")
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    assert completed_by_bash(tmp_path, "graphdream sho") == ["show"]
    assert completed_by_bash(tmp_path, "graphdream dream --comp") == ["--compact"]
    assert completed_by_bash(tmp_path, "graphdream completion f") == ["fish"]
    assert set(completed_by_bash(tmp_path, "graphdream ")) >= set(COMMANDS)


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])])
def test_other_shells_can_read_their_scripts(tmp_path: Path, shell: str, check: list[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"NOT TESTED: no {shell} here")
    (tmp_path / "completion").write_text(script(shell))
    subprocess.run([*check, str(tmp_path / "completion")], check=True)


def test_completion_says_which_shells_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcl"]) == 2
    assert "bash" in capsys.readouterr().err
    assert main(["completion", "bash", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shell"] == "bash"
