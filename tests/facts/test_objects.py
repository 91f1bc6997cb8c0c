"""What was done to something else, or by somebody else, ends nothing."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it


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
