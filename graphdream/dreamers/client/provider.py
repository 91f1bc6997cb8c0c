"""A model of any provider, through litellm: one call, one request, one reply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from graphdream.dreamers.client.base import Finish, Message, Reply, Tool, Usage
from graphdream.dreamers.client.deadline import Beat, within_silences
from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.client.faults import provider_error
from graphdream.dreamers.client.loading import load_litellm
from graphdream.dreamers.client.speech import Mode, heard, spoken
from graphdream.events.tokens import default_tokenizer
from graphdream.observed import note, observed

# litellm's words for why a model stopped. Anything else is an ordinary end.
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "refusal",
    "refusal": "refusal",
}
# A 400 that speaks of these is about how the answer is held to its schema, not about what was asked.
_ABOUT_THE_FORM = re.compile(r"response_format|json_schema|schema|structured|grammar|tool|function", re.IGNORECASE)
_LESS: dict[Mode, Mode] = {"schema": "tool", "tool": "text"}
# Between two bits of a streamed answer. Gateways cut a connection that is idle for 60 seconds (the defaults of nginx'
# `proxy_read_timeout` and of AWS load balancers); after twice that, nothing comes any more.
LONGEST_SILENCE_SECONDS = 120.0


def context_window(model: str) -> int | None:
    """How many tokens a model reads in one call, as litellm knows; None where it does not. No key is needed."""
    try:
        known = load_litellm().get_model_info(model).get("max_input_tokens")
    except Exception:  # litellm raises a bare Exception for a model that it does not know
        return None
    return known if isinstance(known, int) and known > 0 else None


class LiteLLMClient:
    """Asks a model through litellm. Retries are the caller's (`LedgeredClient`).

    Args:
        model: `provider/model`, as litellm names it. Keys and addresses come from its environment variables.
        timeout_seconds: after which a request is given up, whatever trickles in.
        context_tokens: what to take for the model's context window where litellm does not know it.
        mode: how the answer is held to its schema; None for the strictest way that the provider has. A provider that
            refuses it is asked in the next weaker one, for good.
        streams: whether answers are asked for bit by bit, so that a long one outlasts an idle limit on its way and one
            that breaks off is noticed at once. A provider that refuses it, or whose streams have no end, is asked for
            whole answers, for good.
        silence_seconds: after which an answer that has begun and stopped is given up.
    """

    def __init__(
        self, model: str, *, timeout_seconds: float, context_tokens: int, mode: Mode | None = None,
        streams: bool = True, silence_seconds: float = LONGEST_SILENCE_SECONDS,
    ) -> None:  # fmt: skip
        self.model = model
        self.mode = mode
        self.streams = streams
        self._timeout_seconds, self._silence_seconds = timeout_seconds, silence_seconds
        self._context_tokens = context_tokens

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:
        """Ask once.

        Raises:
            ProviderError: there is no answer.
        """
        with observed("chat", model=self.model, provider=self._provider(), max_tokens=max_tokens):
            reply = self._complete(messages, schema=schema, tools=tools, max_tokens=max_tokens)
            told = {"prompt": [asdict(message) for message in messages], "answer": reply.text}
            usage = reply.usage
            note(
                answered_by=reply.model, finish=reply.finish, tokens_in=usage.tokens_in, tokens_out=usage.tokens_out,
                cost=usage.cost, content=told,
            )  # fmt: skip
            return reply

    def _provider(self) -> str:
        """Who serves the model, as the conventions of telemetry name it."""
        return self.model.partition("/")[0]

    def _complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None, tools: Sequence[Tool], max_tokens: int
    ) -> Reply:
        while True:
            mode = self.mode = self.mode or self._strictest()
            asked = spoken(messages, mode=mode, schema=schema, tools=tools, marks=self._marks_prefixes())
            try:
                response = within_silences(
                    self._timeout_seconds, self._silence_seconds, partial(self._send, asked, max_tokens)
                )
            except Exception as fault:
                if isinstance(fault, load_litellm().ContentPolicyViolationError):
                    return Reply("", "refusal", self.model, Usage(calls=1))
                error = fault if isinstance(fault, ProviderError) else provider_error(fault)
                if error.status in (400, 422) and self.streams and "stream" in str(error):
                    self.streams = False
                    continue
                if error.status in (400, 422) and mode in _LESS and _ABOUT_THE_FORM.search(str(error)):
                    self.mode = _LESS[mode]
                    continue
                raise error from fault
            return self._reply(response, messages)

    def count(self, text: str) -> int:
        """How many tokens a text has, by the one tokenizer that counts everything here; for some models an estimate."""
        return default_tokenizer().count(text)

    def context_window(self) -> int:
        """How many tokens the model reads in one call, as litellm knows or the settings say."""
        return context_window(self.model) or self._context_tokens

    def _send(self, asked: Mapping[str, Any], max_tokens: int, beat: Beat) -> Any:
        litellm = load_litellm()
        streams = self.streams
        response = litellm.completion(
            model=self.model,
            max_tokens=max_tokens,
            timeout=self._timeout_seconds,
            num_retries=0,
            max_retries=0,
            drop_params=True,
            # Otherwise it looks for servers among the tools, with a library that it does not depend on (1.106.2).
            **({"_skip_mcp_handler": True} if "tools" in asked else {}),
            **({"stream": True, "stream_options": {"include_usage": True}} if streams else {}),
            **asked,
        )
        return self._whole(response, beat) if streams else response

    def _whole(self, stream: Any, beat: Beat) -> Any:
        """A streamed answer in one piece, as if it had come whole.

        Raises:
            ProviderError: it ended without a reason, so it was cut off on its way or is no stream; or without a word:
                litellm 1.106.2 drops the words of a refusal from a stream. The next request asks for a whole answer.
        """
        bits = []
        try:
            for bit in stream:
                beat()
                bits.append(bit)
        finally:
            _hang_up(stream)
        response = load_litellm().stream_chunk_builder(bits)
        # litellm makes up a reason where none was given.
        told = getattr(stream, "received_finish_reason", None) or getattr(stream, "intermittent_finish_reason", None)
        message = response.choices[0].message if told and response is not None else None
        if message is None or not (message.content or message.tool_calls):
            self.streams = False
            raise ProviderError("the stream ended before its answer did", retryable=True, maybe_billed=True)
        return response

    def _strictest(self) -> Mode:
        litellm = load_litellm()
        name, provider, _, _ = litellm.get_llm_provider(self.model)
        takes = litellm.get_supported_openai_params(model=name, custom_llm_provider=provider) or []
        if "response_format" in takes:
            return "schema"
        return "tool" if "tools" in takes else "text"

    def _marks_prefixes(self) -> bool:
        """Whether the model is one of Anthropic's, wherever it is served."""
        return self.model.startswith("anthropic/") or "claude" in self.model.lower()

    def _reply(self, response: Any, messages: Sequence[Message]) -> Reply:
        try:
            choice = response.choices[0]
            message = choice.message
            calls, answer = heard(message.tool_calls or ())
            text = answer if answer is not None else str(message.content or "")
        except (AttributeError, IndexError, TypeError) as fault:
            raise ProviderError("the provider's answer is not one", retryable=True, maybe_billed=True) from fault
        finish = _FINISHES.get(str(choice.finish_reason), "stop")
        if (getattr(message, "provider_specific_fields", None) or {}).get("refusal"):
            finish = "refusal"
        elif finish == "tools" and not calls:
            finish = "stop"
        elif finish == "stop" and calls:
            finish = "tools"
        return Reply(
            text, finish, str(response.model or self.model), self._usage(response, messages, text), tuple(calls)
        )

    def _usage(self, response: Any, messages: Sequence[Message], text: str) -> Usage:
        told = getattr(response, "usage", None)
        details = getattr(told, "prompt_tokens_details", None)
        return Usage(
            calls=1,
            tokens_in=_tokens(told, "prompt_tokens") or sum(self.count(message.content) for message in messages),
            tokens_out=_tokens(told, "completion_tokens") or self.count(text),
            tokens_cached=_tokens(details, "cached_tokens"),
            cost=self._cost(response),
        )

    def _cost(self, response: Any) -> float | None:
        try:
            return float(load_litellm().completion_cost(completion_response=response, model=self.model))
        except Exception:  # a model without a price; litellm has several errors for it
            return None


def _hang_up(stream: Any) -> None:
    """Close the connection of a stream, so that nothing more is made and billed for it; litellm's wrapper cannot."""
    source = getattr(stream, "completion_stream", None)
    for end in (source, getattr(source, "streaming_response", None)):
        close = getattr(end, "close", None)
        if close is not None:
            close()


def _tokens(told: Any, name: str) -> int:
    value = getattr(told, name, None)
    return value if isinstance(value, int) and value > 0 else 0
