"""What a pass spends is written down request by request, and never goes past its budget."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.dreamers.client.base import Message, Reply, ToolCall, Usage
from graphdream.dreamers.client.errors import BudgetError, ClientError, MissingKeyError, ProviderError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.errors import GraphdreamError
from tests.dreamers.client.scripted import ScriptedClient

ASKED = (Message("user", "word " * 100),)


def patient(**changes: float) -> tuple[RetryPolicy, list[float]]:
    waits: list[float] = []
    return RetryPolicy(sleep=waits.append, **changes), waits  # type: ignore[arg-type]


def test_a_call_that_does_not_fit_is_not_made() -> None:
    client = ScriptedClient("never")
    with pytest.raises(BudgetError) as refused:
        LedgeredClient(client, Ledger(200)).complete(ASKED, max_tokens=100)
    assert client.sent == []
    assert (refused.value.asked, refused.value.left) == (125 + 4 + 100, 200)


def test_what_was_answered_is_counted_and_the_rest_of_the_budget_is_what_it_was_not() -> None:
    ledger = Ledger(1_000)
    LedgeredClient(ScriptedClient("yes, dear"), ledger, what="chunk 1").complete(ASKED, max_tokens=50)
    (entry,) = ledger.entries
    assert (entry.what, entry.attempts, entry.model, entry.error) == ("chunk 1", 1, "scripted/one", "")
    assert ledger.total == Usage(1, 100, 3, 0, 0.001)
    assert ledger.left() == 1_000 - 103


def test_a_price_that_is_not_known_is_none_and_never_zero() -> None:
    ledger = Ledger()
    ledger.add(Usage(1, 10, 5, 0, 0.5))
    ledger.add(Usage(1, 10, 5, 0, None))
    assert ledger.total == Usage(2, 20, 10, 0, None)
    assert ledger.left() is None


def test_every_request_of_a_call_is_on_record_also_those_that_failed() -> None:
    retry, waits = patient()
    ledger = Ledger()
    client = ScriptedClient(
        ProviderError("too many requests", retryable=True, status=429, retry_after=7.0),
        ProviderError("the connection broke", retryable=True, maybe_billed=True),
        "fine",
    )
    assert LedgeredClient(client, ledger, retry=retry).complete(ASKED).text == "fine"
    assert waits == [7.0, 2.0]
    assert [(entry.attempts, bool(entry.error)) for entry in ledger.entries] == [(1, True), (2, True), (3, False)]
    assert [entry.usage.tokens_in for entry in ledger.entries] == [0, 129, 100]
    assert ledger.total.cost is None  # nobody knows what the broken one costs


def test_what_a_retry_would_take_is_held_against_the_budget_too() -> None:
    retry, _ = patient()
    client = ScriptedClient(*[ProviderError("broke", retryable=True, maybe_billed=True)] * 5)
    with pytest.raises(BudgetError):
        LedgeredClient(client, Ledger(500), retry=retry).complete(ASKED, max_tokens=100)
    assert len(client.sent) == 3


def test_what_will_not_help_is_not_repeated() -> None:
    retry, waits = patient()
    client = ScriptedClient(ProviderError("no such model", status=404))
    with pytest.raises(ProviderError):
        LedgeredClient(client, Ledger(), retry=retry).complete(ASKED)
    assert (len(client.sent), waits) == (1, [])


@pytest.mark.parametrize(
    ("retry_after", "requests", "waited"),
    [(None, 5, [1.0, 2.0, 4.0, 8.0]), (50.0, 3, [50.0, 50.0]), (3_600.0, 1, [])],
    ids=["doubling", "as-told", "longer-than-patience"],
)
def test_patience_has_an_end(retry_after: float | None, requests: int, waited: list[float]) -> None:
    retry, waits = patient()
    client = ScriptedClient(*[ProviderError("later", retryable=True, retry_after=retry_after)] * 9)
    with pytest.raises(ProviderError):
        LedgeredClient(client, Ledger(), retry=retry).complete(ASKED)
    assert (len(client.sent), waits) == (requests, waited)


def test_credentials_are_taken_out_of_everything_that_is_sent_and_counted() -> None:
    client, ledger = ScriptedClient("ok"), Ledger()
    call = ToolCall("1", "search", {"words": ["the password is hunter2"]})
    messages = (Message("user", "use sk-ant-api03-abcdefghijklmnop1234"), Message("assistant", "", (call,)))
    LedgeredClient(client, ledger).complete(messages)
    sent = repr(client.sent)
    assert "hunter2" not in sent and "abcdefghijklmnop" not in sent
    assert ledger.redacted == {"anthropic-key": 1, "password": 1}
    assert ledger.entries[0].redacted == {"anthropic-key": 1, "password": 1}


@given(st.lists(st.integers(1, 400), min_size=1, max_size=30), st.integers(0, 2_000))
def test_calls_side_by_side_never_take_more_than_the_budget(sizes: list[int], budget: int) -> None:
    ledger = Ledger(budget)

    def call(size: int) -> None:
        reply = Reply("", "stop", "m", Usage(1, 29, size, 0, None))
        try:
            LedgeredClient(ScriptedClient(reply), ledger).complete((Message("user", "x" * 100),), max_tokens=size)
        except BudgetError:
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, sizes))
    total = ledger.total
    assert total.tokens_in + total.tokens_out <= budget
    assert ledger.left() == budget - total.tokens_in - total.tokens_out


def test_errors_say_what_to_do() -> None:
    for error in (MissingKeyError("OPENAI_API_KEY", "openai/x"), BudgetError(5, 3), ProviderError("down", hint="wait")):
        assert isinstance(error, ClientError) and isinstance(error, GraphdreamError)
        assert error.hint
    assert MissingKeyError("OPENAI_API_KEY").variable == "OPENAI_API_KEY"
