"""Asking again: the one policy for calls that may succeed a little later."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from graphdream.dreamers.client.errors import ProviderError

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait for a provider that says "not now".

    The wait doubles from `first_wait_seconds`, unless the provider says how long it should be. There is no jitter:
    one agent dreams alone, and the same failures are to take the same waits.

    Attributes:
        attempts: requests in all.
        first_wait_seconds: before the second request.
        patience_seconds: all waits together; a provider that asks for more is not waited for.
        sleep: waits so many seconds.

    Source: 5 attempts from 1 s are tenacity's and the OpenAI cookbook's usual setting for rate limits; two minutes
    outlast a limit that counts per minute.
    """

    attempts: int = 5
    first_wait_seconds: float = 1.0
    patience_seconds: float = 120.0
    sleep: Callable[[float], None] = time.sleep

    def run(self, ask: Callable[[], T]) -> T:
        """Return what `ask` returns, asking again after each `ProviderError` that is retryable.

        Raises:
            ProviderError: the last one, when patience or attempts are at an end.
        """
        from tenacity import Retrying, retry_if_exception

        asking = Retrying(
            retry=retry_if_exception(lambda fault: isinstance(fault, ProviderError) and fault.retryable),
            wait=self._wait,
            stop=self._stop,
            sleep=self.sleep,
            reraise=True,
        )
        return asking(ask)

    def _wait(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome is not None else None
        if isinstance(fault, ProviderError) and fault.retry_after is not None:
            return fault.retry_after
        return float(self.first_wait_seconds * 2 ** (state.attempt_number - 1))

    def _stop(self, state: RetryCallState) -> bool:
        return state.attempt_number >= self.attempts or state.idle_for + state.upcoming_sleep > self.patience_seconds
