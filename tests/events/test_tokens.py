"""Tokens are counted exactly offline, or estimated and said to be."""

from __future__ import annotations

import os
import socket
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.events import tokens

pytestmark = pytest.mark.wheel


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a tokenizer must not use the network")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="module")
def exact() -> tokens.Tokenizer:
    tokens.default_tokenizer.cache_clear()
    return tokens.default_tokenizer()


@pytest.fixture
def fresh():
    """The choice is made anew, and again after the test."""
    tokens.default_tokenizer.cache_clear()
    yield
    tokens.default_tokenizer.cache_clear()


def test_counts_are_those_of_o200k_base(exact):
    assert (exact.name, exact.exact) == ("o200k_base", True)
    assert exact.count("hello world") == 2
    assert exact.count("") == 0
    assert exact.count_many(["hello world", "", "tabs."]) == [2, 0, exact.count("tabs.")]


def test_what_looks_like_a_special_token_is_text(exact):
    assert exact.count("<|endoftext|>") > 1


def test_environment_is_as_it_was(fresh, monkeypatch):
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    before = dict(os.environ)
    assert tokens.default_tokenizer().exact
    assert dict(os.environ) == before


def test_a_damaged_file_of_the_user_is_passed_over_and_left_alone(fresh, monkeypatch, tmp_path):
    damaged = tmp_path / tokens._RANKS_FILE
    damaged.write_bytes(b"cut off in the mid")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert tokens.default_tokenizer().exact
    assert damaged.read_bytes() == b"cut off in the mid"
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)


@pytest.mark.parametrize("missing", ["litellm", "tiktoken"])
def test_without_its_file_or_library_tokens_are_estimated_and_said_to_be(fresh, monkeypatch, missing):
    find = tokens.importlib.util.find_spec
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: None if name == missing else find(name))
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    estimator = tokens.default_tokenizer()
    assert (estimator.name, estimator.exact) == ("characters/4", False)
    assert estimator.count_many(["", "a", "abcd", "abcde"]) == [0, 1, 1, 2]


@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, " " * 1_000_000, "\u3000" * 1_000_000, "\n" * 1_000_000, "\ud800" * 100_000, "中" * 1_000_000,
     "-=" * 500_000, "<|endoftext|>" * 80_000],
    ids=["letter", "blanks", "wide-blanks", "lines", "surrogates", "han", "punctuation", "special"],
)  # fmt: skip
def test_hostile_text_is_counted_in_linear_time(exact, text):
    started = time.process_time()
    whole = exact.count(text)
    whole_s = time.process_time() - started
    eighth = exact.count(text[: len(text) // 8])
    assert abs(whole - 8 * eighth) <= 0.01 * whole + 32
    assert whole_s < 10


@pytest.mark.parametrize("unit", ["\n word", "a.\n/b\n", "{\n  'k_': 1\n},\n", "é\r\n", "x_\n  /y\n"])
def test_counting_in_pieces_is_exact_for_lines(exact, unit):
    text = unit * (1 + 2 * tokens._PIECE_CHARACTERS // len(unit))
    assert exact.count(text) == len(exact._encoding.encode(text, disallowed_special=()))


@settings(max_examples=40)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["\n", "\n\n", " ", "  ", "\t", "/", "'s", "1234", "://", ".", "Hello", "it's", "\r\n", "é"]
            ),
            st.text(max_size=8),
        ),
        min_size=1,
        max_size=60,
    ),
    st.integers(0, 50),
)
def test_counting_in_pieces_is_exact_where_words_stand_beside_blanks(exact, parts, shift):
    unit = "".join(parts) + "word word"
    text = "x" * shift + unit * (1 + 2 * tokens._PIECE_CHARACTERS // len(unit))
    assert exact.count(text) == len(exact._encoding.encode(text, disallowed_special=()))
