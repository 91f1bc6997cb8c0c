"""A pronoun that opens a sentence: whom it means, and where nobody can say."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from tests.support.graphs import NOW, facts_of


def told(tmp_path: Path, *summaries: str, name: str) -> set[str]:
    """What the memory says of somebody once sessions with these summaries were dreamed of."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        for number, summary in enumerate(summaries):
            graph.record_session(f"s{number}", summary=summary, started_at=f"2026-0{number + 1}-05T10:00:00Z")
            graph.dream()
        return facts_of(graph.store, name)


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [
        ("Noor", "Noor lives in Cádiz.", "She works as a nurse."),
        ("Avery Felts", "Avery Felts moved to Oslo last week.", "His sister teaches maths."),
        ("Jonas", "Jonas ist nach Bergen gezogen.", "Er arbeitet als Arzt."),
        ("Elena", "Elena vive en Lisboa.", "Ella trabaja en un banco."),
        ("Davi", "Davi mora em Lisboa.", "Ele trabalha no porto."),
        ("Femke", "Femke woont in Gent.", "Zij werkt bij de bank."),
        ("Ainhoa", "Ainhoa toca la trompeta.", "Él vive en Getxo."),
    ],
)
def test_it_means_who_the_sentence_before_is_about(tmp_path: Path, name: str, first: str, then: str) -> None:
    assert told(tmp_path, f"{first} {then}", name=name) == {first, then}


def test_it_goes_on_meaning_the_same_person(tmp_path: Path) -> None:
    said = "Noor lives in Cádiz. She works as a nurse. She likes tea."
    assert "She likes tea." in told(tmp_path, said, name="Noor")


@pytest.mark.parametrize(
    "said",
    [
        "Noor met Kari at the station. She was late.",
        "Noor and Kari moved to Oslo. She likes tea.",
        "Noor lives with Kari. She likes tea.",
        "Noor's sister moved to Oslo. She teaches maths.",
        "Noor has a dog. She barks a lot.",
        "Noor lives in Oslo. The flat is small. She likes it.",
        "The landlord called Noor. She wants more rent.",
        "Noor woont in Gent. Zij werken samen.",
        "Noor comprou uma bicicleta. Ela é vermelha.",
        "Noor bringt den Wagen weg. Er ist kaputt.",
        "Noor lives in Oslo. She likes tea. He drinks coffee.",
        "Noor habite en Bretagne. Il faut réparer la porte.",
        "Noor toca el órgano. El tejado de la nave tiene goteras.",  # `el` is no `él`
        "Noor vive en Getxo. El horno nuevo gasta 3 kilovatios.",
    ],
)
def test_where_somebody_else_may_be_meant_nobody_is(tmp_path: Path, said: str) -> None:
    last = said.rsplit(". ", 1)[1]
    assert last not in told(tmp_path, said, name="Noor")


def test_what_her_sister_does_next_is_nobodys(tmp_path: Path) -> None:
    said = "Noor lives in Oslo. Her sister teaches maths. She likes tea."
    assert told(tmp_path, said, name="Noor") == {"Noor lives in Oslo.", "Her sister teaches maths."}


def test_what_is_no_person_is_no_she(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        graph.remember("Vosk recognises speech", category="tool/Vosk/general")
        graph.record_session("s1", summary="Vosk runs in the kitchen. She likes tea.")
        graph.dream()
        assert "She likes tea." not in facts_of(graph.store, "Vosk")


def test_what_a_pronoun_told_is_changed_by_name(tmp_path: Path) -> None:
    said = told(tmp_path, "Noor lives in Cádiz. She works as a nurse.", "Noor works as a teacher now.", name="Noor")
    assert said == {"Noor lives in Cádiz.", "Noor works as a teacher now."}
