"""`observe`, `cycle`, `skills`, `self`, `introspect` and `log` as somebody uses them who has just come."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphdream.clock import shifted, utc_now
from graphdream.config import Cycle
from graphdream.dream.view_steps import ViewSteps
from graphdream.interfaces.cli import main

Call = Callable[..., Any]
YESTERDAY = shifted(utc_now(), -86_400)
EVENTS = [
    {"kind": "turn", "session": "mon", "role": "user", "content": "Please summarise the notes. Always answer in Celsius."},
    {"kind": "feedback", "feedback": "correction", "session": "mon", "content": "Don't order seeds without asking me."},
    {"kind": "turn", "session": "die", "role": "user", "content": "Fasse die Notizen zusammen. Bitte immer das Datum nennen."},
    {"kind": "feedback", "feedback": "correction", "session": "die", "content": "Bitte nie die Pumpe nachts einschalten."},
    {"kind": "turn", "session": "mer", "role": "user", "content": "Résume les notes. Utilise toujours le système métrique."},
    {"kind": "feedback", "feedback": "correction", "session": "mer", "content": "N'envoie jamais de courriel sans relecture."},
    {"kind": "skill-use", "session": "mer", "skill": "notes", "outcome": "ok"},
    {"kind": "tool-call", "session": "mer", "tool": "grep", "outcome": "ok"},
]  # fmt: skip


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on one file; its text, or what its JSON says."""

    def called(*words: str, code: int = 0, json_out: bool = False) -> Any:
        capsys.readouterr()
        found = main([*words, "--db", str(tmp_path / "memory.db"), *(["--json"] if json_out else [])])
        out, err = capsys.readouterr()
        assert found == code, err
        return json.loads(out) if json_out else out + err

    return called


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Events of one's own, with two lines that are none."""
    lines = [json.dumps({"at": YESTERDAY, "id": f"x{at}", **event}) for at, event in enumerate(EVENTS)]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join([*lines, '{"kind": "dance"}', "nonsense"]), encoding="utf-8")
    return path


def test_a_part_that_another_program_locks_out_says_so(
    call: Call, events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked_out(self: ViewSteps) -> None:
        raise sqlite3.OperationalError("database is locked")  # after a minute's wait

    call("observe", str(events), code=1)
    monkeypatch.setattr(ViewSteps, "plan", locked_out)
    said = call("cycle", code=1)
    assert "the database stayed locked by another program" in said and "OperationalError" not in said


def test_own_events_in_three_languages_become_memory_and_can_be_taken_back(call: Call, events: Path) -> None:
    said = call("observe", str(events), code=1)
    assert "recorded 3 feedbacks, 1 skill use, 1 tool call, 3 turns" in said
    assert "line 9: kind: should be one of" in said and "line 10: not JSON" in said
    foreseen = call("cycle", "--dry-run")
    assert "anti-patterns would change:" in foreseen and "N'envoie jamais de courriel sans relecture." in foreseen
    assert "would do: anti-patterns (3), preferences (3)" in foreseen and call("passes", json_out=True) == []
    done = call("cycle")
    assert "anti-patterns (3), preferences (3)" in done and "graphdream undo 1" in done
    shown = call("show", "1")
    assert "Bitte nie die Pumpe nachts einschalten." in shown and "Don't order seeds without asking me." in shown
    again = call("cycle")
    assert "nothing to do" in again and "graphdream undo" not in again
    assert len(call("log", json_out=True)) == 1, "a cycle that did nothing is no entry"
    undone = call("undo", "1")
    assert "cycle --again" in undone
    assert "nothing to do" in call("cycle"), "what was taken back is left alone"
    assert "anti-patterns (3)" in call("cycle", "--only", "anti-patterns", "--again")


def test_what_the_agent_is_and_knows_is_told(call: Call, events: Path, tmp_path: Path) -> None:
    call("observe", str(events), code=1)
    call("cycle")
    listed = call("cycle", "--list", json_out=True)
    assert len(listed) == 17 and all(part["why_not"] or part["due"] for one in listed for part in one["parts"])
    folder = tmp_path / "skills" / "mail"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: mail\ndescription: Sends mail\n---\n1. Write.\n2. Ask.\n")
    assert "took 1 skill" in call("skills", "import", str(folder.parent))
    call("skills", "use", "mail", "--session", "mer", "--outcome", "ok")
    (one,) = call("skills", "list", json_out=True)["skills"]
    assert (one["name"], one["uses"]) == ("mail", 1)
    assert "Utilise toujours le système métrique." in call("self")
    health = call("introspect", json_out=True)
    assert health["score"] >= 95, health
    call("skills", "show", "nobody", code=6)
    call("cycle", "--only", "dreamy", code=6)
    assert "invalid choice" in call("feedback", "x", "--session", "mer", "--kind", "dance", code=2)


def largest(name: str) -> float | None:
    """The largest number that a setting takes; None where it takes none, or only together with others."""
    info = Cycle.model_fields[name]
    if info.annotation not in (int, float) or name in ("night_from", "night_to"):
        return None
    bounds = [getattr(one, "le", None) for one in info.metadata] + [getattr(one, "lt", None) for one in info.metadata]
    return 10**12 if not any(bounds) else None


def smallest(name: str) -> float | None:
    """The smallest number that a setting takes, of those that have no least one."""
    info = Cycle.model_fields[name]
    if info.annotation is not float:
        return None
    above = [one for one in info.metadata if getattr(one, "gt", None) == 0]
    return 5e-324 if above else 0.0


@pytest.mark.parametrize("extreme", [largest, smallest])
def test_passes_run_whatever_numbers_the_settings_have(
    extreme: Callable[[str], float | None], call: Call, events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("observe", str(events), code=1)
    for name in Cycle.model_fields:
        if (value := extreme(name)) is not None:
            shown = f"{value:.1e}" if isinstance(value, float) else str(value)
            monkeypatch.setenv(f"GRAPHDREAM_CYCLE__{name.upper()}", shown)
    for words in (["cycle", "--list"], ["cycle", "--dry-run"], ["cycle"], ["cycle", "--list"], ["skills"], ["status"]):
        call(*words)


def test_passes_are_listed_at_the_end_of_all_years(call: Call, events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("observe", str(events), code=1)
    call("cycle")
    monkeypatch.setattr("graphdream.clock.time.time_ns", lambda: 253_402_297_200 * 10**9)  # 9999-12-31T23:00
    for words in (["cycle", "--list"], ["cycle"], ["cycle", "--list"], ["status"], ["log"]):
        call(*words)
