"""What a label is told to have been set to ends what it was; by how much it changed, or of what else, ends nothing."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Kiln limit: 1240", "Bea raised the kiln limit to 1260."),
        ("Gate code: 5512", "I set the gate code to 7093."),
        ("Deposit: 90 euros", "They put the deposit up to 120 euros."),
        ("Choir practice: Monday 19:30", "Shifted choir practice to Wednesdays at 20:00."),
        ("Release branch: stable", "We renamed the release branch to shipping."),
        ("Felt supplier: Wollberg", "We switched our felt supplier to Merino Haus."),
        ("Proveedor de harina: Molinos Sur", "Cambiaron el proveedor de harina a Gallo."),
        ("Cuota: 30 euros", "Subieron la cuota a 35 euros."),
        ("Kaution: 900 Euro", "Die Vermieterin hat die Kaution auf 1200 Euro festgesetzt."),
        ("Medlemsavgift: 250 kr", "De höjde medlemsavgiften till 300 kr."),
        ("Contributie: 40 euro", "Het bestuur bracht de contributie naar 45 euro."),
        ("Kursgebühr: 80 Euro", "Die Kursgebühr steigt auf 95 Euro."),
        ("Redevance : 12 euros", "La redevance passe à 15 euros."),
        ("Werkstatt: Meinert", "Die Werkstatt haben wir zur Fahrbar gewechselt."),
        ("Nivel de eco: alto", "Pusimos el nivel de eco en medio."),
        ("Protokollstufe: laut", "Protokollstufe auf leise gesetzt."),
    ],
)
def test_what_a_label_was_set_to_ends_what_it_was(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Deposit: 90 euros", "They put the deposit up by 30 euros."),
        ("Kaution: 900 Euro", "Die Vermieterin hat die Kaution um 300 Euro angehoben."),
        ("Kiln limit: 1240", "Bea raised the kiln limit of the annex to 1260."),
        ("Deposit: 90 euros", "They want to put the deposit up to 120 euros."),
        ("Deposit: 90 euros", "They did not put the deposit up to 120 euros."),
        ("Deposit: 90 euros", "We sent the deposit to Mr Falk."),
        ("Warden: Mr Falk", "We showed the warden to Ms Brandt."),
        ("Gate code: 5512", "I gave the gate code to Bea."),
        ("Release branch: stable", "We merged the release branch to shipping."),
        ("Van: Citroën Jumper", "We changed the van a bit."),
        ("Release branch: stable", "We changed the release branch a little."),
        ("Release branch: stable", "We changed the release branch to make it faster."),
        ("Fornecedor: Lima", "Trocou o fornecedor do café."),
        ("Choir practice: Monday 19:30", "Bea took her dog to choir practice."),
        ("Werkstatt: Meinert", "Die Werkstatt haben wir zur Messe begleitet."),
    ],
)
def test_what_else_goes_to_something_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)
