"""What an agent is when it dreams: its identity files in the configured order, and DREAMING.md, its task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from graphdream.errors import GraphdreamError

DIRECTIVE = "DREAMING.md"
_PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Directive:
    """A task prompt and where it came from.

    Attributes:
        origin: "shipped", or "agent" where the agent's folder has one of its own.
        digest: 32 hexadecimal digits over the text; the pass records it.
    """

    text: str
    origin: str
    digest: str


@dataclass(frozen=True, slots=True)
class IdentityFile:
    """One identity file: its name in the agent's folder, and what it says."""

    name: str
    text: str


def read_directive(folder: Path | None) -> Directive:
    """The agent's own DREAMING.md, which replaces the shipped one whole, else that one; read anew for each pass.

    Raises:
        GraphdreamError: the installation has none.
    """
    candidates = [(folder / DIRECTIVE, "agent")] if folder is not None else []
    candidates += [(_PACKAGE / DIRECTIVE, "shipped"), (_PACKAGE.parent / DIRECTIVE, "shipped")]
    for path, origin in candidates:
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            return Directive(text, origin, blake2b(text.encode(), digest_size=16).hexdigest())
    raise GraphdreamError(f"{DIRECTIVE} is missing from this installation", "install graphdream again")


def read_identity(folder: Path | None, names: Sequence[str]) -> tuple[IdentityFile, ...]:
    """The identity files of the agent's folder in the order of `names`; missing and empty ones are passed
    over."""
    if folder is None:
        return ()
    found = [(name, folder / name) for name in names if (folder / name).is_file()]
    texts = ((name, path.read_text(encoding="utf-8", errors="replace").strip()) for name, path in found)
    return tuple(IdentityFile(name, text) for name, text in texts if text)
