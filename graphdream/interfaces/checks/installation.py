"""The programs and libraries that graphdream stands on."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from graphdream.interfaces.checks.base import FAULT, NOTE, OK, Finding, Scene
from graphdream.observed import is_sent

_FIXED_LOG_RESET = (3, 51, 3)
_LIBRARIES = (
    "networkx", "sqlite-utils", "pydantic", "litellm", "jsonschema", "tiktoken", "numpy", "scipy", "rapidfuzz",
)  # fmt: skip
_EXTRAS = {
    "mcp": "mcp", "starlette": "web", "wordllama": "vectors", "opentelemetry.sdk": "otel", "ray": "cluster",
    "keyring": "keyring",
}  # fmt: skip


def look(scene: Scene) -> Iterator[Finding]:
    """Python, SQLite, libraries, extras, the tokenizer, and telemetry that is asked for."""
    yield Finding("python", OK, sys.version.split()[0])
    words = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < _FIXED_LOG_RESET:
        words += (
            "; before 3.51.3 a checkpoint beside a commit could lose pages: graphdream makes them while nobody writes"
        )
    yield Finding("sqlite", OK, words)
    for name in _LIBRARIES:
        try:
            yield Finding(name, OK, version(name))
        except PackageNotFoundError:
            yield Finding(name, FAULT, "not installed", "pip install graphdream")
    for module, extra in _EXTRAS.items():
        if not _is_there(module):
            yield Finding(f"extra {extra}", NOTE, "not installed", f"pip install 'graphdream[{extra}]'")
    yield from _tokenizer()
    if is_sent() and not _is_there("opentelemetry.sdk"):
        asked = "the environment names a collector for telemetry, and nothing can be sent"
        yield Finding("telemetry", FAULT, asked, "pip install 'graphdream[otel]', or unset OTEL_EXPORTER_OTLP_ENDPOINT")


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _tokenizer() -> Iterator[Finding]:
    from graphdream.events.tokens import default_tokenizer

    tokenizer = default_tokenizer()
    if tokenizer.exact:
        yield Finding("tokenizer", OK, tokenizer.name)
    else:
        yield Finding("tokenizer", NOTE, f"{tokenizer.name}: counts are estimates")
