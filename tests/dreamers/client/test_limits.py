"""Requests and tokens a minute: never more in any 60 seconds, and the turn goes round the agents."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.dreamers.client.base import Message, Reply, Usage
from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.dreamers.client.limits import Gate, Rates, Turnstile, gate_of, share_gate
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.errors import UsageError


class Time:
    """A clock that stands still until it is told to sleep."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def let_through(
    rates: Rates, calls: list[tuple[str, int]], most_seconds: float = 3600.0
) -> list[tuple[float, str, int]]:
    """All calls come at once; when each was let through, in whose name, with how many tokens."""
    time = Time()
    turnstile = Turnstile(rates, time)
    waiting = {f"t{number}": call for number, call in enumerate(calls)}
    out = []
    while waiting:
        waits = []
        for ticket, (agent, tokens) in list(waiting.items()):
            wait = turnstile.ask(ticket, agent, tokens)
            if wait == 0:
                out.append((time.now, agent, tokens))
                del waiting[ticket]
            else:
                waits.append(wait)
        if waiting and len(waits) == len(waiting):
            time.sleep(min(waits))
        assert time.now - 1000.0 < most_seconds, "somebody waits for ever"
    return out


@given(
    requests=st.none() | st.integers(1, 6), tokens=st.none() | st.integers(1, 50),
    calls=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 80)), max_size=20),
)  # fmt: skip
def test_no_minute_has_more_than_is_allowed_and_nobody_waits_for_ever(
    requests: int | None, tokens: int | None, calls: list[tuple[str, int]]
) -> None:
    passed = let_through(Rates(requests, tokens), calls)
    assert len(passed) == len(calls)
    for first, _, _ in passed:
        window = [one for one in passed if first <= one[0] < first + 60.0]
        assert requests is None or len(window) <= requests
        taken = [one[2] for one in window if one[2]]
        assert tokens is None or sum(taken) <= tokens or len(taken) == 1


def test_the_turn_goes_round_the_agents() -> None:
    passed = let_through(Rates(2), [("many", 1)] * 8 + [("few", 1)] * 2 + [("one", 1)])
    assert [agent for _, agent, _ in passed[:7]] == ["many", "many", "few", "one", "many", "few", "many"]


def test_what_a_call_really_took_counts() -> None:
    time = Time()
    turnstile = Turnstile(Rates(tokens=100), time)
    assert turnstile.ask("t1", "a", 90) == 0.0
    assert turnstile.ask("t2", "a", 60) > 0
    turnstile.settle("t1", 30)
    assert turnstile.ask("t2", "a", 60) == 0.0


def test_one_who_was_killed_while_waiting_keeps_nobody_back() -> None:
    time = Time()
    turnstile = Turnstile(Rates(1), time)
    assert turnstile.ask("t1", "a", 1) == 0.0
    assert turnstile.ask("dead", "b", 1) > 0
    time.sleep(60)
    assert turnstile.ask("t2", "c", 1) == 0.0 or turnstile.ask("t2", "c", 1) == 0.0


def test_where_the_provider_asks_to_wait_everybody_does() -> None:
    time = Time()
    turnstile, asked = Turnstile(Rates(100), time), []

    class Refusing:
        model = "m"

        def complete(self, messages: object, **how: object) -> Reply:
            asked.append(time.now)
            if len(asked) == 1:
                raise ProviderError("slow down", retryable=True, status=429, retry_after=7.0)
            return Reply("{}", "stop", "m", Usage(1, 10, 5))

        def count(self, text: str) -> int:
            return len(text)

        def context_window(self) -> int:
            return 1000

    gates = [Gate(turnstile, agent, sleep=time.sleep) for agent in ("a", "b")]
    retry = RetryPolicy(sleep=time.sleep)
    first, second = (LedgeredClient(Refusing(), Ledger(), retry=retry, gate=gate) for gate in gates)
    with pytest.raises(ProviderError):
        LedgeredClient(Refusing(), Ledger(), retry=RetryPolicy(attempts=1), gate=gates[0]).complete(
            [Message("user", "x")]
        )
    second.complete([Message("user", "x")])
    first.labelled("again").complete([Message("user", "x")])
    assert asked[1] >= asked[0] + 7.0
    assert Counter(turnstile._tokens.values()) == {15: 2, 4 + 1 + 8192: 1}


def test_a_process_has_one_gate_for_the_same_rates_and_none_without() -> None:
    assert gate_of(Rates()) is None
    first, second, other = gate_of(Rates(3)), gate_of(Rates(3)), gate_of(Rates(4))
    assert first is not None and second is not None and other is not None
    assert first._queue is second._queue and first._queue is not other._queue
    shared = Gate(Turnstile(Rates(1)), "a")
    try:
        share_gate(shared)
        assert gate_of(Rates(3)) is gate_of(Rates()) is shared
    finally:
        share_gate(None)


@pytest.mark.parametrize("rates", [{"requests": 0}, {"tokens": -1}])
def test_a_rate_that_lets_nothing_through_is_refused(rates: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="lets nothing through"):
        Rates(**rates)
