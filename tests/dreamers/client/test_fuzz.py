"""Whatever a model answers, no exception escapes, every item ends in an outcome, and the laws hold."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from graphdream.dreamers.asking.verdicts import items_of, read_verdicts
from graphdream.dreamers.client.answers import Parsed, read_answer, repair_request, with_repairs
from graphdream.dreamers.prompt.questions import Question, numbered
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_lines
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.verify import verify
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import CODES, Outcome
from graphdream.mutations.parse import parse_proposals
from tests.dreamers.client.fuzz import Fuzzer
from tests.laws.plans import FIRST_GRAPH
from tests.laws.promises import astray, lost, protected, unsound, violated
from tests.support.graphs import NOW, clock

LIVES = {
    "in-ci": (6, 100, 50_000),
    "soak": (1_000, 100, 10_000_000),
}  # graphs, answers to each, characters of a long one
QUESTIONS = 6  # put with each answer


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.db"
    with Store.open(path) as store:
        import_lines(store, FIRST_GRAPH, source="first graph", clock=clock)
    return path


def handles(store: Store) -> list[str]:
    listed = (("e", "entity"), ("a", "attribute"), ("l", "link"))
    return [
        f"{letter}{row[0]}"
        for letter, table in listed
        for row in store.connection.execute(f"SELECT id FROM {table} ORDER BY id")
    ]


def questions_about(known: list[str]) -> dict[int, Question]:
    """Pairs of neighbouring entities, whatever became of them, and of neighbouring facts."""
    entities, facts = ([int(row[1:]) for row in known if row[0] == letter] for letter in "ea")
    pairs = [Question("same", two, "", 0.5, f"{two}", known=((False, two[0] % 3), (False, two[1] % 3)))
             for two in pairwise(entities)]  # fmt: skip
    told = [Question("contradiction", (1,), "", 1.0, f"a{two}", facts=two)
            for two in pairwise(facts)]  # fmt: skip
    return numbered([*pairs[-QUESTIONS // 2 :], *told[-QUESTIONS // 2 :]])


def decided(parsed: Parsed, corrected: Parsed, questions: dict[int, Question]) -> list[Proposal]:
    """What the lists of numbers of an answer and of its correction come to, refused ones too."""
    verdicts = read_verdicts(parsed.extra, questions)
    both = verdicts.corrected(read_verdicts(corrected.extra, questions))
    items = items_of(both, questions, "the fuzz")
    assert set(both.given) <= set(questions)
    return [Proposal(body, None, fault) if fault else parse_proposals([body])[0] for body, fault in items]


def one_answer(store: Store, text: str) -> list[Outcome]:
    """Read it, repair it with itself, apply it as a pass, and look whether every item has its outcome."""
    known = handles(store)
    parsed = read_answer(text, knows=set(known).__contains__)
    assert isinstance(repair_request(parsed), str)
    corrected = read_answer(text[: len(text) // 2], finish="length")
    both = with_repairs(parsed, corrected)
    assert len(both.proposals) >= len(parsed.proposals)
    proposals = [*decided(parsed, corrected, questions_about(known)), *both.proposals]
    safe, were_astray = protected(store), astray(store)
    with open_pass(store, PassHeader("dream", inputs={"now": NOW}), clock=clock) as current:
        applying = Applying(store, "pass", NOW)
        outcomes = apply_proposals(applying, proposals, archive_cap=2)
        record_outcomes(store.connection, current.id, proposals, outcomes)
    assert len(outcomes) == len(proposals)
    assert all(outcome.code in CODES and outcome.message for outcome in outcomes)
    assert [*violated(store, safe), *(astray(store) - were_astray)] == []
    return outcomes


@pytest.mark.parametrize("size", ["in-ci", pytest.param("soak", marks=pytest.mark.soak)])
def test_whatever_is_answered_the_laws_hold(tmp_path: Path, first: Path, size: str) -> None:
    lives, answers, characters = LIVES[size]
    seen: set[str] = set()
    for life in range(lives):
        folder = tmp_path / f"life-{life}"
        folder.mkdir()
        path = Path(shutil.copy(first, folder / "memory.db"))
        with Store.open(path) as store:
            store.connection.execute("PRAGMA synchronous = OFF")
            fuzzer = Fuzzer(life, lambda store=store: handles(store), questions=QUESTIONS)  # type: ignore[misc]
            for _ in range(answers):
                seen |= {outcome.code for outcome in one_answer(store, fuzzer.answer())}
            if life % 50 == 0:
                one_answer(store, fuzzer.huge(characters))
            assert [*unsound(store), *lost(store)] == []
            report = verify(store)
            assert report.ok, report.as_text()
        shutil.rmtree(folder)
    # It would prove little if all of it were refused for one reason.
    assert seen >= {"ok", "invalid", "not_found", "not_active", "nothing_to_do", "pinned", "constraint", "ambiguous",
                    "distinct"}  # fmt: skip
