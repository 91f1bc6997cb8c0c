"""Facts that name another: whoever is somebody's son is not that one."""

from __future__ import annotations

import pytest

from graphdream.entities import Record, resolve
from graphdream.entities.explain import explain
from graphdream.entities.relations import names_other

REST = (
    Record("r1", "Wilma Stroop", "person", ("lives in Zwolle",)),
    Record("r2", "Kestrel Basic", "product", ("9 euros a month, one user",)),
    Record("r3", "FC Northwick", "team", ("plays in blue, league two",)),
    Record("r4", "Brandaris", "place", ("lighthouse on Terschelling, 52 metres",)),
)

RELATED = [
    ("Ilmatar Salo", "mother of Ilmatar Salo-Kent", "Ilmatar Salo-Kent", "daughter of Ilmatar Salo"),
    ("Sam Pott", "baker, father of Sam Pott Jr", "Sam Pott Jr", "baker, son of Sam Pott"),
    ("Jan Wouters", "plumber, Ghent, son of Jan Wouters senior", "Jan Wouters senior", "retired plumber in Ghent"),
    ("Jan Wouters", "son of Jan Wouters senior", "Jan Wouters senior", "father of Jan Wouters"),
    ("Henrik Falk", "organ builder, son of Henrik Falk the elder", "Henrik Falk the elder", "organ builder, retired"),
    ("Juan Ortega", "padre de Juan Ortega Ruiz", "Juan Ortega Ruiz", "hijo de Juan Ortega"),
    ("Пётр Громов", "лесник, отец Петра Громова", "Пётр Ильич Громов", "лесник на Оби, сын Петра Громова"),
    (
        "Ana Belén Cifuentes", "veterinaria en Tarazona, trata caballos",
        "Ana Cifuentes", "estudiante, prima de Ana Belén, no es veterinaria",
    ),
    (
        "Ana Cifuentes", "student, cousin of Ana Belén, not a vet",
        "Ana Belén Cifuentes", "vet in Tarazona, treats horses",
    ),
    ("Jan Wouters", "Sohn von Jan Wouters senior", "Jan Wouters senior", "lebt in Gent"),
    ("Jan Wouters", "Klempner in Gent, der Sohn von Jan Wouters senior", "Jan Wouters senior", "lebt in Gent"),
    ("Jan Wouters", "Younger brother of Jan Wouters senior.", "Jan Wouters senior", "lives in Ghent"),
    ("Ilmatar Salo", "She is the mother of Ilmatar Salo-Kent", "Ilmatar Salo-Kent", "lives in Turku"),
    ("Ilmatar Salo", "Ilmatar is married to Ilmatar Salo-Kent", "Ilmatar Salo-Kent", "lives in Turku"),
    ("Villa Rosella", "guest house with six rooms", "Villa Rosella Annex", "two rooms behind Villa Rosella"),
    ("P. Quennell", "Peter, cellist, brother of Paula", "Paula Quennell", "cellist in the Ryedale quartet"),
    ("M. Prosser", "Morgan, husband of Maud, diesel driver", "Maud Prosser", "Maud's husband drives the diesel"),
    ("T. Okafor", "his first name is Tunde, twin brother of Temi", "Temi Okafor", "referee in the northern league"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "said", "other", "told"), RELATED, ids=[f"{r[0]}, {r[1]}" for r in RELATED])
def test_whoever_a_fact_names_beside_the_one_it_is_about_is_another(one, said, other, told):
    kind = "place" if one.startswith("Villa") else "person"
    a, b = Record("a", one, kind, (said,)), Record("b", other, kind, (told,))
    assert names_other(a, b) or names_other(b, a)
    got = resolve([a, b, *REST])
    assert got.clusters["a"] != got.clusters["b"]


def test_an_explanation_says_that_a_fact_names_the_other():
    one, said, other, told = RELATED[0]
    got = explain([Record("a", one, "person", (said,)), Record("b", other, "person", (told,)), *REST], "a", "b")
    assert (got.verdict, got.why) == ("distinct", "not merged unasked: a fact of one names the other as another")


CALLED = [
    ("Rowan", "Rowan Fujimoto", "Rowan Fujimoto prefers Colemak"),
    ("Rowan", "Rowan Fujimoto", "preferred keyboard layout for Rowan Fujimoto: Colemak."),
    ("Rowan", "Rowan Fujimoto", "ownership of the plates passed to Rowan Fujimoto"),
    ("Rowan", "Rowan Fujimoto", "also known as Rowan Fujimoto"),
    ("Rowan", "Rowan Fujimoto", "short for Rowan Fujimoto"),
    ("K. Vasquez", "Karla Vasquez", "her full name is Karla Vasquez"),
    ("Corin", "Corin Hale-Whitby", "to get hold of Corin Hale-Whitby, try a text before eight."),
    ("the Moonstone team", "Moonstone Media", "on October 25 at 8:00 there is a call with Moonstone Media"),
    ("Mussel eRstoration", "Mussel Restoration", "Shirin Carlsen is at the helm of Mussel Restoration."),
    ("skiff-plmub", "skiff-plumb", "the handbook of skiff-plumb"),
    ("Greta Nasser (producer)", "Greta Nasser", "favourite season for Greta Nasser"),
    ("Greta Nasser (producer)’s", "Greta Nasser", "favourite seasons of Greta Nasser"),
    ("the review migration", "review migration", "the handbook of review migration"),
    ("the file src/hook.py", "src/hook.py", "encodeToken() lives in src/hook.py"),
    ("HP", "Hollow Pipeline", "abbreviation of Hollow Pipeline"),
]


@pytest.mark.parametrize(("one", "other", "said"), CALLED, ids=[said for _, _, said in CALLED])
def test_a_fact_that_calls_the_record_itself_tells_nobody_apart(one, other, said):
    assert not names_other(Record("a", one, "person", (said,)), Record("b", other, "person"))


def test_a_name_that_facts_also_call_the_record_by_is_its_own():
    """One fact that leads in to the name is outweighed by others that begin with it."""
    a = Record("a", "Rowan", "person", ("notes of Rowan Fujimoto", "Rowan Fujimoto likes tea"))
    assert not names_other(a, Record("b", "Rowan Fujimoto", "person"))


def test_a_fact_that_both_hold_tells_neither_from_the_other():
    fact = "hence the guide of Indentation Style"
    one, other = Record("a", "Tab Width", "person", (fact,)), Record("b", "Indentation Style", "person", ("four", fact))
    assert not names_other(one, other)
    assert names_other(one, Record("b", "Indentation Style", "person", ("four",)))
