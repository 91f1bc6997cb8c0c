"""A view that is thought about in a process of its own: the same thought as here, whatever becomes of that process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from graphdream.dreamers.aside import Aside, Thinking
from graphdream.dreamers.base import Thought
from graphdream.dreamers.gathered import Gathered, SeenAspect, SeenEntity, SeenFact
from graphdream.dreamers.local import LocalDreamer
from graphdream.dreamers.vetoes import Vetoes


def fact(number: int, content: str) -> SeenFact:
    return SeenFact(number, 1, "notes", content, "attribute", 0.9, f"2026-01-0{number}", "extraction", "", "inferred")


VIEW = Gathered(
    mode="compact",
    seen_version=1,
    now="2026-02-01T00:00:00Z",
    entities=(SeenEntity(1, "Lantern", "project", pinned=False),),
    facts=(fact(1, "is built in Oslo by four people"), fact(2, "is built in Oslo by four people")),
    aspects=(SeenAspect(1, 1, "notes", 2),),
)
HERE = LocalDreamer().think(VIEW).packed()
VETOES = frozenset().union(*(Vetoes(VIEW).fingerprints(one.body) for one in HERE.proposals))


@pytest.fixture
def aside() -> Iterator[Aside]:
    with Aside() as aside:
        yield aside


def told(thought: Thought) -> tuple[object, ...]:
    return [one.body for one in thought.proposals], thought.summary, thought.judged, thought.figures


def process_of(thinking: Thinking) -> int:
    process = thinking._process  # type: ignore[attr-defined]
    assert process is not None
    return process.pid


def test_the_thought_is_the_same_in_either_process(aside: Aside) -> None:
    assert len(HERE.proposals) == 1
    both = [aside.begin(VIEW, LocalDreamer()) for _ in range(2)]
    assert [told(one.answer.result()) for one in both] == [told(HERE)] * 2


def test_what_is_vetoed_is_not_thought_again_by_the_same_process(aside: Aside) -> None:
    thinking = aside.begin(VIEW, LocalDreamer())
    thinking.answer.result()
    process = process_of(thinking)
    thinking.again(VETOES)
    assert not thinking.answer.result().proposals
    assert process_of(thinking) == process
    assert thinking.view.declined == VETOES


@pytest.mark.parametrize("when", ["at once", "before it thinks again"])
def test_a_killed_process_loses_no_thought(aside: Aside, when: str) -> None:
    thinking = aside.begin(VIEW, LocalDreamer())
    if when == "at once":
        os.kill(process_of(thinking), signal.SIGKILL)
        assert told(thinking.answer.result()) == told(HERE)
    else:
        thinking.answer.result()
        os.kill(process_of(thinking), signal.SIGKILL)
    thinking.again(VETOES)
    assert not thinking.answer.result().proposals


@pytest.mark.parametrize(("name", "value"), [("executable", ""), ("frozen", True)])
def test_a_program_that_is_no_plain_interpreter_thinks_itself(
    aside: Aside, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.setattr(sys, name, value, raising=False)
    thinking = aside.begin(VIEW, LocalDreamer())
    assert told(thinking.answer.result()) == told(HERE)
    thinking.again(VETOES)
    assert not thinking.answer.result().proposals


def test_no_process_outlives_the_work() -> None:
    with Aside() as aside:
        done, begun = (aside.begin(VIEW, LocalDreamer()) for _ in range(2))
        processes = [process_of(done), process_of(begun)]
        done.answer.result()
        done.end()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_a_process_ends_with_the_program_that_started_it() -> None:
    program = (
        "import os\n"
        "from graphdream.dreamers.aside import Aside, LocalDreamer\n"
        "from graphdream.dreamers.gathered import Gathered\n"
        "aside = Aside()\n"
        "thinking = aside.begin(Gathered('compact', 1, ''), LocalDreamer())\n"
        "thinking.answer.result()\n"
        "print(thinking._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    for _ in range(100):
        try:
            os.kill(int(told.stdout), 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("it goes on with nobody to answer to")


def test_any_other_dreamer_thinks_here(aside: Aside) -> None:
    class Elsewhere:
        """Says how often it was asked."""

        def think(self, gathered: Gathered) -> Thought:
            return Thought((), summary=str(len(gathered.declined)))

    thinking = aside.begin(VIEW, Elsewhere())
    assert thinking.answer.result().summary == "0"
    thinking.again(frozenset({"veto 1"}))
    assert thinking.answer.result().summary == "1"
    thinking.end()
