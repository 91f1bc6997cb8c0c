"""Who did it and to whom, and which number: the same words in another order, or of another number, are no one fact."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay


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
    assert both_stay(older, newer)
