"""Where sentences end beside quotation marks."""

from __future__ import annotations

import pytest

from graphdream.dreamers.reading.sentences import sentences


@pytest.mark.parametrize(
    "told",
    [
        ["Imke sagte: „Wir mähen nie im Regen.“", "Ist noch Heu da?"],
        ["Imke a dit : « Nous ne fauchons jamais. »", "Reste-t-il du foin ?"],
        ["Imke a dit : « Nous ne fauchons jamais. »"],
        ["Imke left.", "“We never mow,” she said."],
        ["Imke ging.", "»Wir mähen nie«, sagte sie."],
    ],
)
def test_a_mark_that_closes_belongs_to_the_sentence_before_it(told: list[str]) -> None:
    """The French mark had been cut off, and a German sentence had gone on behind its own."""
    assert sentences(" ".join(told)) == told
