"""The ledger of a pass: every request with what it took, and a budget that is asked before each."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from graphdream.dreamers.client.base import Usage, total
from graphdream.dreamers.client.errors import BudgetError


@dataclass(frozen=True, slots=True)
class Entry:
    """One request, answered or not.

    Attributes:
        what: what was asked for, in a word or two ("chunk 3", "repair").
        usage: what it took; of a request without an answer, what the provider may bill.
        attempts: how many requests it took so far to get this answered; 1 is the first.
        model: the model that answered, as the provider names it.
        redacted: kind of credential -> how many were taken out of what was sent.
        error: why there was no answer; "" where there was one.
    """

    what: str
    usage: Usage
    attempts: int = 1
    model: str = ""
    redacted: Mapping[str, int] = field(default_factory=dict)
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        """The entry as plain values, as a pass keeps it."""
        return {
            "what": self.what, "model": self.model, "attempt": self.attempts, "tokens_in": self.usage.tokens_in,
            "tokens_out": self.usage.tokens_out, "tokens_cached": self.usage.tokens_cached, "cost": self.usage.cost,
            "redacted": dict(self.redacted), "error": self.error,
        }  # fmt: skip


class Ledger:
    """Counts what the calls of one pass take, and refuses the call that would go past the budget.

    Args:
        budget_tokens: tokens in and out of all calls together; None for any number.

    Safe to share between threads: what running calls may still take is held back until they end.
    """

    def __init__(self, budget_tokens: int | None = None) -> None:
        self.budget_tokens = budget_tokens
        self._entries: list[Entry] = []
        self._spent = self._held = 0
        self._lock = threading.Lock()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry, in the order in which the requests ended."""
        with self._lock:
            return tuple(self._entries)

    @property
    def total(self) -> Usage:
        """The sum of all entries; its cost is None where that of one is not known."""
        return total([entry.usage for entry in self.entries])

    @property
    def redacted(self) -> dict[str, int]:
        """Kind of credential -> how many were taken out of what was sent, all calls together."""
        counts: Counter[str] = Counter()
        for entry in self.entries:
            counts.update(entry.redacted)
        return dict(sorted(counts.items()))

    def left(self) -> int | None:
        """Tokens that may still be asked for; None for any number."""
        with self._lock:
            return self._left()

    def check(self, estimate: int) -> None:
        """Ask whether a call of at most `estimate` tokens, in and out, may be made.

        Raises:
            BudgetError: it may not.
        """
        with self._lock:
            self._check(estimate)

    @contextmanager
    def holding(self, estimate: int) -> Iterator[None]:
        """Keep `estimate` tokens back while a call runs, so that calls beside it cannot spend them too.

        Raises:
            BudgetError: there are not so many left.
        """
        with self._lock:
            self._check(estimate)
            self._held += estimate
        try:
            yield
        finally:
            with self._lock:
                self._held -= estimate

    def add(
        self,
        usage: Usage,
        what: str = "",
        attempts: int = 1,
        *,
        model: str = "",
        redacted: Mapping[str, int] | None = None,
        error: str = "",
    ) -> Entry:
        """Write down what was spent."""
        entry = Entry(what, usage, attempts, model, dict(redacted or {}), error)
        with self._lock:
            self._entries.append(entry)
            self._spent += usage.tokens_in + usage.tokens_out
        return entry

    def _check(self, estimate: int) -> None:
        left = self._left()
        if left is not None and estimate > left:
            raise BudgetError(estimate, left)

    def _left(self) -> int | None:
        if self.budget_tokens is None:
            return None
        return max(0, self.budget_tokens - self._spent - self._held)
