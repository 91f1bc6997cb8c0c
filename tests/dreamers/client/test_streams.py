"""Answers that come bit by bit, against a real server: whole, cut, stalled, with an error in the middle, or refused."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from graphdream.dreamers.client.base import Message, Reply, Tool
from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.dreamers.client.provider import LiteLLMClient
from graphdream.dreamers.client.retrying import RetryPolicy
from tests.dreamers.client.conftest import Line
from tests.dreamers.client.servers import Handler, anthropic_body, fails, openai_body, says
from tests.support.streams import events_of

ASKED = (Message("user", "What changed?"),)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]}
SEARCH = Tool("search", "Find facts.", {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]})

ONE_PROTOCOL = pytest.mark.parametrize("line", ["openai"], indirect=True)


def events(line: Line, text: str = "nothing of note") -> list[str]:
    return events_of(openai_body(text) if line.protocol == "openai" else anthropic_body(text))


def asked_twice(line: Line, **changes: Any) -> tuple[LiteLLMClient, Ledger, Reply]:
    """Ask with one repetition; the first request fails."""
    client, ledger = line.client(**changes), Ledger()
    patient = RetryPolicy(attempts=2, sleep=lambda seconds: None)
    reply = LedgeredClient(client, ledger, retry=patient).complete(ASKED)
    first, second = ledger.entries
    assert first.error and first.usage.tokens_in > 0 and first.usage.cost is None  # it may be on the bill
    assert not second.error
    return client, ledger, reply


@pytest.mark.parametrize("how", ["words", "schema", "tools"])
def test_a_stream_comes_to_the_same_as_a_whole_answer(line: Line, how: str) -> None:
    told: dict[str, Any] = {"words": ("fine and well",), "schema": ('{"summary": "nothing"}',), "tools": (None,)}
    calls = {"finish": "tool_calls", "tools": [("search", '{"q": "Ada"}'), ("search", '{"q": "Bo"}')]}
    line.provider.does(line.says(*told[how], cached=600, **(calls if how == "tools" else {})))
    ask: dict[str, Any] = {"schema": {"schema": SCHEMA}, "tools": {"tools": (SEARCH,)}}.get(how, {})
    streamed = line.client().complete(ASKED, **ask)
    whole = line.client(streams=False).complete(ASKED, **ask)
    first, second = line.provider.requests
    assert first["stream"] and not second.get("stream")
    assert (streamed.text, streamed.finish, streamed.tool_calls) == (whole.text, whole.finish, whole.tool_calls)
    assert streamed.usage == whole.usage and streamed.usage.tokens_cached == 600


def test_what_is_cut_midway_is_asked_again(line: Line) -> None:
    def cut(handler: Handler) -> None:
        handler.stream(*events(line)[:4])
        handler.cut()

    line.provider.does(cut, line.says())
    client, _, reply = asked_twice(line)
    assert reply.text == "fine" and client.streams


def test_what_stalls_is_given_up_and_asked_again(line: Line) -> None:
    def stalls(handler: Handler) -> None:
        handler.stream(*events(line)[:4])
        handler.provider.closing.wait(20)

    line.provider.does(stalls, line.says())
    _, ledger, reply = asked_twice(line, silence_seconds=0.3)
    assert reply.text == "fine" and "stopped for 0.3 seconds" in ledger.entries[0].error


def test_a_model_may_think_before_its_first_word(line: Line) -> None:
    def thinks(handler: Handler) -> None:
        handler.provider.closing.wait(1.0)
        handler.stream(*events(line))
        handler.end()

    line.provider.does(thinks)
    assert line.client(silence_seconds=0.3).complete(ASKED).text == "nothing of note"


def test_no_stream_takes_longer_than_its_time_and_nobody_listens_to_the_rest(line: Line) -> None:
    hung_up = threading.Event()

    def goes_on(handler: Handler) -> None:
        begun, word = events(line)[:3], events(line)[3]
        try:
            handler.stream(*begun)
            while not handler.provider.closing.wait(0.02):
                handler.stream(word)
        except OSError:
            hung_up.set()

    line.provider.does(goes_on)
    with pytest.raises(ProviderError, match="no answer within"):
        line.client(timeout_seconds=0.7).complete(ASKED)
    assert hung_up.wait(10)


def test_an_error_in_the_middle_is_one(line: Line) -> None:
    error = {
        "openai": 'data: {"error": {"message": "overloaded", "type": "server_error", "code": null}}\n\n',
        "anthropic": 'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error",'
        ' "message": "overloaded"}}\n\n',
    }[line.protocol]

    def breaks(handler: Handler) -> None:
        handler.stream(*events(line)[:4], error)
        handler.end()

    line.provider.does(breaks, line.says())
    client, ledger, _ = asked_twice(line)
    assert "overloaded" in ledger.entries[0].error and "Original exception" not in ledger.entries[0].error
    assert client.streams


def test_a_stream_without_an_end_is_asked_for_whole(line: Line) -> None:
    """A connection that is closed looks like an end to HTTP; only the protocol tells that there was more."""

    def ends_early(handler: Handler) -> None:
        handler.stream(*events(line)[:4])
        handler.end()

    line.provider.does(ends_early, line.says())
    client, _, reply = asked_twice(line)
    assert reply.text == "fine" and not client.streams
    assert [bool(request.get("stream")) for request in line.provider.requests] == [True, False]


def test_who_cannot_stream_is_asked_for_whole_answers(line: Line) -> None:
    line.provider.does(fails(400, "stream is not supported by this model"), line.says())
    client = line.client()
    assert client.complete(ASKED).text == "fine" and client.complete(ASKED).text == "fine"
    assert [bool(request.get("stream")) for request in line.provider.requests] == [True, False, False]


@ONE_PROTOCOL  # in the other one a refusal has no words of its own
def test_the_words_of_a_refusal_are_not_lost(line: Line) -> None:
    line.provider.does(says(openai_body(None, refusal="I will not.")))
    _, _, reply = asked_twice(line)
    assert reply.finish == "refusal"


@ONE_PROTOCOL  # the other one always tells
def test_tokens_that_nobody_told_are_counted(line: Line) -> None:
    body = openai_body("eight words are quite enough for one answer")
    del body["usage"]
    line.provider.does(says(body))
    usage = line.client().complete(ASKED).usage
    assert usage.tokens_in == line.client().count("What changed?") and usage.tokens_out == 8
