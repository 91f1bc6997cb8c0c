"""No credential leaves the machine, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.dreamers.client.redaction import MARK, redact, redact_values

# Made up, in the form that their makers publish; none was ever valid. In two parts, so that no scanner takes this file
# for one that holds them.
CREDENTIALS = {
    "anthropic-key": ("sk-ant-", "api03-Zq8vT1nB4xK7mR2c"),
    "openai-key": ("sk-proj-", "a1B2c3D4e5F6g7H8i9J0k1L2"),
    "google-key": ("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    "hugging-face-token": ("hf_", "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"),
    "github-token": ("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
    "gitlab-token": ("glpat-", "a1B2c3D4e5F6g7H8i9J0"),
    "aws-access-key": ("AKIA", "Q3EXAMPLE7ABCDEF"),
    "slack-token": ("xoxb-", "123456789012-abcdefABCDEF"),
    "json-web-token": ("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27u"),
    "sendgrid-api-key": ("SG.", "a1B2c3D4e5F6g7H8i9J0k1.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V"),
}

SAID = [
    ("my password is hunter2.", "my password is [redacted: password]."),
    ("password: 'correct horse battery'", "password: '[redacted: password]'"),
    ("DB_PASSWORD=Tr0ub4dor&3 ./run", "DB_PASSWORD=[redacted: password] ./run"),
    ("postgres://bob:s3cret@db.example.org/x", "postgres://[redacted: address-with-password]@db.example.org/x"),
    ("Authorization: Bearer abcdef0123456789ab", "Authorization: Bearer [redacted: authorization]"),
    ("api_key = 0123456789abcdef0123", "api_key = [redacted: key]"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nthat was it",
        "[redacted: private-key]\nthat was it",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz and cut off", "[redacted: private-key]"),
]

HARMLESS = [
    "the token is expired since 2021",
    "tokens: 128000, tokenThreshold: 100000",
    "the password was changed on 2024-05-01",
    "the secret is that he was born in 1999 in Oslo",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes issue #442",
    "see https://example.org/a:b@c?token=short and https://example.org/@ada/posts",
    "id 123e4567-e89b-12d3-a456-426614174000, version 1.106.2, ISBN 978-3-16-148410-0",
    "a password manager is used; passwords are rotated",
    "basic understanding-of-the-matter",
]  # fmt: skip


def test_a_mark_is_not_broken_by_the_rule_after_it() -> None:
    token = "xoxb-" + "123456789012-abcdefABCDEF"
    assert redact(f"password=0{token}") == ("password=0[redacted: slack-token]", {"slack-token": 1})


@pytest.mark.parametrize("kind", CREDENTIALS)
@pytest.mark.parametrize("around", ["{}", "it is {}, I think", "KEY='{}'", '{{"key":"{}"}}', "`{}`\n"])
def test_a_credential_is_taken_out_wherever_it_stands(kind: str, around: str) -> None:
    secret = "".join(CREDENTIALS[kind])
    redacted, counts = redact(around.format(secret))
    assert counts == {kind: 1}
    assert redacted == around.format(f"[redacted: {kind}]")


@pytest.mark.parametrize(("text", "redacted"), SAID)
def test_what_is_called_a_credential_is_one(text: str, redacted: str) -> None:
    assert redact(text)[0] == redacted


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_none_stays(text: str) -> None:
    assert redact(text) == (text, {})


words = st.sampled_from(
    ["password", "is", "=", "'", ":", "://", "@", "\n", " ", "Ada", "token ", *map("".join, CREDENTIALS.values())]
)


@given(st.lists(st.one_of(words, st.text(max_size=5)), max_size=20).map("".join))
def test_what_is_redacted_once_is_done_with(text: str) -> None:
    redacted, counts = redact(text)
    assert redact(redacted) == (redacted, {})
    assert len(MARK.findall(redacted)) >= sum(counts.values())
    assert (redacted == text) == (not counts)


@pytest.mark.parametrize("kind", CREDENTIALS)
@given(before=st.integers(0, 9_000))
def test_no_piece_ends_within_a_credential(kind: str, before: int) -> None:
    secret = "".join(CREDENTIALS[kind])
    assert secret not in redact("so " * (before // 3) + "." * (before % 3) + " " + secret + " it is")[0]


def test_texts_inside_of_values_are_redacted_too() -> None:
    values = {"q": "my pwd=Tr0ub4dor&3", "deep": [{"n": 3, "text": "pwd=Tr0ub4dor&3"}], "none": None}
    redacted, counts = redact_values(values)
    assert counts == {"password": 2}
    assert redacted == {
        "q": "my pwd=[redacted: password]",
        "deep": [{"n": 3, "text": "pwd=[redacted: password]"}],
        "none": None,
    }
