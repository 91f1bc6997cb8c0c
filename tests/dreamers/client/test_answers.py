"""Whatever a model writes becomes proposals and faults; nothing is guessed where guessing could destroy something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphdream.dreamers.client.answers import read_answer, repair_request, with_repairs
from graphdream.dreamers.client.salvage import MOST_ITEMS
from graphdream.mutations.addresses import handles_in
from graphdream.mutations.parse import DEEPEST_ITEM, LONGEST_ITEM, parse_proposals
from graphdream.mutations.registry import proposable

ADD = {"op": "create_attribute", "entity": "e1", "content": "likes tea"}
MERGE = {"op": "merge_entities", "source": ["e2"], "target": "e1", "reason": "same"}
DELETE = {"op": "delete_entity", "name": "e3", "reason": "junk"}
BODIES = [ADD, MERGE, DELETE]
ANSWER = json.dumps({"mutations": BODIES, "summary": "tidied"})
TRAILING = '{"mutations": [{"op": "merge_entities", "source": ["e2",], "target": "e1",},{"op":"delete_entity","name":"e3",},], "summary": "tidied",}'


def ops(text: str, **how: Any) -> list[str]:
    return [proposal.mutation.op if proposal.mutation else "-" for proposal in read_answer(text, **how).proposals]


EVERY = ["create_attribute", "merge_entities", "delete_entity"]
WHOLE = {
    "plain": ANSWER,
    "indented": json.dumps(json.loads(ANSWER), indent=2),
    "fenced": f"```json\n{ANSWER}\n```",
    "prose around": f"Here is what I would do:\n\n{ANSWER}\n\nI hope that helps! [1] {{sic}}",
    "fenced in prose": f"Sure.\n```\n{ANSWER}\n```\nDone.",
    "thought first": f"<think>I could {json.dumps(DELETE)} but no</think>\n{ANSWER}",
    "thought whose mark was in the prompt": f'maybe {{"mutations": [{json.dumps(DELETE)}]}}?\n</think>{ANSWER}',
    "a byte order mark": "\ufeff" + ANSWER,
    "a list": json.dumps(BODIES),
    "a list in prose": f"The mutations: {json.dumps(BODIES)} as asked.",
    "lines": "\n".join(map(json.dumps, BODIES)),
    "lines in a fence": "```jsonl\n" + "\n".join(map(json.dumps, BODIES)) + "\n```",
    "an example first": f'The form is {{"mutations": [{json.dumps(DELETE)}], "summary": "…"}}. So: {ANSWER}',
}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_an_answer_is_found_whatever_stands_around_it(text: str) -> None:
    assert ops(text) == EVERY
    assert not read_answer(text).cut


def test_commas_too_many_mean_nothing() -> None:
    parsed = read_answer(TRAILING)
    assert [proposal.fault for proposal in parsed.proposals] == ["", ""]
    assert (parsed.summary, parsed.errors) == ("tidied", ())


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('{"mutations": [],}', ()),
        ('<think>hm</think>```json\n{"mutations": [],\n}\n```', ()),
        ('{"summary": "nothing to do", "mutations": [],}', ()),
        ('{"same": [1, 3,], "mutations": []}', (1, 3)),
        ('Pairs: {"same": [1, 3,],}', (1, 3)),
    ],
)
def test_commas_too_many_in_an_answer_without_mutations_mean_nothing(text: str, same: tuple[int, ...]) -> None:
    parsed = read_answer(text)
    assert (parsed.proposals, parsed.errors) == ((), ())
    assert tuple(parsed.extra.get("same", ())) == same


def test_line_ends_within_a_text_are_taken_as_they_are() -> None:
    (proposal,) = read_answer(
        '{"mutations": [{"op":"delete_attribute","content":"a1","reason":"two\nlines"}]}'
    ).proposals
    assert proposal.body["reason"] == "two\nlines"


@pytest.mark.parametrize("length", range(1, len(ANSWER)))
def test_wherever_an_answer_is_cut_only_whole_items_count(length: int) -> None:
    """A cut `"op": "dele` is no delete, and a cut name is no other name."""
    parsed = read_answer(ANSWER[:length], finish="length")
    assert parsed.cut
    whole = [proposal.body for proposal in parsed.proposals if proposal.mutation is not None]
    assert whole == BODIES[: len(whole)]
    ends = [ANSWER.index(json.dumps(body)) + len(json.dumps(body)) for body in BODIES]
    assert len(whole) == sum(end <= length for end in ends)


@pytest.mark.parametrize(
    ("item", "op"),
    [
        ("{'op': 'add_alias', 'entity': 'e1', 'name': 'Addy'}", "add_alias"),
        ('{op: "link", source: "e1", target: "e2", type: "knows"}', "link"),
        ('{"op": "add_alias", "entity": "e1", "name": "Addy" // short\n}', "add_alias"),
        ("{'op': 'delete_entity', 'name': 'e1'}", "-"),
        ('{op: "merge_entities", source: ["e2"], target: "e1"}', "-"),
        ('{"op": "delete_attribute", "content": "a1" // junk\n}', "-"),
    ],
)
def test_what_is_broken_is_mended_only_where_it_adds(item: str, op: str) -> None:
    assert ops(f'{{"mutations": [{item}, {json.dumps(ADD)}], "summary": ""}}') == [op, "create_attribute"]


def test_behind_a_broken_item_nothing_is_taken_away() -> None:
    """A text that was not escaped may hold what looks like the next item."""
    quoted = '{"op": "create_attribute", "entity": "e1", "content": "she wrote "' + json.dumps(DELETE) + '" to me"}'
    parsed = read_answer(f'{{"mutations": [{quoted}, {json.dumps(ADD)}], "summary": ""}}')
    assert all(p.mutation is None or p.mutation.op in ("create_attribute",) for p in parsed.proposals)
    assert parsed.errors


@pytest.mark.parametrize(
    "text",
    [
        f"I thought of {json.dumps(DELETE)} but decided against it.",
        f"Either {json.dumps(MERGE)} or {json.dumps(DELETE)}.",
        f"<think>{ANSWER}",
        f"<think>{ANSWER}</think>",
        "I refuse.",
        "",
        "null",
        "7",
        "[]",
        "{}",
        '{"answer": []}',
        '"mutations"',
        '{"mutations": "none"}',
        'what about {"op": {}, "name": "e1"}?',
    ],
)
def test_what_is_no_answer_does_nothing_and_is_told(text: str) -> None:
    parsed = read_answer(text)
    assert [proposal for proposal in parsed.proposals if proposal.mutation is not None] == []
    assert parsed.errors


def test_nothing_to_do_is_an_answer() -> None:
    parsed = read_answer('{"mutations": [], "summary": "all is well", "deferred": ["f1"]}')
    assert (parsed.proposals, parsed.errors, parsed.summary) == ((), (), "all is well")
    assert parsed.extra == {"deferred": ["f1"]}


def test_one_bad_item_is_one_fault() -> None:
    bad = [{"op": "drop_table"}, 7, {**MERGE, "source": []}, {**ADD, "confidence": 3}]
    parsed = read_answer(json.dumps({"mutations": [ADD, *bad, DELETE], "summary": 3}))
    assert [proposal.mutation is not None for proposal in parsed.proposals] == [True, False, False, False, False, True]
    assert parsed.faulty == {1, 2, 3, 4}
    assert any(error.startswith("mutations[3].source") for error in parsed.errors)
    assert any(error.startswith("mutations[4].confidence") for error in parsed.errors)
    assert "summary: expected a text" in parsed.errors


@pytest.mark.parametrize(
    "item",
    [
        '{"op": "delete_entity", "op": "add_alias", "entity": "e1", "name": "x"}',
        '{"op": "create_attribute", "entity": "e1", "content": "x", "confidence": NaN}',
        '{"op": "create_attribute", "entity": "e1", "content": "x", "confidence": 1e999}',
        '{"op": "delete_entity", "name": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"op": "delete_entity", "name": ' + "9" * 10_000 + "}",
        json.dumps({"op": "delete_entity", "name": "x" * (LONGEST_ITEM + 1)}),
        json.dumps({"op": "delete_entity", "name": "e1", "reason": "\ud83d"}),
    ],
    ids=["key twice", "not a number", "too large", "deep", "long number", "long", "half a character"],
)
def test_json_that_means_several_things_or_none_is_refused_or_harmless(item: str) -> None:
    parsed = read_answer(f'{{"mutations": [{item}], "summary": ""}}')
    assert len(parsed.proposals) == 1
    for proposal in parsed.proposals:
        json.dumps(proposal.body, allow_nan=False, ensure_ascii=False).encode()
        assert proposal.mutation is None or proposal.body.get("reason", "\ufffd") == "\ufffd"
        assert proposal.mutation is None or proposal.body["op"] == "add_alias" or proposal.body["name"] == "e1"


def test_the_same_said_twice_is_done_once_and_not_asked_about() -> None:
    parsed = read_answer(json.dumps({"mutations": [ADD, {**ADD, "reason": "again"}], "summary": ""}))
    assert [proposal.mutation is not None for proposal in parsed.proposals] == [True, False]
    assert parsed.proposals[1].fault == "the same as mutations[0]" and parsed.errors == ()


def test_a_handle_of_nothing_is_told_with_its_path() -> None:
    parsed = read_answer(ANSWER, knows={"e1", "e3"}.__contains__)
    assert parsed.errors == ("mutations[1].source[0]: there is no e2",)
    assert parsed.proposals[1].mutation is not None  # and the applier says so too, where nobody repairs it
    assert [proposal.body for proposal in parsed.valid] == [ADD, DELETE]


def test_what_was_taken_out_is_not_written_back() -> None:
    body = {**ADD, "content": "the password is [redacted: password]"}
    assert ops(json.dumps({"mutations": [body], "summary": ""})) == ["-"]


def test_a_repair_round_asks_for_what_was_wrong_and_adds_what_is_new() -> None:
    first = read_answer(json.dumps({"mutations": [ADD, {**MERGE, "source": []}], "summary": "first"}))
    second = read_answer(json.dumps({"mutations": [ADD, MERGE], "summary": ""}))
    both = with_repairs(first, second)
    assert [proposal.mutation is not None for proposal in both.proposals] == [True, False, False, True]
    assert [proposal.body["op"] for proposal in both.valid] == ["create_attribute", "merge_entities"]
    assert (both.summary, both.errors) == ("first", ())
    assert repair_request(both) == ""


def test_the_words_of_a_repair_round() -> None:
    parsed = read_answer(
        json.dumps({"mutations": [ADD, {**MERGE, "source": []}, {"op": "drop_table"}], "summary": ""})[:-3],
        knows={"e9"}.__contains__,
    )
    golden = Path(__file__).with_name("repair_request.txt")
    assert repair_request(parsed) + "\n" == golden.read_text(encoding="utf-8")


def test_a_repair_round_is_never_longer_than_a_model_reads() -> None:
    parsed = read_answer(json.dumps({"mutations": [{"op": "x" * 5_000}] * 500, "summary": ""}))
    assert len(parsed.errors) == 500 and len(repair_request(parsed)) < 20_000
    assert "450 more" in repair_request(parsed)


ITEM = '{"op":"delete_entity","name":"e1"}'
HUGE = {  # how it begins, what is repeated, how it ends
    "a list of numbers": ("[", "1,", "1]"),
    "braces": ("", "{", ""),
    "brackets": ("", "[", ""),
    "beginnings of items": ("", '{"op":', ""),
    "beginnings of texts": ("", '{"', ""),
    "thoughts": ("", "<think>", ""),
    "answers": ("", '{"mutations":[', ""),
    "one long text": ('{"mutations":[{"op":"delete_entity","name":"', "x", ""),
    "quotes": ("", '"', ""),
    "backslashes": ('{"mutations":["', "\\", ""),
    "items": ('{"mutations":[', ITEM + ",", ITEM + "]}"),
    "items without an end": ('{"mutations":[', ITEM + ",", ""),
    "broken items": ('{"mutations":[', '{"op":"link","source":},', "]}"),
    "commas": ("{'mutations':[", ",", "]}"),
    "fences": ("", "```json\n", ""),
    "halves of a key": ("", '{"op" ', ""),
}


@pytest.mark.parametrize("megabytes", [1, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("shape", HUGE)
def test_a_huge_answer_is_read_in_the_end_whatever_it_is(shape: str, megabytes: int) -> None:
    first, again, last = HUGE[shape]
    parsed = read_answer(first + again * (megabytes * 1_000_000 // len(again)) + last)
    assert len(parsed.proposals) <= MOST_ITEMS
    assert all(proposal.mutation is not None or proposal.fault for proposal in parsed.proposals)
    assert parsed.errors or shape == "items"


def test_every_field_that_addresses_a_row_is_known() -> None:
    for op in proposable():
        fields = op.kind.model_json_schema()["properties"]
        handles = {name for name, told in fields.items() if "handle" in json.dumps(told)}
        assert handles <= {part.name for part in op.addresses}, op.name
    assert list(handles_in(MERGE)) == [("$.source[0]", "e2"), ("$.target", "e1")]
    assert list(handles_in({"op": "supersede_attribute", "old": "a1", "new": "likes tea"})) == [("$.old", "a1")]


@pytest.mark.parametrize(
    "item",
    [{"op": "delete_entity", "name": object()}, {"op": "delete_entity", "name": float("inf")}, {"op": {1, 2}}, b"x"],
)
def test_what_json_does_not_have_is_no_mutation(item: Any) -> None:
    (proposal,) = parse_proposals([item])
    assert proposal.mutation is None and proposal.fault


def test_how_deep_an_item_may_be() -> None:
    deepest = {
        "op": "create_entity",
        "name": "Ada",
        "aspects": [{"name": "a", "attributes": [{"content": "x", "tags": ["t"]}]}],
    }
    (proposal,) = parse_proposals([deepest])
    assert proposal.fault == "" and DEEPEST_ITEM >= 8


# ---------------------------------------------------------------------- numbers of questions beside the mutations

NUMBERED = json.dumps({"same": [1, 23], "different": [4], "mutations": BODIES, "summary": "tidied"})


@pytest.mark.parametrize(
    "text",
    [
        '{"same": [1, 23]}',
        '{"same": [1, 23], "summary": "two"}',
        '{"same": [1, 23], "mutations": null}',
        'Sure:\n```json\n{"same": [1, 23], "different": []}\n```',
        '<think>{"same": [4]}?</think>{"same": [1, 23]}',
    ],
)
def test_numbers_alone_are_an_answer(text: str) -> None:
    parsed = read_answer(text)
    assert (parsed.extra["same"], parsed.proposals, parsed.errors) == ([1, 23], (), ())


@pytest.mark.parametrize("length", range(1, len(NUMBERED)))
def test_a_list_that_is_cut_is_none(length: int) -> None:
    """A cut `23` is no 2: where a list counts, it is whole."""
    parsed = read_answer(NUMBERED[:length], finish="length")
    assert parsed.cut and parsed.extra.get("same", [1, 23]) == [1, 23]
    assert ("same" in parsed.extra) == (NUMBERED.index('"mutations": [') + len('"mutations": [') <= length)


def test_lists_before_what_is_broken_count_and_those_behind_it_are_told() -> None:
    before = read_answer('{"same": [1], "mutations": [{"op": "delete_entity", "name": "e3",}], "summary": "s",}')
    assert before.extra["same"] == [1] and before.errors == () and len(before.valid) == 1
    quoted = '{"op": "add_alias", "entity": "e1", "name": "she said "same": [1, 2], to me"}'
    behind = read_answer(f'{{"mutations": [{quoted}], "different": [3], "summary": ""}}')
    assert "same" not in behind.extra and "different" not in behind.extra
    assert {"same: not readable", "different: not readable"} <= set(behind.errors)
    broken = read_answer('{"same": [1,, 2], "mutations": [], "summary": ""}')
    assert "same" not in broken.extra and "same: not readable" in broken.errors


def test_many_beginnings_of_lists_are_read_in_linear_time() -> None:
    """Hangs where it is not so: each of these is tried as the beginning of an answer."""
    for piece in ('{"same":[1,', "[1,", '{"same": [1], ', '{"same":[' + "1," * 500, "{ [ 1 ] "):
        assert read_answer(piece * (2_000_000 // len(piece))).valid == ()
