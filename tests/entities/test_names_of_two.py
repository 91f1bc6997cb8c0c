"""Names that fit and are those of two things all the same: nothing that is said of both brings them together unasked."""

from __future__ import annotations

import pytest

from graphdream.entities import Record, resolve
from graphdream.entities.comparednames import compare_names, reading_of
from graphdream.entities.forms import name_form
from graphdream.entities.legal_forms import forms_differ, split_form
from graphdream.entities.nicknames import are_nicknames
from graphdream.entities.relations import tells_relation
from graphdream.entities.transcription import name_words
from graphdream.language.naming import is_organization_type, is_person_type, naming_class

SAID = ("keeps the lighthouse at Skagen", "grows quinces, plays the hurdy-gurdy on Sundays")


def together(*entities: tuple[str, str]) -> set[frozenset[str]]:
    """The names that are one after resolving a memory in which the same is said of each."""
    records = [Record(f"e{at}", name, type_, SAID) for at, (name, type_) in enumerate(entities)]
    found: dict[str, set[str]] = {}
    for id_, head in resolve(records, sort="memory").clusters.items():
        found.setdefault(head, set()).add(records[int(id_[1:])].name)
    return {frozenset(names) for names in found.values() if len(names) > 1}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Mirjam Sauter", "person"), ("Mirjam Sauter Gartenbau GmbH", "company")),
        (("Mirjam Sauter", "person"), ("Mirjam Sauter Stiftung", "organization")),
        (("Sauter Gartenbau AG", "company"), ("Sauter Gartenbau GmbH", "company")),
        (("Ovation Lamp", "product"), ("Ovation Lamp SE", "product")),
        (("Ovation Lamp", "concept"), ("Ovation Lamp SE", "concept")),
        (("Benedikt Kolm", "person"), ("Benedikt Kolm der Jüngere", "person")),
        (("Vicente Arrieta", "person"), ("Vicente Arrieta hijo", "person")),
        (("Пётр Лесков", "person"), ("Пётр Лесков младший", "person")),
        (("Abel Thorne", "person"), ("Abel Thorne Jr.", "person")),
        (("Gerda Maas", "person"), ("Gerda Maas's sister", "person")),
        (("Gerda Maas", "person"), ("sister of Gerda Maas", "person")),
        (("Eva Kroll", "person"), ("Eva-Marie Kroll", "person")),
        (("Ines Kroll", "person"), ("Ines Kroll-Hagedorn", "person")),
        (("William Garrick", "person"), ("Wilma Garrick", "person")),
        (("Mr. Garrick", "person"), ("Mrs. Garrick", "person")),
        (("Frau Kroll", "person"), ("Jonas Kroll", "person")),
        (("Omar Haddadin", "person"), ("Abu Omar Haddadin", "person")),
        (("Nieves Arrieta", "person"), ("Nieves Arrieta madre", "person")),
        (("刘芳", "person"), ("刘方", "person")),
        (("Letters from Skagen, Volume I", "book"), ("Letters from Skagen, Volume II", "book")),
        (("Bergen to Oslo", "trip"), ("Oslo to Bergen", "trip")),
        (("Ajax 2 Feyenoord 0", "event"), ("Ajax 0 Feyenoord 2", "event")),
        (("Corvus 1.4", "release"), ("Corvus 4.1", "release")),
        (("Corvus 1.4", "release"), ("Corvus 1.4.4", "release")),
        (("10.7.1.30", "host"), ("10.7.30.1", "host")),
    ],
    ids=lambda entity: entity[0],
)
def test_two_things_of_which_the_same_is_said_stay_apart(first, second):
    assert together(first, second) == set()


@pytest.mark.parametrize(
    "names",
    [
        ("P. Lindqvist", "Pelle Lindqvist", "Paula Lindqvist"),
        ("Pat Garrick", "Patrick Garrick", "Patricia Garrick"),
    ],
)
def test_a_name_that_fits_two_people_merges_with_neither(names):
    assert together(*((name, "person") for name in names)) == set()


def test_an_identifier_tells_which_of_two_people_a_name_fits():
    records = [
        Record("a", "P. Lindqvist", "person", ("keeps bees in Falun", "call 0046 23 555 0182")),
        Record("b", "Pelle Lindqvist", "person", ("keeps bees in Falun", "0046 23 555 0182")),
        Record("c", "Paula Lindqvist", "person", ("keeps bees in Falun",)),
    ]
    clusters = resolve(records, sort="memory").clusters
    assert clusters["a"] == clusters["b"] != clusters["c"]


def test_a_company_without_its_legal_form_fits_two_companies():
    names = ("Sauter Gartenbau", "Sauter Gartenbau AG", "Sauter Gartenbau GmbH")
    assert together(*((name, "company") for name in names)) == set()


@pytest.mark.parametrize(
    "entities",
    [
        (("Project Wagtail", "project"), ("Wagtail", "project")),
        (("Corvus v3.2", "release"), ("corvus 3.2", "release")),
        (("ООО «Зарница»", "company"), ("Зарница", "company")),
        (("紅梅電機株式会社", "company"), ("紅梅電機", "company")),
        (("Quill Rope Co., Ltd.", "company"), ("Quill Rope", "company")),
        (("Quill Rope Ltd", "company"), ("Quill Rope Limited", "company")),
        (("Leonor Pacheco Vidal", "persona"), ("Leonor Pacheco", "persona")),
        (("2027 Trieste offsite", "event"), ("Trieste offsite 2027", "event")),
        (("Tan Mei Lin", "person"), ("Mei Lin Tan", "person")),
        (("Anne-Sophie Kroll", "person"), ("Anne Sophie Kroll", "person")),
        (("Margaret Garrick", "person"), ("Peggy Garrick", "person"), ("Maggie Garrick", "person")),
    ],
    ids=lambda entity: entity[0],
)
def test_one_thing_under_several_names_is_one(entities):
    assert together(*entities) == {frozenset(name for name, _ in entities)}


@pytest.mark.parametrize(
    ("name", "bare", "form"),
    [
        ("Quill Rope Co., Ltd.", "Quill Rope", "co ltd"),
        ("ООО «Зарница»", "«Зарница»", "ооо"),
        ("株式会社紅梅", "紅梅", "株式会社"),
        ("Kroll Möbel GmbH & Co. KG", "Kroll Möbel", "gmbhcokg"),
        ("GmbH", "GmbH", ""),
        ("有限公司", "有限公司", ""),
    ],
)
def test_a_legal_form_is_taken_from_a_name_and_never_the_whole_of_it(name, bare, form):
    assert split_form(name) == (bare, form)


def test_two_legal_forms_differ_unless_one_is_short_for_the_other():
    assert forms_differ("Quill AG", "Quill GmbH")
    assert forms_differ("Quill Inc.", "Quill LLC")
    assert not forms_differ("Quill Ltd.", "Quill Limited")
    assert not forms_differ("Quill GmbH", "Quill GmbH & Co. KG")
    assert not forms_differ("Quill AG", "Quill")


def test_a_legal_form_is_a_word_of_what_is_no_organization():
    product = reading_of(Record("a", "", "product"), Record("b", "", "product"))
    unknown = reading_of(Record("a", "", "unknown"), Record("b", "", ""))
    assert compare_names("Ovation Lamp", "Ovation Lamp SE", product).extra == 1
    assert compare_names("Ovation Lamp", "Ovation Lamp SE", unknown).extra == 1
    assert compare_names("Ovation Lamp", "Ovation Lamp S.E.", unknown).extra == 0
    assert compare_names("Ovation Lamp", "Ovation Lamp GmbH", unknown).extra == 0
    assert compare_names("Ovation Lamp", "Ovation Lamp SE").extra == 0


def test_a_person_is_one_in_any_language_and_no_organization():
    assert all(map(is_person_type, ("person", "Persona", "osoba", "человек", "kişi")))
    assert all(map(is_organization_type, ("Company", "empresa", "şirket", "公司")))
    assert not is_person_type("firma") and not is_organization_type("product")


def test_a_nickname_is_a_short_form():
    assert are_nicknames("margaret", "peggy") and are_nicknames("john", "johnny")
    assert not are_nicknames("wilma", "william")


def test_short_forms_of_one_name_are_not_those_of_two_people():
    people = reading_of(Record("a", "", "person"), Record("b", "", "person"))
    found = compare_names("Peggy Garrick", "Maggie Garrick", people)
    assert not found.apart and found.matched < 1.0
    assert compare_names("Patrick Garrick", "Patricia Garrick", people).apart


def test_numbers_that_are_joined_are_one_number():
    assert name_form("Corvus 1.4").joined == {("1", "4")}
    assert name_form("Corvus 1.4").numbers == name_form("Corvus 4.1").numbers


def test_whose_name_says_what_it_is_to_another():
    def named(name: str) -> Record:
        return Record(name, name, "person")

    assert tells_relation(named("Gerda Maas's sister"), named("Gerda Maas"))
    assert tells_relation(named("Schwester von Gerda Maas"), named("Gerda Maas"))
    assert not tells_relation(named("Gerda Maas's"), named("Gerda Maas"))
    assert not tells_relation(named("Dr. Gerda Maas"), named("Gerda Maas"))
    assert not tells_relation(named("Gerda Maas"), named("Gerda Maas's sister"))


def test_a_name_typed_with_the_shift_lock_on_is_the_same_words():
    assert name_words("gERDA mAAS") == ("gerda", "maas")
    assert name_words("GerdaMaas") == ("gerda", "maas")


def test_a_word_that_people_are_called_by_is_no_form_of_address_and_no_generation():
    told = frozenset().union(*map(naming_class, ("men", "women", "titles", "generations")))
    assert told.isdisjoint({"jun", "sen", "pan", "don", "dona", "neto", "bay"})


def test_initials_of_whom_the_same_is_told_are_asked_about():
    told = ("rings storks on the island every June",)
    full, short = ("Baltic Heron and Stork Registry", told), ("BHSR", ("storks are rung on the island in June",))
    other = ("BHSR", ("leases forklifts to the harbour",))
    for (name, facts), asked in ((short, True), (other, False)):
        records = [Record("a", full[0], "organization", full[1]), Record("b", name, "organization", facts)]
        found = resolve(records, sort="memory")
        assert len(set(found.clusters.values())) == 2
        assert bool(found.band) == asked


def test_an_unknown_class_of_names_is_an_error():
    with pytest.raises(KeyError):
        naming_class("nothing")
