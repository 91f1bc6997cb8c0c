"""Questions are read for what they are about, whom they name, and when."""

from __future__ import annotations

import pytest

from graphdream.recall.question import read_question
from graphdream.recall.when import AFTER_WINDOW, Window, windows, within


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("What happened on 13 October 2023?", Window("2023-10-13", "2023-10-14")),
        ("what was said on October 13th, 2023", Window("2023-10-13", "2023-10-14")),
        ("the 13th of October 2023", Window("2023-10-13", "2023-10-14")),
        ("What changed in December 2025?", Window("2025-12-01", "2026-01-01")),
        ("anything from 2024?", Window("2024-01-01", "2025-01-01")),
        ("notes of 2026-02-28", Window("2026-02-28", "2026-03-01")),
        ("notes of 2026-02", Window("2026-02-01", "2026-03-01")),
    ],
)
def test_times_become_windows(text: str, window: Window) -> None:
    assert windows(text, ())[0] == [window]


def test_a_month_without_a_year_is_looked_for_in_every_year_of_the_memory() -> None:
    found, words = windows("trips in May", (2024, 2025))
    assert found == [Window("2024-05-01", "2024-06-01"), Window("2025-05-01", "2025-06-01")]
    assert words == {"may"}


@pytest.mark.parametrize("text", ["may I ask something", "they march on", "31 February 2024", "2024-13-40", ""])
def test_what_is_no_time_is_none(text: str) -> None:
    assert windows(text, (2024,))[0] in ([], [Window("2024-01-01", "2025-01-01")])


def test_what_is_told_soon_after_counts_in_part() -> None:
    may = [Window("2024-05-01", "2024-06-01")]
    assert within(may, "2024-05-31T23:59:59Z") == 1.0
    assert within(may, "2024-06-10T00:00:00Z") == AFTER_WINDOW
    assert within(may, "2024-08-10T00:00:00Z") == within(may, "2024-04-30T00:00:00Z") == 0.0


def test_function_words_do_not_count_unless_there_is_nothing_else() -> None:
    assert read_question("What is the name of the cat?").terms == ("name", "cat")
    assert read_question("who am I").terms == ("who", "am", "i")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Wie hoch ist der Jahresbeitrag?", ("hoch", "jahresbeitrag")),
        ("Wer hat den Schlüssel?", ("schlussel",)),
        ("Quel est le prix de l'abonnement ?", ("prix", "abonn")),
        ("¿Cuál es el puerto del servidor?", ("puerto", "servidor")),
        ("Qual é a porta do servidor?", ("porta", "servidor")),
        ("die hard movie", ("die", "hard", "movi")),  # one word of German is of English by chance
    ],
)
def test_function_words_of_another_language_do_not_count_either(text: str, terms: tuple[str, ...]) -> None:
    """`der` is rare in a small memory, and had put every other line that has it before the answer."""
    assert read_question(text).terms == terms


def test_the_unit_of_the_answer_is_no_subject() -> None:
    question = read_question("On which day does the team deploy?")
    assert question.terms == ("team", "deploi")
    assert question.asks_when


def test_names_of_speakers_are_no_subject_and_a_beginning_must_look_like_a_name() -> None:
    question = read_question("What car did Mel buy?", speakers=["Melanie", "Caroline", "user"])
    assert (question.names, question.terms) == ({"melanie"}, ("car", "bui"))


def test_the_one_who_asks_is_the_user() -> None:
    assert read_question("What did I say about budgets?", speakers=["user"]).first_person
    assert not read_question("What did Melanie say to me?", speakers=["Melanie"]).first_person


def test_a_question_as_long_as_a_book_is_read_in_bounded_time() -> None:
    assert len(read_question("word " * 200_000 + "x").terms) <= 64
