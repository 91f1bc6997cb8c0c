"""Denials: a sentence and the same one denied, in the ways in which languages deny."""

from __future__ import annotations

import pytest

from graphdream.facts.reading import Reader, ReadingMemory
from graphdream.language.denials import is_denial
from support.facts_world import fact


def words(text: str) -> tuple[str, ...]:
    said = fact(0, 1, text)
    return Reader([said], [], ReadingMemory()).read(said).words


@pytest.mark.parametrize(
    ("plain", "denied"),
    [
        ("小梅吃肉。", "小梅不吃肉。"),
        ("小梅对坚果过敏。", "小梅对坚果不过敏。"),
        ("小梅有猫。", "小梅没有猫。"),
        ("美咲は肉を食べる。", "美咲は肉を食べない。"),
        ("美咲は肉を食べる。", "美咲は肉は食べない。"),
        ("美咲は肉を食べます。", "美咲は肉を食べません。"),
        ("美咲は酒を飲む。", "美咲は酒を飲まない。"),
        ("美咲は酒を飲んだ。", "美咲は酒を飲まなかった。"),
        ("美咲は川で泳ぐ。", "美咲は川で泳がない。"),
        ("美咲は運転する。", "美咲は運転しない。"),
        ("美咲はナッツアレルギーがある。", "美咲はナッツアレルギーがない。"),
        ("美咲は辛い物が好きだ。", "美咲は辛い物が好きではない。"),
        ("美咲は学生です。", "美咲は学生ではありません。"),
        ("店は高い。", "店は高くない。"),
        ("店は開いている。", "店は開いていない。"),
        ("민지는 고양이가 있다.", "민지는 고양이가 없다."),
        ("민지는 고기를 먹는다.", "민지는 고기를 먹지 않는다."),
        ("drinks coffee", "doesn't drink coffee"),
        ("drinks coffee", "does not drink coffee"),
        ("carries a key", "doesn't carry a key"),
        ("has a key", "does not have a key"),
        ("worked at the mill", "didn't work at the mill"),
        ("will come", "won't come"),
        ("can swim", "can't swim"),
        ("je mięso", "nie je mięsa"),
        ("ест мясо", "не ест мяса"),
    ],
)
def test_a_sentence_and_its_denial_are_known_in_either_order(plain: str, denied: str) -> None:
    assert is_denial(words(plain), words(denied)) and is_denial(words(denied), words(plain))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("小梅吃肉。", "小梅不吃鱼。"),
        ("小梅吃肉。", "小梅没吃肉。"),
        ("小梅有猫。", "小梅没有狗。"),
        ("小梅吃肉。", "小梅不只吃肉。"),
        ("美咲は肉を食べる。", "美咲は魚を食べない。"),
        ("美咲は肉を食べたい。", "美咲は肉を食べない。"),
        ("美咲は肉を食べた。", "美咲は肉を食べない。"),
        ("美咲は肉を食べる。", "健は肉を食べない。"),
        ("美咲は泳げる。", "美咲は泳がない。"),
        ("민지는 고양이가 있다.", "민지는 강아지가 없다."),
        ("worked at the mill", "doesn't work at the mill"),
        ("wants to eat nuts", "doesn't eat nuts"),
        ("drinks coffee", "doesn't drink tea"),
        ("is a bakery", "is not a baker"),
        ("drinks coffee", "drinks coffee"),
        ("je mięso", "nie je ryb"),
        ("pracuje w piekarni", "nie pracował w piekarni"),
    ],
)
def test_what_may_both_be_true_is_no_denial(one: str, other: str) -> None:
    assert not is_denial(words(one), words(other))
