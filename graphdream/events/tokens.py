"""How many tokens a text has: counted exactly and offline where the tokenizer's file is on disk, else estimated.

One tokenizer serves every count (trigger, budgets, ledger): two estimates of one thing once let a trigger and its
stored counter disagree in Signet, an agent memory. Its name and whether it is exact are recorded beside the counts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "o200k_base"
# The name tiktoken caches the encoding's file under, and the file's SHA-256. Source: tiktoken_ext/openai_public.py; the
# name is the SHA-1 of the address the file is published at.
_RANKS_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"
_RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
# Where litellm's wheel keeps the files that tiktoken would otherwise download.
_LITELLM_FOLDER = Path("litellm_core_utils", "tokenizers")

# English prose measured 4.2 characters a token in o200k_base; 4 errs towards counting too much, never past a budget.
_CHARACTERS_PER_TOKEN = 4

# tiktoken's regular expression runs out of stack on about 600,000 blanks in a row, so it is fed pieces. A piece ends
# before the blank after a word, before the end of a line that ends in a letter or digit, or before the first word of a
# line: places where o200k_base always cuts, so the sum is exact. Only a run of this many characters without such a
# place is cut elsewhere, which costs a few tokens for each cut.
_PIECE_CHARACTERS = 65_536
_CUT = r"(?<=\S)(?=[ \t])|(?<=[^\W_])(?=[\r\n])|(?<=\n)(?=[ \t]*[^\s/])"
_PIECE = re.compile(rf"(?s).{{1,{_PIECE_CHARACTERS}}}(?:{_CUT})|.{{1,{_PIECE_CHARACTERS}}}")

_environment_lock = threading.Lock()


class Tokenizer(Protocol):
    """Counts tokens. The same text always has the same count."""

    @property
    def name(self) -> str:
        """What is recorded beside the counts."""

    @property
    def exact(self) -> bool:
        """False when counts are estimates."""

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`; 0 for "". Any string will do, whatever is in it."""

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text, in their order."""


class EstimatingTokenizer:
    """Four characters are a token, rounded up: what is used when no tokenizer file is on disk."""

    name = f"characters/{_CHARACTERS_PER_TOKEN}"
    exact = False

    def count(self, text: str) -> int:
        """Return the estimated number of tokens."""
        return -(-len(text) // _CHARACTERS_PER_TOKEN)

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Return the estimate for each text, in their order."""
        return [self.count(text) for text in texts]


class ExactTokenizer:
    """Counts with a loaded tiktoken encoding. Text that looks like a special token is text."""

    exact = True

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.name = encoding.name

    def count(self, text: str) -> int:
        """Return the number of tokens, in time linear in the length of the text."""
        return sum(len(self._encoding.encode(piece, disallowed_special=())) for piece in _pieces(text))

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text, in their order."""
        return [self.count(text) for text in texts]


@lru_cache(maxsize=1)
def default_tokenizer() -> Tokenizer:
    """Return the process's tokenizer, loaded once (about 0.3 s) and without the network.

    The encoding's file is looked for in the user's own tiktoken cache (`$TIKTOKEN_CACHE_DIR`, `$DATA_GYM_CACHE_DIR`),
    then in litellm's wheel, which is not imported for it. A file that is not the published one is passed over, as
    tiktoken would delete it and download another.

    Returns:
        An exact o200k_base tokenizer, or the estimating one where no such file is found or tiktoken is missing.
    """
    if importlib.util.find_spec("tiktoken") is None:
        return EstimatingTokenizer()
    for folder in _cache_folders():
        if _holds_ranks(folder):
            return ExactTokenizer(_load(folder))
    return EstimatingTokenizer()


def _cache_folders() -> Iterator[Path]:
    yield from (Path(os.environ[variable]) for variable in _CACHE_VARIABLES if os.environ.get(variable))
    litellm = importlib.util.find_spec("litellm")
    if litellm is not None:
        yield from (Path(location) / _LITELLM_FOLDER for location in litellm.submodule_search_locations or ())


def _holds_ranks(folder: Path) -> bool:
    try:
        data = (folder / _RANKS_FILE).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data).hexdigest() == _RANKS_SHA256


def _load(folder: Path) -> Encoding:
    with _cache_directory(folder):
        import tiktoken

        return tiktoken.get_encoding(ENCODING)


@contextmanager
def _cache_directory(folder: Path) -> Iterator[None]:
    """Point tiktoken at `folder` for the time of loading; the environment is everyone's, so it is put back."""
    variable = _CACHE_VARIABLES[0]
    with _environment_lock:
        before = os.environ.get(variable)
        os.environ[variable] = str(folder)
        try:
            yield
        finally:
            if before is None:
                del os.environ[variable]
            else:
                os.environ[variable] = before


def _pieces(text: str) -> Iterable[str]:
    if len(text) <= _PIECE_CHARACTERS:
        return (text,)
    return (match.group() for match in _PIECE.finditer(text))
