"""One fact said in two ways that a small graph shows only once: what a shared value or a shared span shows."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import fact, left


def stays(*texts: str, elsewhere: tuple[str, ...] = ()) -> list[str]:
    """What stays of texts of Harbour, learned one after the other; `elsewhere` are said of Lantern, each once."""
    facts = [fact(number, 1, text, 10 + number) for number, text in enumerate(texts)]
    facts += [fact(100 + number, 2, text, 10 + number) for number, text in enumerate(elsewhere)]
    subjects = [Subject(1, ("Harbour",), "project", False), Subject(2, ("Lantern",), "project", False)]
    found = consolidate(facts, subjects)
    return [f.content for f in left(facts, found) if f.entity == 1]


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("coverage 41%", "Today Harbour handles 41% of cases"),
        ("v1.4.1", "Harbour 1.4.1 is what customers run today"),
        ("TZ: Europe/Lisbon", "Schedule Harbour in Europe/Lisbon"),
        ("headcount 64", "About 64 people work at Harbour"),
    ],
)
def test_a_bare_label_goes_into_the_sentence_with_its_rare_value(label, sentence):
    assert stays(label, sentence) == [sentence]
    assert stays(sentence, label) == [sentence]


def test_two_frames_of_one_telling_value_say_the_same_once_both_were_seen_with_another_value():
    one, other = "Harbour syncs happen Mondays at 9:15", "the Harbour team meets Mondays at 9:15"
    assert len(stays(one, other)) == 2
    seen = "Lantern syncs happen Fridays at 10:40", "the Lantern team meets Tuesdays at 8:20"
    assert len(stays(one, other, elsewhere=seen)) == 1


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


def test_a_label_and_a_verb_lead_in_to_one_span_that_is_rarer_than_they_are():
    assert len(stays("Harbour makes drone mapping", "product: drone mapping", elsewhere=GRAPH)) == 1


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


def test_a_relation_of_two_values_is_no_slot_by_the_kind_of_one_of_them_alone():
    says = (
        "{} matters most in {} when the cache outlives the record",
        "in {1}, {0} is there when the cache outlives the record",
    )
    names = "Abbey Lighthouse Cinder Juniper Thistle Gantry".split()
    facts, subjects = [], [Subject(50 + at, (name,), "project", False) for at, name in enumerate(names)]
    for at, name in enumerate(names):
        subjects.append(Subject(at, (f"{name.lower()} alert",), "concept", False))
        facts += [fact(2 * at + i, at, s.format(f"{name.lower()} alert", name), 5) for i, s in enumerate(says)]
    facts.append(fact(40, 0, says[0].format("abbey alert", "Gantry"), 60))
    assert not consolidate(facts, subjects).superseded


@pytest.mark.parametrize("number", ["1.", "2)"])
def test_the_number_of_a_line_is_no_fact(number):
    assert number not in stays(number, "ships in May")


@pytest.mark.parametrize(("value", "beside"), [("$10", "the budget is $103,000"), ("4", "owns 42 books"), ("41%", "x")])
def test_a_bare_number_may_be_all_that_an_aspect_says(value, beside):
    assert value in stays(value, beside)
