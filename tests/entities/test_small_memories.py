"""Who is who from two entities on: what is certain merges, what is doubtful is asked, look-alikes stay apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphdream.entities import Record, resolve
from graphdream.entities.comparednames import compare_names
from graphdream.entities.identifiers import find_identifiers
from graphdream.entities.transcription import name_words, word_likeness

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def memory(*entities: tuple[str, str, tuple[str, ...]]) -> list[Record]:
    return [Record(f"e{at}", name, type_, facts) for at, (name, type_, facts) in enumerate(entities)]


def groups(records: list[Record]) -> set[frozenset[str]]:
    found: dict[str, set[str]] = {}
    for id_, head in resolve(records, sort="memory").clusters.items():
        found.setdefault(head, set()).add(next(r.name for r in records if r.id == id_))
    return {frozenset(names) for names in found.values() if len(names) > 1}


def pairs(name: str) -> list[dict]:
    return [json.loads(line) for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


SAME = [
    (
        ("Avery", "person", ("prefers tabs over spaces",)),
        ("Avery's", "person", ("Avery's editor is set to tabs, no spaces",)),
    ),
    (
        ("Signet Development", "project", ("ships in May",)),
        ("Signet Development**", "project", ("weekly sync on Monday",)),
    ),
    (("Signet Development", "project", ()), ("Signet Development**", "project", ())),
    (
        ("Łukasz", "person", ("works at Brightwater in Gdańsk",)),
        ("Lukasz Wójcik", "person", ("data engineer at Brightwater, Gdańsk",)),
    ),
    (
        ("Brightwater Analytics Inc.", "organization", ("client since 2021",)),
        ("Brightwater Analytics", "organization", ("signed the renewal",)),
    ),
    (
        ("Priya Nair", "person", ("priya.nair@lumen.example",)),
        ("P. Nair", "person", ("write to priya.nair@lumen.example",)),
    ),
    (
        ("Мария Соколова", "person", ("преподаёт химию в лицее 239",)),
        ("Maria Sokolova", "person", ("teaches chemistry at lyceum 239",)),
    ),
    (
        ("田中 健一", "person", ("柔道の先生、仙台",)),
        ("田中健一", "person", ("仙台で柔道を教えている",)),
    ),
]


@pytest.mark.parametrize("pair", SAME, ids=lambda pair: pair[1][0])
def test_of_two_entities_what_is_certain_merges(pair):
    assert groups(memory(*pair)) == {frozenset(entity[0] for entity in pair)}


FACT = ("vendor since 2019 in Atlanta, contract with Oyelaran",)
DIFFERENT = [
    ("Peter Novak", "Paul Novak", "person"),
    ("Desmond Fry Sr.", "Desmond Fry Jr.", "person"),
    ("GPT-4", "GPT-4o", "model"),
    ("React", "React Native", "library"),
    ("Delta Air Lines", "Delta Faucet", "organization"),
    ("Kyoto", "Kyoto Station", "place"),
    ("上海", "上海大学", "place"),
    ("Anna Dawson", "Anna Lawson", "person"),
    ("Halyard 2.4", "Halyard 2.5", "release"),
    ("Q2 2026 planning", "Q3 2026 planning", "event"),
    ("retro 12 May", "retro 19 May", "event"),
    ("Павел Громов", "Пётр Громов", "person"),
    ("C++", "C#", "language"),
    ("invoice parser", "invoice parser tests", "module"),
]


@pytest.mark.parametrize(("first", "second", "type_"), DIFFERENT)
def test_look_alikes_of_whom_the_same_is_said_stay_apart(first, second, type_):
    assert groups(memory((first, type_, FACT), (second, type_, FACT))) == set()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Alex", "person", ("barista at the corner",)), ("Alex", "person", ("landlord, wants the rent",))),
        (("Lena", "person", ("my sister, lives in Graz",)), ("Lena Hofer", "person", ("physiotherapist in Oslo",))),
        (("Sofia", "person", ("designs the posters",)), ("Sofia", "place", ("stop on the way to Thessaloniki",))),
        (
            ("Yusuf Demir", "person", ("yusuf@kargo.example, plays the violin in Izmir",)),
            ("Yusuf Demir", "person", ("ydemir@odeon.example, plays the violin in Izmir",)),
        ),
    ],
    ids=lambda entity: entity[0],
)
def test_one_name_of_whom_different_things_are_told_is_asked_about(first, second):
    records = memory(first, second)
    assert groups(records) == set()


def test_a_part_of_a_name_that_fits_two_people_merges_with_neither():
    facts = ("physiotherapist in Oslo",)
    people = [(name, "person", facts) for name in ("Lena", "Lena Hofer", "Lena Meier")]
    assert groups(memory(*people)) == set()


def test_father_and_son_are_not_brought_together_by_the_name_that_both_bear():
    facts = ("from Dundee, retired pilot",)
    people = [(name, "person", facts) for name in ("Desmond Fry", "Desmond Fry Sr.", "Desmond Fry Jr.")]
    assert groups(memory(*people)) == set()


@pytest.mark.parametrize(("name", "least"), [("hard_pairs.jsonl", 24), ("later_pairs.jsonl", 8)])
def test_hard_pairs_in_one_memory_at_the_default_budget(name, least):
    rows = pairs(name)
    records = [
        Record(f"{at:03d}{side}", row[side]["name"], row[side]["type"], tuple(row[side]["facts"]))
        for at, row in enumerate(rows)
        for side in ("first", "second")
    ]
    clusters = resolve(records, sort="memory").clusters
    together = [at for at, row in enumerate(rows) if clusters[f"{at:03d}first"] == clusters[f"{at:03d}second"]]
    merged = len(clusters) - len(set(clusters.values()))
    assert [at for at in together if not rows[at]["same"]] == []
    assert merged == len(together) >= least


def test_what_is_merged_is_what_scores_at_and_above_the_threshold():
    rows = pairs("hard_pairs.jsonl")
    records = [
        Record(f"{at:03d}{side}", row[side]["name"], row[side]["type"], tuple(row[side]["facts"]))
        for at, row in enumerate(rows)
        for side in ("first", "second")
    ]
    found = resolve(records, sort="memory")
    for (a, b), score in zip(found.candidates, found.scores, strict=True):
        assert (found.clusters[a] == found.clusters[b]) == (score >= found.threshold), (a, b, score)


@pytest.mark.parametrize(
    ("a", "b", "one"),
    [("мария", "maria", True), ("北京", "beijing", True), ("müller", "mueller", True), ("łukasz", "lukasz", True),
     ("dawson", "lawson", False), ("павел", "peter", False), ("박지훈", "parkjihun", True), ("iván", "ivan", True)],
)  # fmt: skip
def test_words_are_one_across_scripts_and_never_by_a_letter_within_one(a, b, one):
    assert bool(word_likeness(a, b)) == one


def test_legal_forms_and_noise_are_no_words_of_a_name():
    assert name_words("**Grünwald Optik GmbH**") == name_words("Grünwald Optik")
    assert name_words("GmbH") == ("gmbh",) or name_words("GmbH") == ("gmb", "h")


def test_nicknames_are_of_one_person_and_two_given_names_are_not():
    assert compare_names("Robert Ashdown", "Bob Ashdown").nickname
    assert compare_names("Peter Ashdown", "Paul Ashdown").apart


def test_identifiers_are_found_whatever_language_they_are_told_in():
    found = {
        value for _, value in find_identifiers("почта m.s@lyceum.example, тел. +371 2940 1187, 2026-03-04, @ana_b")
    }
    assert found == {"m.s@lyceum.example", "37129401187", "ana_b"}
