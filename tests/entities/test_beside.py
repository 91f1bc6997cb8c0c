"""Who is who in a second process: the same answer as here, whatever becomes of that process."""

import os
import signal
import subprocess
import sys

import pytest

from graphdream.entities import Record
from graphdream.entities.beside import WORTH_IT, Beside, ResolveCall

PEOPLE = tuple(
    Record(id=str(number), name=name, type="person", attributes=(f"{name} leads the {team} team",))
    for number, (name, team) in enumerate(
        [("Avery Felts", "search"), ("avery felts", "search"), ("Avery  Felts", "search"), ("Noor Haddad", "billing")]
    )
)
ASKED = ResolveCall(PEOPLE, max_false_merge_rate=0.005)

needs_two_cores = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has no use for a second process")


@pytest.mark.parametrize("records", [0, WORTH_IT])
def test_the_answer_is_the_same_in_either_process(records):
    with Beside(records) as beside:
        for _ in range(2):
            beside.ask(ASKED)
            assert beside.answer() == ASKED.answer()


def test_a_question_that_cannot_be_answered_fails_as_it_does_here():
    with Beside(WORTH_IT) as beside:
        beside.ask(ResolveCall((*PEOPLE, PEOPLE[0]), max_false_merge_rate=0.005))
        with pytest.raises(ValueError, match="not unique"):
            beside.answer()
        beside.ask(ASKED)
        assert beside.answer() == ASKED.answer()


@needs_two_cores
@pytest.mark.parametrize("when", ["before it is asked", "after"])
def test_a_killed_process_loses_no_answer(when):
    with Beside(WORTH_IT) as beside:
        process = beside.process
        assert process is not None
        if when == "before it is asked":
            os.kill(process, signal.SIGKILL)
        beside.ask(ASKED)
        if when == "after":
            os.kill(process, signal.SIGKILL)
        assert beside.answer() == ASKED.answer()
        assert beside.process is None


@pytest.mark.parametrize(("name", "value"), [("executable", ""), ("frozen", True)])
def test_a_program_that_is_no_plain_interpreter_is_not_started_again(monkeypatch, name, value):
    monkeypatch.setattr(sys, name, value, raising=False)
    with Beside(WORTH_IT) as beside:
        assert beside.process is None
        beside.ask(ASKED)
        assert beside.answer() == ASKED.answer()


@needs_two_cores
def test_the_process_ends_with_the_look():
    with Beside(WORTH_IT) as beside:
        process = beside.process
    assert process is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path):
    script = tmp_path / "hook.py"
    script.write_text(
        "from graphdream.entities import Record\n"
        "from graphdream.entities.beside import WORTH_IT, Beside, ResolveCall\n"
        "print('started')\n"
        "with Beside(WORTH_IT) as beside:\n"
        "    beside.ask(ResolveCall((Record(id='1', name='Lantern'),), max_false_merge_rate=0.005))\n"
        "    print(dict(beside.answer().clusters))\n"
    )
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert told.stdout == "started\n{'1': '1'}\n"
