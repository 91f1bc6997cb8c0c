"""Who did it and to whom, and which number: the same words in another order, or of another number, are no one fact."""

from __future__ import annotations

import pytest

from graphdream.facts import FactFindings, Subject, consolidate
from support.facts_world import fact

SUBJECT = Subject(1, ("Ondrea",), "person", False)


def _judged(older: str, newer: str) -> FactFindings:
    beside = (fact(2 + at, 1, text, day=2) for at, text in enumerate(("hums when it rains", "keeps old maps")))
    return consolidate([fact(0, 1, older, day=2), fact(1, 1, newer, day=42, session="ses_later"), *beside], [SUBJECT])


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ruth lent Otto 40 euros", "Otto lent Ruth 40 euros"),
        ("Kim taught Ruth to weld", "Ruth taught Kim to weld"),
        ("Ruth lieh Otto 40 Euro", "Otto lieh Ruth 40 Euro"),
        ("Мария учит Ольгу", "Ольга учит Марию"),
        ("The train from Kiel to Husum is late", "The train from Husum to Kiel is late"),
        ("Prefers tea to coffee", "Prefers coffee to tea"),
        ("Key 3 opens the loft", "Key 8 opens the loft"),
        ("Desk 3 is by the window", "Desk 8 is by the window"),
        ("Zimmer 3 ist frei", "Zimmer 8 ist frei"),
        ("La llave 3 abre el desván", "La llave 8 abre el desván"),
    ],
)
def test_they_stay_beside_each_other(older: str, newer: str) -> None:
    found = _judged(older, newer)
    assert not found.superseded and not found.duplicates and not found.junk
