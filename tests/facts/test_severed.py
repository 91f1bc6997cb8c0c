"""What a text that was cut off does: it goes into the whole one, speaks for no other, and ends none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import Fact, Subject, consolidate
from graphdream.facts.cover import breaks_off, has_another_number
from graphdream.facts.evidence import gather_evidence
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.severed import KnownWords, is_cut_out, stops_short, text_of, that_break_off
from graphdream.facts.statements import Statement, StatementMaker
from support.facts_world import fact, told_weeks_apart

MILL = Subject(1, ("Hollin Mill survey", "mill survey"), "project", False)


def statements(*texts: str) -> list[Statement]:
    facts = [fact(at, 1, text, source="extraction") for at, text in enumerate(texts)]
    return StatementMaker(facts, [MILL], ReadingMemory()).make(facts)


@pytest.mark.parametrize(
    ("piece", "whole"),
    [
        ("the wheel was rebuilt in Lanc", "the wheel was rebuilt in Lancaster, where the smith lives"),
        ("das Rad wurde gebaut in Hambu", "das Rad wurde gebaut in Hamburg, wo der Schmied wohnt"),
        ("la rueda se hizo en Valenc", "la rueda se hizo en Valencia, donde vive el herrero"),
    ],
)
def test_a_piece_of_a_word_is_cut_out_of_the_whole(piece: str, whole: str):
    less, more = statements(piece, whole)
    assert is_cut_out(less, more, KnownWords([less, more], {}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the counter of the mill is written in Java", "the counter of the mill is written in JavaScript"),
        ("the wheel was paid by our friend Ann", "the wheel was paid by our friend Anna"),
        ("Der Müller isst am liebsten Apfel", "Der Müller isst am liebsten Apfelkuchen"),
        ("the sluice opens at level 9", "the sluice opens at level 90"),
        ("uses Strap", "uses Strapi for its pages"),
    ],
)
def test_a_word_of_its_own_is_cut_out_of_none(one: str, other: str):
    less, more = statements(one, other)
    assert not is_cut_out(less, more, KnownWords([less, more], {}))


@pytest.mark.parametrize(
    "piece",
    [
        "the wheel is turned with the",
        "the sluice is opened on Thurs",
        "the notes about Hollin Mill",
        "the level is kept at 9",
    ],
)
def test_what_is_cut_off_breaks_off(piece: str):
    said = statements(
        piece,
        "the sluice is opened on Thursdays",
        "the level is kept at 90 percent",
        "the wheel is turned with the foot",
    )
    broken = that_break_off(said, [], {1: MILL.names})
    assert {one.facts[0].content for one in said if one.at in broken} == {piece}


def test_a_whole_that_is_no_longer_said_still_shows_what_was_cut_out_of_it():
    piece, whole = statements("the sluice is opened on Thurs", "the sluice is opened on Thursdays")
    assert not that_break_off([piece], [], {})
    assert that_break_off([piece], [whole], {}) == {piece.at}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Max retries: 30", "Max retries: 3"),
        ("Höchstzahl der Versuche: 100", "Höchstzahl der Versuche: 10"),
        ("Puerto del molino: 8080", "Puerto del molino: 80"),
    ],
)
@pytest.mark.parametrize("source", ["", "extraction", "file:NOTES.md"])
def test_a_shorter_number_is_another_answer(older: str, newer: str, source: str):
    facts = [replace(one, source=source) for one in told_weeks_apart(older, newer)]
    assert [one[:2] for one in consolidate(facts, [MILL]).superseded] == [(0, 1)]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Eel quota: 60 per night", "Eel quota: 6"),
        ("Mahlgang: 20 Minuten", "Mahlgang: 2"),
        ("Cupo de sacos: 45 al día", "Cupo de sacos: 4"),
    ],
)
@pytest.mark.parametrize("source", ["", "extraction", "file:NOTES.md"])
def test_a_number_that_is_all_a_label_has_is_no_piece_of_a_longer_one(older: str, newer: str, source: str):
    found = consolidate([replace(one, source=source) for one in told_weeks_apart(older, newer)], [MILL])
    changed = {one[:2] for one in found.superseded} | {(one.first, one.second) for one in found.open}
    assert (0, 1) in changed and not found.duplicates and not found.junk


CHOIRS = [Subject(at, (name,), "group", False) for at, name in enumerate(("Alder", "Brook", "Cedar", "Dune", "Elm"))]


def broken_off(*facts: Fact) -> set[int]:
    evidence = gather_evidence(facts, [], CHOIRS, StatementMaker(facts, CHOIRS, ReadingMemory()))
    return {evidence.said[at].facts[0].id for at in evidence.broken}


@pytest.mark.parametrize("ending", ["is what {n} has to work with", "is what {n} keeps the lights on with"])
def test_what_ends_as_whole_sentences_of_the_memory_do_is_no_piece(ending: str):
    sums = [ending.format(n=choir.names[0]) for choir in CHOIRS]
    told = [fact(at, choir.id, f"{at + 3}40 euros {sums[at]}", source="extraction") for at, choir in enumerate(CHOIRS)]
    assert broken_off(*told[:2]) == {0, 1}  # two show nothing yet
    assert not broken_off(*told)


def test_a_sentence_that_goes_on_elsewhere_is_a_piece():
    told = [fact(at, choir.id, f"the hall is at {at + 3} Mill Lane") for at, choir in enumerate(CHOIRS)]
    assert broken_off(*told, fact(9, 0, "the hall is at", 90, source="extraction")) == {9}


def test_a_line_that_ends_with_a_known_word_is_no_piece():
    said = statements("the counter is written in Java", "the counter is written in JavaScript")
    facts = [replace(one.facts[0], source="file:NOTES.md") for one in said]
    assert not that_break_off(StatementMaker(facts, [MILL], ReadingMemory()).make(facts), [], {1: MILL.names})


def test_a_number_that_goes_on_with_a_word_may_be_cut():
    assert breaks_off(("level", "9"), ("level", "90", "percent"))
    assert not breaks_off(("retries", "3"), ("retries", "30"))
    assert not breaks_off(("level", ":", "9"), ("level", ":", "90", "percent"))
    assert breaks_off(("start", ":", "2"), ("start", ":", "20:15", "sharp"))


@pytest.mark.parametrize("whole", ["sluice opens: 2026-05-01 at dawn", "sluice opens: 20:15 on Sundays"])
def test_the_beginning_of_a_day_or_a_time_may_be_cut(whole: str):
    piece, more = statements("sluice opens: 2", whole)
    assert not has_another_number(text_of(piece), text_of(more))
    assert that_break_off([piece, more], [], {1: MILL.names}) == {piece.at}


def test_a_sentence_that_says_less_stops_short_of_one_that_goes_on():
    less, more = statements("the mare is fed with hay", "by the ledger the mare is fed with hay meal")
    assert stops_short(less.reading, more.reading)
    assert not stops_short(more.reading, less.reading)


def test_a_text_goes_on_behind_words_of_grammar_too():
    less, more = statements("used on cutting wool", "it is the best tool for cutting wool with the lambs")
    assert not stops_short(less.reading, more.reading)  # two words alone may end a whole sentence in other words
    less, more = statements(
        "lamb tool: it is for cutting wool", "lamb tool is what it is for cutting wool of a lamb with"
    )
    assert stops_short(less.reading, more.reading)  # once more
    less, more = statements("used for cutting their wool", "the tool for cutting their wool with the lambs")
    assert stops_short(less.reading, more.reading)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the sluice is opened on Fridays", "the sluice is opened on Thurs"),
        ("the level is kept at 80 percent", "the level is kept at 9"),
    ],
)
def test_what_is_cut_off_ends_nothing(older: str, newer: str):
    others = ("the sluice is opened on Thursdays by hand", "the level is kept at 90 percent in winter")
    facts = told_weeks_apart(older, newer)
    facts += [fact(2 + at, 1, text, source="extraction") for at, text in enumerate(others)]
    assert not [one for one in consolidate(facts, [MILL]).superseded if one[:2] == (0, 1)]


def test_a_line_is_not_edited_into_a_piece_of_it():
    source = "file:NOTES.md"
    facts = [
        fact(0, 1, "warden of the mill: Thordis Aakermann", 2, source=source),
        fact(1, 1, "warden of the mill: Thordi", 40, source=source, session=None),
        fact(2, 1, "the sluice is opened by hand", 2, source=source),
    ]
    assert not consolidate(facts, [MILL]).superseded
