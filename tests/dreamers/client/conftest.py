"""Providers on loopback, and clients that know no others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from graphdream.dreamers.client.provider import LiteLLMClient
from tests.dreamers.client.servers import Behaviour, Provider, anthropic_body, openai_body, says, serving


@dataclass
class Line:
    """A client and the provider at the other end, in one of the protocols."""

    protocol: str
    provider: Provider
    model: str

    def client(self, **changes: Any) -> LiteLLMClient:
        return LiteLLMClient(self.model, **{"timeout_seconds": 20.0, "context_tokens": 9_000, **changes})

    def says(self, text: str | None = "fine", **how: Any) -> Behaviour:
        words = {"openai": {}, "anthropic": {"length": "max_tokens", "tool_calls": "tool_use", "stop": "end_turn"}}
        how["finish"] = words[self.protocol].get(how.get("finish", "stop"), how.get("finish", "stop"))
        body = openai_body if self.protocol == "openai" else anthropic_body
        return says(body(text, **how))


@pytest.fixture
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in os.environ:
        if variable.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")):
            monkeypatch.delenv(variable)


@pytest.fixture(params=["openai", "anthropic"])
def line(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, _no_keys: None) -> Iterator[Line]:
    with serving() as provider:
        if request.param == "openai":
            monkeypatch.setenv("OPENAI_API_BASE", f"{provider.url}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
            line = Line("openai", provider, "openai/gpt-4o-mini")
        else:
            monkeypatch.setenv("ANTHROPIC_API_BASE", provider.url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
            line = Line("anthropic", provider, "anthropic/claude-sonnet-4-5")
        provider.does(line.says())
        yield line
