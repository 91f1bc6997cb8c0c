"""What says where a statement came from is learned, and what says when it is so is no such thing."""

from __future__ import annotations

from graphdream.facts.reading import NUMBER, Reading
from graphdream.facts.wrappers import Wrappers

PLACES = ("quay", "mill", "crypt", "kiosk", "depot", "rink")


def _reading(text: str) -> Reading:
    words = tuple(text.split())
    return Reading(tuple(NUMBER if word.isdecimal() else word for word in words), words, frozenset(), False)


def _told(leading: str, *, later: int) -> list[tuple[int, Reading]]:
    """Of each place when it opens, and behind some words when it opens, some hours later."""
    plain = [(at, _reading(f"the {place} opens at {at + 5}")) for at, place in enumerate(PLACES)]
    return plain + [
        (at, _reading(f"{leading} the {place} opens at {at + 5 + later}")) for at, place in enumerate(PLACES)
    ]


def test_what_changes_nothing_is_left_off() -> None:
    learned = Wrappers.learn(_told("the warden says", later=0))
    assert learned.prefixes == {("the", "warden", "says")}
    assert learned.strip(_reading("the warden says the crypt opens at 8")) == _reading("the crypt opens at 8")


def test_what_another_value_stands_beside_is_part_of_what_is_said() -> None:
    """`on feast days` may be left off, and what remains is a statement too: of all other days."""
    learned = Wrappers.learn(_told("on feast days", later=2))
    assert not learned.prefixes
    narrowed = _reading("on feast days the crypt opens at 9")
    assert learned.strip(narrowed) == narrowed


def test_what_was_said_of_one_entity_tells_nothing_of_another() -> None:
    """The mill opens at another hour than the quay, with and without the words."""
    moved = [(entity, reading) for entity, reading in _told("the warden says", later=0) if entity]
    alone = [(0, _reading("the warden says the quay opens at 9"))]
    assert Wrappers.learn(moved + alone).prefixes == {("the", "warden", "says")}


def test_a_label_says_where_a_statement_came_from_whatever_stands_beside_it() -> None:
    learned = Wrappers.learn(_told("logbook :", later=2))
    assert learned.prefixes == {("logbook", ":")}


def test_what_a_pass_took_away_still_shows_that_nothing_was_changed() -> None:
    """The copies are absorbed; what stays of the warden's is what he said later, of another hour."""
    copies, later = _told("the warden says", later=0), _told("the warden says", later=2)
    assert not Wrappers.learn(later).prefixes
    assert Wrappers.learn(later, copies).prefixes == {("the", "warden", "says")}
