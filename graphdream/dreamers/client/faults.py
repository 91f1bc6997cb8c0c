"""What litellm raises, as the errors of this project: whether asking again may help, and what a person can do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.client.loading import load_litellm
from graphdream.dreamers.client.redaction import redact

if TYPE_CHECKING:
    import httpx

_LONGEST_MESSAGE = 400  # characters of a provider's words
_WORDY = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception|Timeout)\s*[:-]\s*|litellm\.)+")
_AGAIN = re.compile(r" Original exception: .*")  # a fault within a stream is told twice
_TOO_LATE = (408, 504)  # a timeout of the server's or a gateway's: the model may have been at work
_MAY_PASS = (*_TOO_LATE, 409, 429)
_HINTS = {
    401: "the provider refuses the key; check the variable that holds it",
    403: "the key may not use this model",
    404: "check the model's name, `provider/model`, and the address of the server",
}


def provider_error(fault: Exception) -> ProviderError:
    """The error for a call that litellm gave up.

    What the server answered decides, where it answered at all; litellm's own classes differ from provider to provider
    for one and the same status.
    """
    litellm = load_litellm()
    answered = _answered(fault)
    if answered is not None:
        hint = _HINTS.get(answered.status_code, "")
        if isinstance(fault, litellm.ContextWindowExceededError):
            hint = "lower memory.dreaming.maxInputTokens to what the model reads"
        return ProviderError(
            _words(fault),
            retryable=answered.status_code >= 500 or answered.status_code in _MAY_PASS,
            status=answered.status_code,
            retry_after=_retry_after(answered.headers),
            maybe_billed=answered.status_code in _TOO_LATE,
            hint=hint,
        )
    if isinstance(fault, litellm.BadRequestError) or any(isinstance(cause, ImportError) for cause in _causes(fault)):
        return ProviderError(_words(fault))  # litellm itself cannot do what it was asked
    if _never_arrived(fault):
        return ProviderError(_words(fault), retryable=True, hint="is the server running, at the address that was set?")
    if _went_nowhere(fault):
        return ProviderError(_words(fault), hint="check the address that was set: it begins with http:// or https://")
    return ProviderError(_words(fault), retryable=True, maybe_billed=True)


def _words(fault: BaseException) -> str:
    said = _WORDY.sub("", _AGAIN.sub("", " ".join(str(fault).split()))) or type(fault).__name__
    return redact(said)[0][:_LONGEST_MESSAGE]


def _causes(fault: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    cause: BaseException | None = fault
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _answered(fault: BaseException) -> httpx.Response | None:
    """What the server answered instead of an answer; None where it did not."""
    import httpx

    return next((cause.response for cause in _causes(fault) if isinstance(cause, httpx.HTTPStatusError)), None)


def _never_arrived(fault: BaseException) -> bool:
    """Whether no connection was made, so that nothing was worked on."""
    import httpx

    return any(isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout)) for cause in _causes(fault))


def _went_nowhere(fault: BaseException) -> bool:
    """Whether the address is none, so that nothing was sent and never will be."""
    import httpx

    return any(isinstance(cause, (httpx.UnsupportedProtocol, httpx.InvalidURL)) for cause in _causes(fault))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asks to wait: a number, or a date beside its own (RFC 9110, 10.2.3)."""
    told = headers.get("retry-after", "")
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", told.strip()):
        return float(told)
    try:
        return max(0.0, (parsedate_to_datetime(told) - parsedate_to_datetime(headers["date"])).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
