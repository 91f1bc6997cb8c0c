"""A model's words in every style -> the answer of a pass, or why there is none."""

from __future__ import annotations

import json
import time

import pytest

from graphdream.passes.answers import UnreadableAnswerError, read_answer
from graphdream.passes.lens import MemoryAnswer

PLAIN = '{"toSave": [{"content": "Mirela lives in Oslo.", "sourceIds": ["a1", "a2"]}], "toDelete": ["a3"]}'
STYLES = {
    "plain": PLAIN,
    "fence": f"```json\n{PLAIN}\n```",
    "prose around": f"Here is what I would do:\n{PLAIN}\nThat should do it.",
    "think": f"<think>Perhaps {{a}} or {{\"toDelete\": [\"a9\"]}}?</think>\n{PLAIN}",
    "open think before": f"The user wants {{}} braces.</think>{PLAIN}",
    "think that never ends": f"<think>hmm {PLAIN}",
    "two answers": '{"toDelete": ["a7"]}\nNo, better:\n' + PLAIN,
    "trailing commas": PLAIN.replace("]}", ",]}").replace("}]", "},]"),
    "snake case": PLAIN.replace("toSave", "to_save").replace("sourceIds", "source_ids").replace("toDelete", "to_delete"),
    "other capitals": PLAIN.replace("toSave", "ToSave").replace("sourceIds", "SourceIDs").replace("toDelete", "TODELETE"),
    "bare line end in a text": PLAIN.replace("in Oslo.", "in Oslo."),
    "nulls and more fields": PLAIN[:-1] + ', "summary": null, "confidence": 0.9}',
    "byte order mark": "\ufeff" + PLAIN,
}  # fmt: skip


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_every_style_says_the_same(text: str) -> None:
    answer = read_answer(text, MemoryAnswer)
    assert [(item.content, item.source_ids) for item in answer.to_save] == [("Mirela lives in Oslo.", ["a1", "a2"])]
    assert answer.to_delete == ["a3"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("I would rather not.", "no JSON object"),
        (PLAIN[:60], "no JSON object"),
        ('{"toSave": "nothing"}', "toSave"),
        ('{"toDelete": [{"id": 1}]}', "toDelete"),
        ("<think>" + "{" * 50_000, "no JSON object"),
        ("[" * 100_000, "no JSON object"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=why):
        read_answer(text, MemoryAnswer)


def test_an_answer_that_was_cut_off_is_told_so() -> None:
    with pytest.raises(UnreadableAnswerError, match="cut off"):
        read_answer(PLAIN[:70], MemoryAnswer, cut=True)


def test_ten_megabytes_are_refused_at_once() -> None:
    began = time.process_time()  # a busy machine makes anything take long
    with pytest.raises(UnreadableAnswerError, match="at most"):
        read_answer(json.dumps({"toDelete": ["a1"] * 1_500_000}), MemoryAnswer)
    for hostile in ("{" * 1_900_000, '{"a":' * 300_000, '{"' * 900_000):
        with pytest.raises(UnreadableAnswerError):
            read_answer(hostile, MemoryAnswer)
    assert time.process_time() - began < 20
