"""Before any work: is there such a provider, and is its key set? And litellm keeps to its business."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.config import ConfigError, Settings, load_settings
from graphdream.dreamers.client.errors import MissingKeyError
from graphdream.dreamers.client.opening import UnknownModelError, open_client

pytestmark = pytest.mark.usefixtures("_no_keys")


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/gpt-4o-mini", "OPENAI_API_KEY"),
        ("openai/of-our-own", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-6", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
        ("openrouter/some/model", "OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_key_is_named(model: str, variable: str) -> None:
    with pytest.raises(MissingKeyError) as missing:
        open_client(model, settings=Settings())
    assert missing.value.variable == variable
    assert variable in str(missing.value) and variable in missing.value.hint and missing.value.exit_code == 2


def test_with_its_key_a_client_is_opened_and_nobody_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    client = open_client("anthropic/claude-sonnet-4-6", settings=Settings())
    assert (client.model, client.count("Ada likes tea.") > 0) == ("anthropic/claude-sonnet-4-6", True)


@pytest.mark.parametrize("model", ["ollama/llama3", "lm_studio/some", "hosted_vllm/some"])
def test_a_model_of_ones_own_needs_no_key(model: str) -> None:
    assert open_client(model, settings=Settings()).model == model


@pytest.mark.parametrize("model", ["nonsense/x", "no-such-model", ""])
def test_a_name_that_no_provider_goes_by_is_told(model: str) -> None:
    with pytest.raises(UnknownModelError) as unknown:
        open_client(model, settings=Settings())
    assert unknown.value.exit_code == 2 and "provider/model" in unknown.value.hint


@pytest.mark.parametrize(
    "line", ["    model: sk-ant-api03-abcdefgh", "    apiKey: sk-ant-api03-abcdefgh", "    api_key: anything"]
)
def test_a_key_in_the_settings_is_refused_with_its_line_and_not_repeated(tmp_path: Path, line: str) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(f"memory:\n  dreaming:\n{line}\n")
    with pytest.raises(ConfigError) as refused:
        load_settings(path, environ={})
    assert f"{path}:3" in str(refused.value) or "agent.yaml:3" in str(refused.value)
    assert "abcdefgh" not in str(refused.value)


_LOADS = """
import os, socket, sys
def refuse(*_): raise SystemExit("a connection was tried")
socket.socket.connect = refuse
before = dict(os.environ)
from graphdream.dreamers.client import ledgered, opening, provider, answers
assert "litellm" not in sys.modules and "tenacity" not in sys.modules and "json_repair" not in sys.modules
from graphdream.dreamers.client.loading import load_litellm
litellm = load_litellm()
assert "FROM_A_DOTENV" not in os.environ
changed = {name for name in {*before, *os.environ} if before.get(name) != os.environ.get(name)}
assert all(name.startswith("LITELLM_") for name in changed), changed
assert litellm.get_model_info("anthropic/claude-sonnet-4-5")["max_input_tokens"] == 200_000
"""


def test_loading_asks_no_network_reads_no_file_of_others_and_leaves_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_A_DOTENV=1\nOPENAI_API_KEY=of-another-project\n")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("LITELLM", "TIKTOKEN"))}
    ran = subprocess.run(
        [sys.executable, "-c", _LOADS], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=300
    )
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
