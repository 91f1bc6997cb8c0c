"""A newer statement may say of what an older one holds that it was: by grammar, in any words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.facts import Subject, consolidate
from graphdream.facts.former import tells_former
from graphdream.facts.reading import NUMBER, Reading
from support.facts_world import told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _superseded(before: str, after: str) -> list[tuple[int, int]]:
    return [one[:2] for one in consolidate(told_weeks_apart(before, after), [WHO]).superseded]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The garage charges 80 euros an hour", "The garage charges 95 euros an hour, where it had charged 80"),
        ("Runs Debian 11 on the laptop", "The laptop runs Debian 13, not Debian 11"),
        ("Pays with a Visa card", "Pays with a Mastercard rather than a Visa card"),
        ("The contact is Ines Baro", "The contact is Leo Falk, previously Ines Baro"),
        ("Wohnt in Kassel", "Wohnt in Erfurt, früher in Kassel"),
        ("La contraseña es lince44", "La contraseña es tejon91, antes era lince44"),
        ("El ensayo es los lunes a las 19:30", "El ensayo es los miércoles a las 20:00, ya no los lunes a las 19:30"),
        ("Vit à Nantes", "Vit à Rennes, auparavant à Nantes"),
        ("Живёт в Казани", "Живёт в Перми, раньше в Казани"),
        ("会议在周一", "会议在周三，不是周一"),
        ("Tours cost 12 euros", "Tours no longer cost 12 euros, but 9"),
        ("Die Führung kostet 12 Euro", "Die Führung kostet nicht mehr 12 Euro, sondern 9 Euro"),
        ("Aldous tends the sluice", "Brenna tends the sluice now, no longer Aldous"),
        ("The fence is ochre", "The fence is no longer ochre but teal"),
        ("The choir rehearses at the old mill", "The choir no longer rehearses at the old mill but at the tram depot"),
    ],
)
def test_what_was_is_over(before: str, after: str):
    assert _superseded(before, after) == [(0, 1)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Of something else, which is not as the older is.
        ("The key is under the mat", "The spare key is in the shed, not under the mat"),
        ("The rent is 870 euros", "The deposit is 900 euros, not 870"),
        ("Water the fern every 4 days", "Water the cactus every 14 days, not every 4 days"),
        ("The office is in Oslo", "Bo was in Oslo last week, Ida in Bergen"),
        ("La oficina está en Vigo", "Antes de Vigo paramos en Lugo"),
        ("Le bureau est à Brest", "Le train de Brest à Quimper met 1 heure maintenant"),
        ("她在银行工作", "她妹妹在学校工作，不在银行工作"),
        ("Встреча в среду", "Обед в пятницу, а не в среду"),
        ("The chapel is white", "The vicarage is yellow and not white like the chapel"),
        ("Die Kapelle ist weiß", "Das Pfarrhaus ist gelb und nicht weiß wie die Kapelle"),
        ("La capilla se calienta con leña", "La casa parroquial se calienta con gas, no con leña como la capilla"),
        # Only a part of it is over, or nothing is.
        ("The bakery opens at 7", "The bakery does not open at 7 on Sundays, but at 9"),
        ("The sluice is tended by Aldous", "During the floods do not ask Aldous for the sluice, but Brenna"),
        ("Aldous tends the sluice", "In dry months it is not Aldous who tends the sluice but Brenna"),
        ("La visita cuesta 12 euros", "Los domingos no cobran 12 euros por la visita, sino 9"),
        ("На экскурсию пускает сторож", "В праздники на экскурсию пускает не сторож, а хранитель"),
        ("Likes jazz", "Likes blues, not only jazz"),
        ("他喜欢喝茶", "他不只喜欢喝茶，也喜欢咖啡"),
        ("The fence is ochre", "On the north side the fence is no longer ochre but teal"),
        ("Anna sings in the chapel", "Anna's brother no longer sings in the chapel but in the hall"),
        ("The cat sleeps on the stove", "The cat no longer sleeps on the stove in summer but in the shed"),
        # The older says itself what was, or what is not.
        ("No come cerdo", "Come ternera, no cerdo"),
        ("Never eats pork", "Eats beef, never pork"),
    ],
)
def test_what_is_said_of_else_or_of_a_part_ends_nothing(before: str, after: str):
    assert not _superseded(before, after)


def test_a_change_that_goes_on_from_a_change():
    assert _superseded("Uptime went from 91% to 94%", "Uptime went from 94% to 97%") == [(0, 1)]


def _reading(words: list[str]) -> Reading:
    return Reading(tuple(NUMBER if word.isdecimal() else word for word in words), tuple(words), frozenset(), False)


WORDS = st.lists(
    st.sampled_from(["kiln", "holds", "90", "140", "was", "not", "from", "now", "before", "litres"]), max_size=9
)


@given(WORDS, WORDS)
def test_law_what_the_newer_never_mentions_is_not_told_to_be_over(before: list[str], after: list[str]):
    if tells_former(_reading(before), _reading(after)):
        assert set(before) & set(after) - {"was", "not", "from", "now", "before"}
        assert set(after) - set(before), "something else holds now"
