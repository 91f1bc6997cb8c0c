"""A transcript that is told again adds what is new of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.events.newturns import new_turns
from graphdream.events.transcripts import Transcript, Turn


def said(*words: str) -> Transcript:
    return Transcript(tuple(Turn("user", word) for word in words))


@pytest.mark.parametrize(
    ("known", "told", "new"),
    [
        ("", "abc", "abc"),
        ("abc", "abc", ""),
        ("abc", "abcd", "d"),
        ("abcd", "ab", ""),
        ("abcd", "bc", ""),
        ("abcd", "cd", ""),
        ("abcd", "cdef", "ef"),
        ("abcd", "ef", "ef"),
        ("aaab", "aabc", "c"),
        ("abc", "axcd", "xcd"),
        ("abab", "ababab", "ab"),
    ],
)
def test_only_new_turns_are_added(known: str, told: str, new: str) -> None:
    assert "".join(turn.content for turn in new_turns(said(*known).turns, said(*told).turns)) == new


def test_ids_decide_where_every_turn_has_one() -> None:
    known = [Turn("user", "ok", "1"), Turn("user", "ok", "2")]
    told = [Turn("user", "ok", "2"), Turn("user", "ok", "3"), Turn("user", "ok", "3"), Turn("user", "ok", "4")]
    assert [turn.uid for turn in new_turns(known, told)] == ["3", "4"]


@given(st.lists(st.sampled_from("ab"), max_size=12), st.data())
def test_a_growing_transcript_told_in_any_pieces_ends_as_the_whole(turns: list[str], data: st.DataObject) -> None:
    """Each telling is the transcript so far, from its start, as a hook that fires after every answer hands it over."""
    known: list[Turn] = []
    lengths = sorted(data.draw(st.lists(st.integers(0, len(turns)), max_size=6)))
    for length in [*lengths, *lengths, len(turns)]:
        known += new_turns(known, said(*turns[:length]).turns)
    assert [turn.content for turn in known] == turns
