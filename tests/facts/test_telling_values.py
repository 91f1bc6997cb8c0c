"""One fact said in two ways that a small graph shows only once: what a shared value or a shared span shows."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import fact, left


def stays(*texts: str, elsewhere: tuple[str, ...] = (), aspect: str = "general") -> list[str]:
    """What stays of texts of Harbour, learned one after the other; `elsewhere` are said of Lantern, each once."""
    facts = [fact(number, 1, text, 10 + number, aspect=aspect) for number, text in enumerate(texts)]
    facts += [fact(100 + number, 2, text, 10 + number) for number, text in enumerate(elsewhere)]
    subjects = [Subject(1, ("Harbour",), "project", False), Subject(2, ("Lantern",), "project", False)]
    found = consolidate(facts, subjects)
    return [f.content for f in left(facts, found) if f.entity == 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Harbour lives in Oslo", "Harbour works in Oslo"),
        ("Harbour studied at Bergen", "Harbour teaches at Bergen"),
        ("Harbour sleeps 8 hours", "Harbour works 8 hours"),
        ("Harbour opens at 9:00", "standup of Harbour at 9:00"),
        ("Harbour was released on May 3", "Harbour was audited on May 3"),
        ("Harbour fixed the login in PR #12", "Harbour reviewed the parser in PR #12"),
        ("we run Harbour 15.2", "Harbour 15.2 crashes on vacuum"),
        ("Harbour supports 4.2.7", "Harbour refused 4.2.7"),
    ],
)
def test_a_value_that_two_facts_may_well_share_keeps_both(one, other):
    elsewhere = tuple(text.replace("Harbour", "Lantern") for text in (one, other))
    assert sorted(stays(one, other)) == sorted((one, other))
    assert sorted(stays(one, other, elsewhere=elsewhere)) == sorted((one, other))


GRAPH = (
    "product: a tasting menu",
    "makes lamp oil",
    "product: lamp oil",
    "makes chalk",
    "makes rope",
    "product: nails",
)
"""Other things sold, so that `product` and `makes` are common words beside what is sold."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Harbour makes drone mapping", "product: drone lamps"),
        ("Harbour teaches sourdough baking", "Harbour learns sourdough baking"),
        ("Harbour mentioned pho as the go-to lunch", "go-to lunch: leftover curry"),
    ],
)
def test_two_verbs_or_two_rare_words_beside_a_span_are_two_facts(one, other):
    common = tuple(f"Lantern {verb} {what}" for verb in ("teaches", "learns") for what in ("chalk", "rope", "nails"))
    assert sorted(stays(one, other, elsewhere=GRAPH + common)) == sorted((one, other))


def test_a_part_of_a_name_that_is_written_small_is_a_word():
    one, other = "Weir Street Post", "Harbour replies when contacted by pigeon post"
    seen = ("we met at Weir Street Post", "the Post wrote", "by Post again")
    assert other in stays(one, other, elsewhere=seen)


def test_a_text_that_goes_on_from_its_subject_is_no_fragment():
    text = "and Zara Pereira meet on July 29, 10:30am"
    assert text in stays(text, "Harbour is led by Zara Pereira", "ask Zara Pereira")


@pytest.mark.parametrize(("value", "beside"), [("$10", "the budget is $103,000"), ("4", "owns 42 books"), ("41%", "x")])
def test_a_bare_number_may_be_all_that_an_aspect_says(value, beside):
    assert value in stays(value, beside, aspect="status")
