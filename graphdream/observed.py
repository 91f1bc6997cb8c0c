"""What is done is seen from outside, where somebody looks: spans and measures for OpenTelemetry (graphdream.telemetry).

The engine says what it does in its own words, and neither knows nor waits for whoever hears it. Nobody looks where the
program that uses the library has not loaded OpenTelemetry, and its environment variables name nowhere to send anything;
then all of this costs a look at a variable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SENT_BY = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
"""Environment variables that name where spans and measures go."""


class Watcher(Protocol):
    """Whoever looks."""

    def seeing(self, what: str, facts: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Around something that is done."""
        ...

    def note(self, facts: Mapping[str, Any]) -> None:
        """What became known of what is being done, the innermost on this thread."""
        ...


@contextmanager
def observed(what: str, **facts: Any) -> Iterator[None]:
    """Let the work of a `with` block be seen.

    Args:
        what: "pass", "step", "chat", "recall", "context", "record", "remember", "undo" or "purge".
        facts: what is known before; `note` adds what is known later. Content (questions, prompts, answers) stands under
            `content`, and is passed on only where that was asked for.
    """
    watcher = _watcher()
    if watcher is None:
        yield
        return
    with watcher.seeing(what, facts):
        yield


def note(**facts: Any) -> None:
    """Add what became known of what is being done."""
    watcher = _watcher()
    if watcher is not None:
        watcher.note(facts)


def observing(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let every call of a function be seen."""

    def around(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            with observed(what):
                return function(*args, **kwargs)

        return called

    return around


def is_sent() -> bool:
    """Whether the environment names where spans and measures go."""
    return any(os.environ.get(name) for name in SENT_BY) and os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


def _watcher() -> Watcher | None:
    return _loaded() if "opentelemetry.trace" in sys.modules or is_sent() else None


@cache
def _loaded() -> Watcher | None:
    try:
        from graphdream.telemetry import Telemetry
    except ImportError:  # the extra is not installed
        return None
    return Telemetry()
