"""Who or what is the new one of a label ends who was; of what is no such thing, nothing is ended."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Chair: Derek Lunn", "Derek Lunn stepped down; the new chair is Priya Nand."),
        ("Chair: Derek Lunn", "Priya Nand is the new chair."),
        ("Cuoca: Assunta Melis", "La nuova cuoca è Rosalba Pinna."),
        ("Cuoca: Assunta Melis", "La cuoca Assunta Melis è andata in pensione, la nuova cuoca è Rosalba Pinna."),
        ("Dyrektor: Halina Wrona", "Nowym dyrektorem jest Marek Zięba."),
        ("Kassör: Roffe", "Roffe har slutat som kassör, ny kassör är Lisbeth Öman."),
        ("Kassierer: Udo Falk", "Neue Kassiererin ist Ines Rapp."),
        ("Trésorier : Paul Morin", "Le nouveau trésorier est Luc Tannier."),
        ("Tesorero: Iván Soto", "La nueva tesorera es Clara Ponce."),
        ("Gerente: Sônia Prado", "A nova gerente é Carla Dias."),
        ("Voorzitter: Henk Bos", "De nieuwe voorzitter is Marijke Pol."),
        ("Казначей: Олег Дёмин", "Новый казначей — Ирина Шубина."),
        ("财务：老李", "新财务是小陈。"),
        ("Padlock code: 3391", "The new padlock code is 6204."),
    ],
)
def test_the_new_one_of_a_label_ends_the_one_before(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Chair: Derek Lunn", "The new vice chair is Priya Nand."),
        ("Chair: Derek Lunn", "The new chair is comfortable."),
        ("Chair: Derek Lunn", "The new chair of the finance board is Priya Nand."),
        ("Chair: Derek Lunn", "The new chair's deputy is Priya Nand."),
        ("Chair: Derek Lunn", "Priya Nand is not the new chair."),
        ("Goalkeeper: Siv", "The new goalkeeper coach is Arvid Moe."),
        ("Boats: Vesla", "The new boat is Havdur."),
        ("Tesorero: Iván Soto, tel. 5512", "La nueva tesorera es Clara Ponce."),
    ],
)
def test_what_is_new_of_something_else_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)
