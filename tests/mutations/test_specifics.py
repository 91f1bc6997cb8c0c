"""What is read of a text: the same moment is the same token, however it is written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.mutations.specifics import tokens


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("rang at 5:54 PM.", "17:54"),
        ("rang at 5:54pm", "17:54"),
        ("rang at 17:54", "17:54"),
        ("rang at 5:54 am, twice", "05:54"),
        ("rang at 12:05 AM", "00:05"),
        ("rang at 5:54 PMC", "05:54"),
        ("[17:54:00] rang", "17:54"),
        ("[17:54:08] rang", "17:54:08"),
        ("rang at 5:54:08 PM", "17:54:08"),
    ],
)
def test_a_time_and_its_half_of_the_day_are_one_time(text: str, moment: str) -> None:
    assert [token.text for token in tokens(text) if token.kind == "time"] == [moment]
    assert {"am", "pm"}.isdisjoint(token.text for token in tokens(text))


@pytest.mark.parametrize(
    "text",
    [
        "due May 4", "due 4 May", "vence el 4 de mayo", "fällig am 4. Mai", "échéance le 4 mai", "scade il 4 maggio",
        "até 4 de maio", "до 4 мая", "do 4 maja", "vóór 4 mei", "senast 4 maj", "4 Mayıs'ta", "5月4日まで", "5 月 4 日前", "5월 4일까지",
        "2026年5月4日", "due 2026-05-04", "senest 4. mai", "до 4 травня",
    ],
)  # fmt: skip
def test_a_day_is_one_date_in_whatever_language_it_is_written(text: str) -> None:
    assert [token.text for token in tokens(text) if token.kind == "date"] == ["05-04"]
    assert not any(token.kind == "number" for token in tokens(text))


@pytest.mark.parametrize(
    "text",
    [
        "fällig am 14. April", "am 14. April.", "bis zum 14. April, danach nicht", "14. April: Probe", "die Probe (14. April)",
        "vom 14. April an", "mødet er den 14. april", "the 14 April run", "ab 14. April 2027",
    ],
)  # fmt: skip
def test_a_day_of_a_month_that_is_spelt_as_in_english_may_be_an_ordinal(text: str) -> None:
    assert [token.text for token in tokens(text) if token.kind == "date"] == ["04-14"]


@pytest.mark.parametrize(
    "text",
    [
        "the count was 14. April has it",
        "we are 14. May is the youngest",
        "4 de copas",
        "room 9. Mair rang",
        "mai 4 fois",
        "15月4日",
        "44 mai",
        "die 4 mit",
        "marzo no es 4",
        "keep May 20°",
    ],
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert not any(token.kind == "date" for token in tokens(text))


def test_the_names_of_months_and_weekdays_are_what_their_tool_makes() -> None:
    made = subprocess.run(
        [sys.executable, "-c", "from calendar_names import made; import json; print(json.dumps([[names, "
         "json.loads(path.read_text(encoding='utf-8'))] for path, names in made().items()]))"],
        cwd=Path(__file__).resolve().parents[2] / "tools", capture_output=True, text=True, check=True,
    )  # fmt: skip
    for fresh, shipped in json.loads(made.stdout):
        assert fresh == shipped


@pytest.mark.parametrize("text", ["Dentist: Dr. Weber", "lives in St. Gallen", "ask Mrs. Ito"])
def test_the_full_stop_of_a_shortened_title_ends_no_clause_and_hides_no_name(text: str) -> None:
    *_, last = tokens(text)
    assert last.proper and "." not in {token.text for token in tokens(text)}


def test_that_of_a_word_in_capitals_or_with_a_vowel_does() -> None:
    assert [token.text for token in tokens("has a TV. Works in Rio. Sings")].count(".") == 2
