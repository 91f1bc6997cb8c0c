"""From a model's name to a client, or to what is missing for it, before any work is done."""

from __future__ import annotations

import os

from graphdream.config import Settings
from graphdream.dreamers.client.errors import ClientError, MissingKeyError
from graphdream.dreamers.client.loading import load_litellm
from graphdream.dreamers.client.provider import LiteLLMClient

LONGEST_CALL_SECONDS = 600.0  # the default of the OpenAI and the Anthropic SDK; litellm's own is 6000

# litellm asks for these, but they have defaults or stand for one of several ways to sign in.
_NOT_NEEDED = {
    "OLLAMA_API_BASE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "VERTEXAI_PROJECT", "VERTEXAI_LOCATION",
}  # fmt: skip


class UnknownModelError(ClientError):
    """A name that no provider goes by."""

    exit_code = 2


def open_client(model: str, *, settings: Settings) -> LiteLLMClient:
    """A client for a model; nobody is called.

    Args:
        model: `provider/model`, as litellm names it.

    Raises:
        UnknownModelError: there is no such provider.
        MissingKeyError: the variable that holds the provider's key is not set.
    """
    check_model(model)
    seconds = min(LONGEST_CALL_SECONDS, settings.dreaming.timeout / 1000)
    return LiteLLMClient(model, timeout_seconds=seconds, context_tokens=settings.dreaming.max_input_tokens)


def check_model(model: str) -> None:
    """Check that a model's name names a provider and that its key is there; raises as `open_client` does."""
    check_provider(model)
    litellm = load_litellm()
    missing = [name for name in litellm.validate_environment(model)["missing_keys"] if name not in _NOT_NEEDED]
    if missing and not ("AZURE_API_KEY" in missing and os.environ.get("AZURE_AD_TOKEN")):
        raise MissingKeyError(missing[-1], model)


def check_provider(model: str) -> None:
    """Check that a model's name names a provider; no key is needed.

    Raises:
        UnknownModelError: it names none.
    """
    litellm = load_litellm()
    try:
        litellm.get_llm_provider(model)
    except litellm.BadRequestError:
        raise UnknownModelError(
            f"{model!r} names no provider", "a model is named provider/model, such as anthropic/claude-sonnet-4-6"
        ) from None
