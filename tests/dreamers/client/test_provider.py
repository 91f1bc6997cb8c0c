"""Against a real server: whatever a provider does, there is a reply or an error that says what to do about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphdream.dreamers.client.base import Message, Tool, ToolCall
from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.dreamers.client.provider import LiteLLMClient
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.mutations.schema import mutation_schema
from tests.dreamers.client.conftest import Line
from tests.dreamers.client.servers import babbles, breaks_off, fails, openai_body, says, stays_silent, trickles

ASKED = (Message("system", "You dream.", cache=True), Message("user", "What changed?"))
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string", "minLength": 1}},
    "required": ["summary"],
    "additionalProperties": False,
}
SEARCH = Tool("search", "Find facts.", {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]})
ANSWER = '{"summary": "nothing"}'


def failure(line: Line, **changes: Any) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        line.client(**changes).complete(ASKED)
    return raised.value


# ---------------------------------------------------------------------- answers


def test_an_answer_comes_with_what_it_took(line: Line) -> None:
    line.provider.does(line.says("fine", cached=600))
    reply = line.client().complete(ASKED, max_tokens=77)
    assert (reply.text, reply.finish, reply.tool_calls) == ("fine", "stop", ())
    usage = reply.usage
    assert (usage.calls, usage.tokens_in, usage.tokens_out, usage.tokens_cached) == (1, 1000, 200, 600)
    assert usage.cost is not None and 0 < usage.cost < 0.01
    (sent,) = line.provider.requests
    assert sent["max_tokens"] == 77
    assert "You dream." in json.dumps(sent)


def test_stable_prefixes_are_marked_where_the_provider_wants_that(line: Line) -> None:
    line.client().complete(ASKED)
    assert ("cache_control" in json.dumps(line.provider.requests)) == (line.protocol == "anthropic")


@pytest.mark.parametrize("line", ["openai"], indirect=True)
def test_a_price_that_nobody_knows_is_none(line: Line) -> None:
    line.model = f"{line.protocol}/of-our-own"
    line.provider.does(says({**openai_body(), "model": "of-our-own"}))
    assert line.client().complete(ASKED).usage.cost is None


@pytest.mark.parametrize(
    ("line", "told", "finish"),
    [
        *((protocol, told, told) for protocol in ("openai", "anthropic") for told in ("stop", "length", "refusal")),
        ("openai", "content_filter", "refusal"),  # the other protocol has no such word
    ],
    indirect=["line"],
)
def test_why_it_stopped_is_told_in_one_word(line: Line, told: str, finish: str) -> None:
    line.provider.does(line.says("half an ans", finish=told))
    reply = line.client().complete(ASKED)
    assert (reply.finish, reply.text) == (finish, "half an ans")


def test_an_answer_of_ten_megabytes_arrives_whole(line: Line) -> None:
    told = "".join(f"{number:07} is " for number in range(1_000_000))[:10_000_000]
    line.provider.does(line.says(told))
    assert line.client().complete(ASKED).text == told


# ---------------------------------------------------------------------- three ways to hold an answer to its schema


def test_natively(line: Line) -> None:
    line.provider.does(line.says(ANSWER))
    reply = line.client().complete(ASKED, schema=SCHEMA)
    assert json.loads(reply.text) == {"summary": "nothing"} and reply.finish == "stop"
    (sent,) = line.provider.requests
    schema = sent["response_format"]["json_schema"]["schema"] if line.protocol == "openai" else json.dumps(sent)
    assert "summary" in schema if isinstance(schema, str) else schema["required"] == ["summary"]
    assert "minLength" not in json.dumps(sent)


def test_as_the_arguments_of_a_tool(line: Line) -> None:
    line.provider.does(line.says(None, finish="tool_calls", tools=[("answer", ANSWER)]))
    reply = line.client(mode="tool").complete(ASKED, schema=SCHEMA)
    assert json.loads(reply.text) == {"summary": "nothing"}
    assert (reply.finish, reply.tool_calls) == ("stop", ())
    assert "response_format" not in line.provider.requests[0] and line.provider.requests[0]["tool_choice"]


def test_in_words_only(line: Line) -> None:
    line.provider.does(line.says(ANSWER))
    reply = line.client(mode="text").complete(ASKED, schema=SCHEMA, tools=(SEARCH,))
    assert reply.text == ANSWER
    (sent,) = line.provider.requests
    assert "response_format" not in sent and "tools" not in sent
    assert '\\"summary\\"' in json.dumps(sent)


def test_what_a_provider_refuses_is_asked_for_in_a_weaker_way(line: Line) -> None:
    line.provider.does(
        fails(400, "response_format of type json_schema is not supported"),
        fails(400, "this model does not support tools"),
        line.says(ANSWER),
    )
    client = line.client()
    assert client.complete(ASKED, schema=SCHEMA).text == ANSWER
    assert (client.mode, len(line.provider.requests)) == ("text", 3)
    client.complete(ASKED, schema=SCHEMA)
    assert len(line.provider.requests) == 4  # not tried again


def test_tools_are_asked_for_and_answered(line: Line) -> None:
    line.provider.does(line.says(None, finish="tool_calls", tools=[("search", '{"q": "Ada"}')]), line.says("done"))
    client = line.client()
    reply = client.complete(ASKED, tools=(SEARCH,))
    (call,) = reply.tool_calls
    assert (reply.finish, call.name, call.arguments) == ("tools", "search", {"q": "Ada"})
    talk = (*ASKED, Message("assistant", "", reply.tool_calls), Message("tool", "e1 Ada", tool_call_id=call.id))
    assert client.complete(talk, tools=(SEARCH,)).text == "done"
    assert "e1 Ada" in json.dumps(line.provider.requests[1]) and call.id in json.dumps(line.provider.requests[1])


@pytest.mark.parametrize("line", ["openai"], indirect=True)  # in the other protocol they are always JSON
def test_arguments_that_are_no_json_are_handed_on_as_they_are(line: Line) -> None:
    line.provider.does(line.says(None, finish="tool_calls", tools=[("search", '{"q": "Ad')]))
    (call,) = line.client().complete(ASKED, tools=(SEARCH,)).tool_calls
    assert call.arguments == {"unreadable": '{"q": "Ad'}


def test_looks_of_another_mode_are_told_in_words(line: Line) -> None:
    talk = (
        *ASKED,
        Message("assistant", "", (ToolCall("t1", "search", {"q": "Ada"}),)),
        Message("tool", "e1 Ada", tool_call_id="t1"),
    )
    line.client(mode="text").complete(talk, schema=SCHEMA)
    sent = json.dumps(line.provider.requests[0])
    assert "e1 Ada" in sent and '"tool"' not in sent


def test_the_schema_of_every_mutation_goes_through(line: Line) -> None:
    line.provider.does(line.says('{"mutations": [], "summary": ""}'))
    line.client().complete(ASKED, schema=mutation_schema())
    sent = json.dumps(line.provider.requests[0])
    assert "merge_entities" in sent and "oneOf" not in sent


# ---------------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_what_may_pass_is_asked_again_after_as_long_as_it_says(line: Line, status: int) -> None:
    line.provider.does(fails(status, Retry_After="7"), line.says("fine"))
    waits: list[float] = []
    ledger = Ledger()
    client = LedgeredClient(line.client(), ledger, retry=RetryPolicy(sleep=waits.append))
    assert client.complete(ASKED).text == "fine"
    assert (waits, len(line.provider.requests)) == ([7.0], 2)
    assert [entry.attempts for entry in ledger.entries] == [1, 2]
    assert ledger.entries[0].usage.tokens_in == 0 and ledger.total.tokens_in == 1000


def test_a_date_to_wait_for_is_understood(line: Line) -> None:
    line.provider.does(fails(429, Retry_After="Fri, 01 Jan 2100 00:00:00 GMT"))
    told = failure(line).retry_after
    assert told is not None and told > 365 * 86_400
    line.provider.does(fails(429, Retry_After="soon"))
    assert failure(line).retry_after is None


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_will_not_pass_is_not_repeated(line: Line, status: int) -> None:
    line.provider.does(fails(status, "no, because sk-ant-api03-abcdefghijklmnop1234"))
    fault = failure(line)
    assert (fault.retryable, fault.status, fault.maybe_billed) == (False, status, False)
    assert len(line.provider.requests) == 1
    assert "abcdefghijklmnop" not in str(fault) and len(str(fault)) <= 400
    assert fault.hint or status == 400


@pytest.mark.parametrize("misbehaves", [stays_silent, trickles], ids=["silent", "trickling"])
def test_no_call_takes_longer_than_its_time(line: Line, misbehaves: Any) -> None:
    line.provider.does(misbehaves)
    fault = failure(line, timeout_seconds=0.5)
    assert fault.retryable and fault.maybe_billed


@pytest.mark.parametrize(
    "misbehaves",
    [
        breaks_off,
        babbles(),
        babbles("not json", "application/json"),
        babbles("[]", "application/json"),
        babbles('{"choices": []}', "application/json"),
        babbles("null", "application/json"),
        babbles("", "application/json"),
    ],
    ids=["cut", "html", "no-json", "a-list", "no-choices", "null", "empty"],
)
def test_what_is_no_answer_is_an_error_that_may_pass(line: Line, misbehaves: Any) -> None:
    line.provider.does(misbehaves)
    fault = failure(line)
    assert fault.retryable and fault.maybe_billed


def test_a_server_that_is_not_there_has_billed_nothing(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in (("OPENAI_API_BASE", "http://127.0.0.1:9/v1"), ("ANTHROPIC_API_BASE", "http://127.0.0.1:9")):
        monkeypatch.setenv(variable, value)
    fault = failure(line)
    assert fault.retryable and not fault.maybe_billed and "running" in fault.hint


@pytest.mark.parametrize("address", ["/v1", "127.0.0.1:9/v1"])
def test_an_address_that_is_none_is_told_at_once(line: Line, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", address)
    monkeypatch.setenv("ANTHROPIC_API_BASE", address)
    fault = failure(line)
    assert not fault.retryable and not fault.maybe_billed and "address" in fault.hint


def test_a_budget_that_is_spent_sends_nothing(line: Line) -> None:
    from graphdream.dreamers.client.errors import BudgetError

    with pytest.raises(BudgetError):
        LedgeredClient(line.client(), Ledger(100)).complete(ASKED, max_tokens=200)
    assert line.provider.requests == []


def test_the_window_is_known_or_as_configured(_no_keys: None) -> None:
    def window(model: str) -> int:
        return LiteLLMClient(model, timeout_seconds=1, context_tokens=9_000).context_window()

    assert window("anthropic/claude-sonnet-4-5") == 200_000
    assert window("openai/of-our-own") == 9_000
