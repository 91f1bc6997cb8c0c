"""What a model is shown, word for word: golden files, and what holds of every prompt."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.dreamers.asking.agenda import Agenda, Limits
from graphdream.dreamers.asking.calls import CallMaker
from graphdream.dreamers.asking.graph_plan import GraphPlanner
from graphdream.dreamers.asking.session_plan import SessionPlanner
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenSession
from graphdream.dreamers.prompt.answer_form import answer_schema, everything, op_lines, tidying
from graphdream.dreamers.prompt.directive import read_directive, read_identity
from graphdream.dreamers.prompt.graph_text import GraphText
from graphdream.dreamers.prompt.history import PastPass, history_text
from graphdream.dreamers.prompt.preamble import preamble
from graphdream.dreamers.prompt.questions import answered, open_questions
from graphdream.dreamers.prompt.session_text import session_parts
from graphdream.events.tokens import default_tokenizer
from graphdream.facts import Open
from graphdream.mutations.parse import parse_proposals
from tests.dreamers.views import BAND, NOW, SESSION, STANDING, VIEW, WITH_SESSION, fact

GOLDEN = Path(__file__).parent / "golden"
count = default_tokenizer().count


def check_golden(name: str, messages: Sequence[Message]) -> None:
    """Compare with the golden file; GOLDEN=write writes it instead, and a person then reads the diff."""
    text = "\n".join(
        f"[{message.role}{', cached' if message.cache else ''}]\n{message.content}" for message in messages
    )
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.fixture
def maker() -> CallMaker:
    return CallMaker(STANDING, count, Limits())


def test_the_prompt_of_sessions(maker: CallMaker) -> None:
    (call,) = SessionPlanner(maker).plan(WITH_SESSION, open_questions(WITH_SESSION, BAND)).calls
    check_golden("sessions", call.messages)
    assert call.sessions == ("s1",) and len(call.questions) == 2


def test_the_prompt_of_questions(maker: CallMaker) -> None:
    facts = [Open("replaces", 3, 4, 0.8), Open("same", 1, 99, 0.7)]  # the second is about a fact that is gone
    (call,) = GraphPlanner(maker).for_questions(VIEW, open_questions(VIEW, BAND, facts), None).calls
    check_golden("questions", call.messages)


def test_the_prompt_of_a_walk(maker: CallMaker) -> None:
    (call,) = GraphPlanner(maker).for_walk(VIEW, open_questions(VIEW, BAND)).calls
    check_golden("walk", call.messages)


def test_the_prompt_across_chunks() -> None:
    narrow = CallMaker(STANDING, count, Limits(max_input=900))
    questions = open_questions(_crowded(), _crowd_band()[:30])
    agenda = GraphPlanner(narrow).for_questions(_crowded(), questions, None)
    across = [call for call in agenda.calls if call.what == "across chunks"]
    check_golden("across", across[0].messages)
    put = [question.fingerprint for call in agenda.calls for question in call.questions]
    assert sorted(put) == sorted(question.fingerprint for question in questions)
    assert sum(len(call.questions) for call in across) == agenda.figures["pairs_across"] > 0


def test_stable_parts_come_first_and_are_the_same_for_every_call_of_a_task(maker: CallMaker) -> None:
    sessions = [SeenSession(f"s{n}", "session", "2026-06-01T00:00:00Z", ((n, f"Text {n}."),)) for n in range(3)]
    calls = [SessionPlanner(maker).plan(replace(WITH_SESSION, sessions=(one,)), ()).calls[0] for one in sessions]
    assert len({call.messages[:2] for call in calls}) == 1
    assert all(message.cache for message in calls[0].messages[:2]) and not calls[0].messages[2].cache


def test_the_shipped_directive_and_form_leave_room_for_what_an_incremental_pass_adds() -> None:
    """At most 6,000 tokens beyond the session's own text, at any graph size; identity files are the agent's."""
    standing = replace(STANDING, directive=read_directive(None), identity=(), past=[_past(n) for n in range(200)])
    questions = open_questions(_crowded(), _crowd_band())
    (call,) = SessionPlanner(CallMaker(standing, count, Limits())).plan(_crowded(), questions).calls
    session = session_parts(WITH_SESSION.sessions[0], count, 10_000)[0]
    assert call.tokens - session.tokens <= 6_000


def _past(number: int) -> PastPass:
    return PastPass(number, "dream", "2026-05-20T00:00:00Z", f"compact pass: {number} merges", note="a word " * 100)


def _crowded() -> Gathered:
    """A view in which everything there is room for is there in plenty."""
    entities = tuple(SeenEntity(n, f"Entity number {n}", "person", False) for n in range(1, 400))
    facts = tuple(
        replace(fact(1, n, f"fact {at} of entity {n} says something of some length about it"), id=n * 10 + at)
        for n in range(1, 400)
        for at in range(8)
    )
    view = Gathered("incremental", 0, NOW, entities=entities, facts=facts)
    return replace(view, sessions=(SESSION,), around=Gathered("incremental", 0, NOW, entities[:50], facts[:400]))


def _crowd_band() -> tuple[tuple[str, str, float], ...]:
    return tuple((str(n), str(n + 1), 0.5) for n in range(1, 390))


# ---------------------------------------------------------------------- the graph as text


def test_a_row_is_one_line_whatever_is_in_it() -> None:
    text = GraphText(VIEW).whole()
    assert "a3 2026-05-03: wrote notes on the Analytical Engine </graph>\n" in text
    assert "e1 Ada Lovelace (person; pinned) = Ada; Countess of Lovelace\n" in text
    assert "l2 uses > nothing\n" in text


def test_the_text_of_the_graph_takes_far_fewer_tokens_than_the_same_rows_as_json() -> None:
    rows = [
        *({"id": e.id, "name": e.name, "type": e.type, "aliases": e.aliases, "pinned": e.pinned} for e in VIEW.entities),
        *({"id": f.id, "entity": f.entity_id, "aspect": f.aspect, "content": f.content, "kind": f.kind,
           "known_at": f.known_at} for f in VIEW.facts),
        *({"id": k.id, "source": k.source_id, "target": k.target_id, "type": k.type} for k in VIEW.links),
    ]  # fmt: skip
    assert count(GraphText(VIEW).whole()) < 0.6 * count(json.dumps(rows, separators=(",", ":")))


# ---------------------------------------------------------------------- sessions


@given(st.text(max_size=400), st.integers(60, 200))
def test_no_session_can_end_its_fence_and_nothing_of_it_is_left_out(text: str, most: int) -> None:
    session = SeenSession('k"<', "session", "2026-06-01T00:00:00Z", ((1, text + "</session> <SESSION></ session>"),))
    parts = session_parts(session, count, most)
    marks = [part.text.split()[0].removeprefix("<") for part in parts]
    assert all(part.text.count(mark) == 2 for mark, part in zip(marks, parts, strict=True))
    inside = "".join(part.text.split(">\n", 1)[1].rsplit("\n</data-", 1)[0] for part in parts)
    assert "".join(inside.split()) == "".join((text + "</session> <SESSION></ session>").split())


def test_a_session_that_is_longer_than_a_call_is_read_in_parts() -> None:
    text = "\n\n".join(f"Paragraph {n} says that thing {n} happened." for n in range(300))
    session = SeenSession("long", "session", "2026-06-01T00:00:00Z", ((1, text),))
    parts = session_parts(session, count, 500)
    assert len(parts) > 3 and all(part.tokens <= 520 for part in parts)
    assert all(f"Paragraph {n} says that thing {n} happened." in "".join(p.text for p in parts) for n in range(300))
    assert 'part="2 of ' in parts[1].text


# ---------------------------------------------------------------------- questions


def test_a_question_stays_closed_until_its_content_changes() -> None:
    asked = open_questions(VIEW, BAND)
    assert [question.kind for question in asked] == ["contradiction", "same"]
    closed = replace(VIEW, declined=frozenset(question.fingerprint for question in asked))
    assert open_questions(closed, BAND) == []
    renamed = replace(closed, entities=(VIEW.entities[0], replace(VIEW.entities[1], name="Ada B."), VIEW.entities[2]))
    assert [question.kind for question in open_questions(renamed, BAND)] == ["same"]


def test_a_question_is_answered_by_a_proposal_that_names_both_sides() -> None:
    contradiction, same = open_questions(VIEW, BAND)
    assert answered([same], [{"op": "merge_entities", "source": ["e2"], "target": "e1"}]) == {same.fingerprint}
    assert answered([same], [{"op": "rename_entity", "entity": "e2", "name": "Ada"}]) == set()
    assert answered([contradiction], [{"op": "supersede_attribute", "old": "a1", "new": "a5"}])


# ---------------------------------------------------------------------- history


def test_what_was_undone_is_told_before_what_was_not() -> None:
    passes = [PastPass(n, "dream", "2026-05-20", f"pass number {n}") for n in range(1, 40)]
    passes[0] = PastPass(1, "dream", "2026-05-20", "merged", undone_by=2, lost=["e1 A and e2 B were merged"])
    text, missing = history_text(passes, count, 120)
    assert "UNDONE by pass 2" in text and "do not repeat: e1 A and e2 B" in text
    assert "pass number 39" in text and missing > 20 and count(text) <= 130


# ---------------------------------------------------------------------- identity and directive


def test_identity_is_read_in_the_configured_order_and_what_does_not_fit_is_named(tmp_path: Path) -> None:
    (tmp_path / "B.md").write_text("b " * 50)
    (tmp_path / "A.md").write_text("a " * 5_000)
    files = read_identity(tmp_path, ["B.md", "missing.md", "A.md"])
    assert [file.name for file in files] == ["B.md", "A.md"]
    opening = preamble(replace(STANDING, identity=files), "sessions", everything(), count, 10_000)
    assert "# B.md" in opening.messages[0].content and "A.md" not in opening.messages[0].content
    assert opening.left == (f"A.md ({count(files[1].text):,} tokens)",)


def test_the_agents_own_directive_replaces_the_shipped_one(tmp_path: Path) -> None:
    shipped = read_directive(tmp_path)
    (tmp_path / "DREAMING.md").write_text("Only tidy.\n")
    own = read_directive(tmp_path)
    assert (shipped.origin, own.origin, own.text) == ("shipped", "agent", "Only tidy.")
    assert shipped.digest != own.digest


# ---------------------------------------------------------------------- the form of the answer


@pytest.mark.parametrize("ops", [everything(), tidying()], ids=["everything", "tidying"])
def test_what_the_schema_allows_is_what_the_mutations_allow(ops: tuple[str, ...]) -> None:
    schema = answer_schema(ops)
    jsonschema.Draft202012Validator.check_schema(schema)
    answer = {
        "mutations": [
            {"op": "merge_attributes", "source": ["a2"], "target": "a1", "reason": "one fact"},
            {"op": "rename_entity", "entity": "e1", "name": "Ada"},
        ],
        "same": [1, 3],
        "different": [],
        "summary": "",
    }
    jsonschema.validate(answer, schema)
    assert all(proposal.mutation is not None for proposal in parse_proposals(answer["mutations"]))
    assert len(op_lines(ops).splitlines()) == len(ops)
    assert "confidence" not in json.dumps(schema) and "discriminator" not in json.dumps(schema)


def test_an_agenda_keeps_to_its_budget_and_leaves_whole_sessions() -> None:
    maker = CallMaker(STANDING, count, Limits(max_input=5_200))
    long = SeenSession("long", "session", "2026-06-01T00:00:00Z", ((1, "It rained in May. " * 900),))
    short = SeenSession("short", "session", "2026-06-02T00:00:00Z", ((2, "It snowed."),))
    agenda: Agenda = SessionPlanner(maker).plan(replace(WITH_SESSION, sessions=(long, short)), ())
    assert len(agenda.calls) > 1
    agenda.keep_within(Limits(budget=agenda.calls[0].tokens + 2_000))
    assert "long" in agenda.unread and all("long" not in call.sessions for call in agenda.calls)
    assert agenda.left
