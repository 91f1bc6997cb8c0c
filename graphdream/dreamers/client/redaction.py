"""Credentials are taken out of a text before it leaves the machine, for good: the mark left behind tells the kind only.

Two detectors look at every piece of text: the token formats of bc-detect-secrets (the engine behind Checkov, kept up to
date by its makers; only its regular expressions are used, nothing of it that reads files or asks a network), and the
rules below, for what it does not know: keys of model providers, key blocks, and credentials that are named in prose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

MARK = re.compile(r"\[redacted: [a-z0-9-]+\]")

# A rule sees one piece at a time, so that no expression meets more than this; a piece ends where no token can go on.
_PIECE_CHARACTERS = 4_096
_PIECE = re.compile(rf"(?s).{{1,{_PIECE_CHARACTERS}}}(?![\w+/=.-])|.{{1,{_PIECE_CHARACTERS}}}")

_KEY_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END \1-----|\Z)", re.DOTALL)

_NAMED = r"(?:{words})[\w-]{{0,32}}[\"'`]?\s*(?::=|=>|[:=]|\b(?:is|was)\b)\s*"
_PASSWORD = _NAMED.format(words="password|passwd|passphrase|passcode|pwd")
_KEY = _NAMED.format(words="api[_ -]?key|access[_ -]?key|secret[_ -]?key|private[_ -]?key|auth[_ -]?key|secret|token")
_QUOTED = r"(?:\"([^\"\n]{{{least},256}})\"|'([^'\n]{{{least},256}})'|`([^`\n]{{{least},256}})`)"

_BARE_PASSWORD = r"((?=[^\s\"'`]*[\d!#$%&*@^~?])[^\s\"'`]{5,255}[^\s\"'`.,;:!?)])"


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a credential looks like.

    Attributes:
        expression: finds one: it is the longest group of a match, or all of it where no group is long enough.
        fewest: characters of such a group; a shorter one is a part of the token (the "ghp" of a GitHub token).
    """

    kind: str
    expression: re.Pattern[str]
    fewest: int = 8


# Formats as their makers publish them and gitleaks (MIT) collects them.
_TOKENS = (
    _Rule("anthropic-key", re.compile(r"\bsk-ant-[\w-]{16,}")),
    _Rule("openai-key", re.compile(r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}")),
    _Rule("google-key", re.compile(r"\bAIza[\w-]{35}")),
    _Rule("google-oauth-secret", re.compile(r"\bGOCSPX-[\w-]{20,}")),
    _Rule("hugging-face-token", re.compile(r"\bhf_[A-Za-z0-9]{30,}")),
    _Rule("groq-key", re.compile(r"\bgsk_[A-Za-z0-9]{20,}")),
    _Rule("xai-key", re.compile(r"\bxai-[A-Za-z0-9]{20,}")),
    _Rule("gitlab-token", re.compile(r"\bgl(?:pat|dt|rt|ptt|cbt|soat)-[\w-]{20,}")),
    _Rule("github-token", re.compile(r"\bgithub_pat_\w{22,}")),
    _Rule("slack-token", re.compile(r"\bxapp-\d-[A-Za-z0-9-]{20,}|\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}")),
    _Rule("stripe-key", re.compile(r"\b(?:sk|rk|whsec)_(?:(?:live|test|prod)_)?[A-Za-z0-9]{16,}")),
    _Rule("pypi-token", re.compile(r"\bpypi-AgE[\w-]{50,}")),
    _Rule("digitalocean-token", re.compile(r"\bdo[opr]_v1_[a-f0-9]{64}")),
    _Rule("telegram-token", re.compile(r"\b\d{8,10}:A[\w-]{34}")),
    _Rule("age-key", re.compile(r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}")),
    _Rule("address-with-password", re.compile(r"(?<=://)[^\s/@:\"'<>]{0,256}:[^\s/@\"'<>]{1,256}(?=@)")),
    _Rule("authorization", re.compile(r"(?i)\b(?:bearer|basic)\s+((?=\S*[\d=])[\w+/=.~-]{16,})")),
)

# What is called a password, or a key, and is no plain word. Looked for last: a format says more than a name.
_NAMED_ONES = (
    _Rule("password", re.compile(rf"(?i){_PASSWORD}{_QUOTED.format(least=4)}"), fewest=1),
    _Rule(
        "password",
        re.compile(rf"(?i){_PASSWORD}{_BARE_PASSWORD}"),
        fewest=1,
    ),
    _Rule("key", re.compile(rf"(?i){_KEY}{_QUOTED.format(least=12)}")),
    _Rule("key", re.compile(rf"(?i){_KEY}((?=[\w+/=.~-]*\d)(?=[\w+/=.~-]*[a-z])[\w+/=.~-]{{16,}})")),
)

# Of bc-detect-secrets: token formats. Left out are its guesses by entropy and by keyword, which take identifiers and
# plain words for secrets, and the key blocks and addresses, of which the rules above take the whole.
_FORMATS = (
    "artifactory", "aws", "azure_storage_key", "cloudant", "discord", "github_token", "ibm_cloud_iam", "jwt",
    "mailchimp", "npm", "sendgrid", "slack", "softlayer", "square_oauth", "stripe", "twilio",
)  # fmt: skip


@lru_cache(maxsize=64)
def _redacted(text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    counts: Counter[str] = Counter()

    def block(found: re.Match[str]) -> str:
        counts["private-key"] += 1
        return _mark("private-key")

    redacted = _KEY_BLOCK.sub(block, text) if "PRIVATE KEY" in text else text
    found_before = -1
    while found_before != counts.total():  # a mark may be what shows where the credential beside it begins
        found_before = counts.total()
        redacted = "".join(_piece(found.group(), counts) for found in _PIECE.finditer(redacted))
    return redacted, tuple(sorted(counts.items()))


def redact(text: str) -> tuple[str, dict[str, int]]:
    """Take every credential out of a text.

    Returns:
        The text with a mark (`MARK`) in the place of each, and how many there were of each kind. A redacted text is
        left as it is when it is redacted again, and the same text always becomes the same one.
    """
    redacted, counts = _redacted(text)
    return redacted, dict(counts)


def redact_values(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """The same for every text in a JSON object, however deep."""
    counts: Counter[str] = Counter()

    def inside(value: Any) -> Any:
        if isinstance(value, str):
            redacted, found = redact(value)
            counts.update(found)
            return redacted
        if isinstance(value, Mapping):
            return {key: inside(item) for key, item in value.items()}
        return [inside(item) for item in value] if isinstance(value, (list, tuple)) else value

    return {key: inside(value) for key, value in values.items()}, dict(sorted(counts.items()))


def _piece(text: str, counts: Counter[str]) -> str:
    for rule in _rules():
        text = _without(rule, text, counts)
    return text


def _without(rule: _Rule, text: str, counts: Counter[str]) -> str:
    parts, end = [], 0
    marks = [mark.span() for mark in MARK.finditer(text)]
    for found in rule.expression.finditer(text):
        start, stop = _secret(found, rule.fewest)
        # What meets a mark, or a part of one, was taken out already.
        if start < end or any(low < found.end() and found.start() < high for low, high in marks):
            continue
        counts[rule.kind] += 1
        parts += [text[end:start], _mark(rule.kind)]
        end = stop
    return "".join([*parts, text[end:]]) if parts else text


def _secret(found: re.Match[str], fewest: int) -> tuple[int, int]:
    """Where the credential lies in a match: the rest of it says what it is."""
    spans = [found.span(group) for group in range(1, found.re.groups + 1) if found[group] is not None]
    longest = max(spans, key=lambda span: span[1] - span[0], default=found.span())
    return longest if longest[1] - longest[0] >= fewest else found.span()


def _mark(kind: str) -> str:
    return f"[redacted: {kind}]"


@cache
def _rules() -> tuple[_Rule, ...]:
    return (*_TOKENS, *(rule for name in _FORMATS for rule in _known_formats(name)), *_NAMED_ONES)


def _known_formats(name: str) -> Iterator[_Rule]:
    module = import_module(f"detect_secrets.plugins.{name}")
    for detector in vars(module).values():
        if isinstance(detector, type) and detector.__module__ == module.__name__ and "denylist" in vars(detector):
            kind = re.sub(r"[^a-z0-9]+", "-", str(vars(detector)["secret_type"]).lower()).strip("-")
            yield from (_Rule(kind, expression) for expression in vars(detector)["denylist"])
