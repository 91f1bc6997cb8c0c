"""What was done to something else, or by somebody else, ends nothing."""

from __future__ import annotations

import pytest

from graphdream.facts.objects import is_another_change
from support.facts_world import both_stay, ends_it, reading_of


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Hosting: Linode", "Moved hosting receipts to Vera."),
        ("Hosting: Linode", "Moved the receipts from Linode to Xero."),
        ("Ruby version: 3.1", "Bumped Ruby coverage to 84."),
        ("Max queue length is 500", "Raised the max queue delay to 90."),
        ("Membership: 45 euros", "Raised the membership discount to 12 euros."),
        ("Incubator: 37 degrees", "Set the incubator fridge to 4 degrees."),
        ("Stand: row 12", "Moved stand lamps to row 3."),
        ("Ledger: Firefly", "The ledger migration tool is Sluice now."),  # nouns, not verbs of change
        ("Furnace: Windhager", "The furnace replacement kit is Ökofen now."),
        ("Depot: Tromsø", "The depot exchange server is in Bodø now."),
        ("Broker: Mosquitto", "Vera replaced the Mosquitto handbook."),
        ("Broker: Mosquitto", "Vera replaced Mosquitto's logo."),
    ],
)
def test_what_was_done_to_another_thing_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Hosting: Linode", "Moved hosting to Scaleway."),
        ("Ruby version: 3.1", "Bumped Ruby to 3.3."),
        ("Max queue length is 500", "Raised the max queue length to 900."),
    ],
)
def test_what_was_done_to_the_thing_itself_ends_what_it_was(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Stack 2 has to be roofed by July 28", "Stack 2 went from drying to roofed"),
        ("The ledger must stay under 891 lines", "It went from 1109 to 199 lines"),
        ("Travel is booked with Ökofen", "Travel moved from Windhager to Ökofen"),
        ("It moved to June 4, it was January 14", "It moved to January 14, it was December 31"),
    ],
)
def test_a_change_from_what_the_older_does_not_know_ends_nothing(older: str, newer: str) -> None:
    one, other = (reading_of(text) for text in (older, newer))
    assert is_another_change(one, other)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The budget is 100 euros", "The budget went from 150 to 200 euros"),
        ("The code of unit 7 is 7719", "The code of unit 7 was changed to 2280"),
        ("Stack 2 is drying", "Stack 2 went from drying to roofed"),
        ("Das Lager ist in Husum", "Das Lager ist von Husum nach Kiel gezogen"),
    ],
)
def test_a_change_from_what_the_older_says_or_of_what_it_is_about_is_its_own(older: str, newer: str) -> None:
    one, other = (reading_of(text) for text in (older, newer))
    assert not is_another_change(one, other)
