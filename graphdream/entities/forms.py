"""A surface name taken apart: the forms in which two spellings of one name meet.

`canonical` (graph/names.py) folds what is always noise. Here the resolver goes further, because what it
finds is only a candidate: accents, look-alike letters, word joints, folders, brackets and courtesy words are
separated from the core of the name, and each of those forms is compared by itself.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from graphdream.graph.names import canonical

NAME_CHARS = 240
"""Characters of a name that are compared; a longer name is told apart by its hash as well."""

_LOOKALIKE = str.maketrans("аеорсухіјѕԁһԛԝѵгкмнтвαορνικτυχ", "aeopcyxijsdhqwvrkmhtbaopviktux")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_LATIN = re.compile(r"[a-z]")
_DIGITS = re.compile(r"\d+")
_JOINED_DIGITS = re.compile(r"\d+(?:[./-]\d+)+")
_BRACKETS = re.compile(r"[\(\[\{][^()\[\]{}]*[\)\]\}]?")
_PATH = re.compile(r"^[\w.@~:\\/-]*[\\/][\w.@-]+(?::\d+)*$|^[\w@-][\w.@-]*\.[a-z][a-z0-9]{0,5}(?::\d+)*$")
_LINE = re.compile(r"(?::\d+)+$")
_EMAIL = re.compile(r"^([\w.+-]+)@[\w-]+(\.[\w-]+)+$")
_ROMAN = re.compile(r"^(?=[ivx]{2,})x{0,3}(ix|iv|v?i{0,3})$")
_ROMAN_VALUE = {"i": 1, "v": 5, "x": 10}
_ARTICLES = frozenset({"the", "a", "an"})
FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by for from had has have he her his i in into is it its my no not of on or our "
    "she so than that the their them then there these they this to was we were what when which who will with would "
    "you your".split()
)
"""Closed-class English words: in a name they carry no identity. Source: the articles, pronouns, auxiliaries,
conjunctions and prepositions of any English grammar; nothing here comes from a data set. The weights of the signals
were learned with exactly these. `STOP_WORDS` (recall/words.py) are more: what no question asks about; the classes of
language/classes.yaml tell how a sentence of any language is built."""


@dataclass(frozen=True, slots=True)
class NameForm:
    """The forms of one name.

    Attributes:
        key: folded words joined by one space; equal keys are equal names but for surface noise.
        tokens: the words of `key`.
        squash: the words without spaces (`lang chain` = `langchain`), articles left out.
        core: squash of the name without brackets, trailing parts after a comma, line numbers.
        base: last part of a path, local part of an e-mail address or handle, else "".
        folder: words of the folders of a path.
        numbers: numerals of the name, leading zeros dropped, roman ones as digits.
        joined: numbers that a full stop, a hyphen or a slash joins (`2.1`, `10.4.1.12`), each as its parts.
        initials: first letters of the words.
        sides: squashes of the parts of a slash-joined name, else empty.
        codes: identifiers in the name (`KDL-46S4100`, `ISO 9001`), without their inner punctuation.
    """

    key: str
    tokens: tuple[str, ...]
    squash: str
    core: str
    base: str
    folder: frozenset[str]
    numbers: frozenset[str]
    joined: frozenset[tuple[str, ...]]
    initials: str
    sides: tuple[str, ...]
    codes: frozenset[str]


class _Plain(dict[int, int | str | None]):
    """What becomes of each code point: gone if it is a mark or a symbol; looked up once."""

    def __missing__(self, code: int) -> int | str | None:
        mark = unicodedata.category(chr(code)) in ("Mn", "So", "Sk", "Cf", "Co")
        self[code] = None if mark else _LETTERS.get(code, code)
        return self[code]


_PLAIN = _Plain()


def plain_letters(text: str) -> str:
    """Text without accents, invisible marks, symbols (emoji) and letters borrowed from a look-alike script."""
    if text.isascii():
        return text
    flat = unicodedata.normalize("NFKD", text).translate(_PLAIN)
    if not flat.isascii() and _LATIN.search(flat):
        flat = flat.translate(_LOOKALIKE)
    return flat


def word_runs(text: str) -> list[str]:
    """Words of a text as they are written: accents, case and script kept."""
    return _WORD.findall(text)


def words(text: str) -> tuple[str, ...]:
    """Lower-case words of a text, accents folded; the unit of every comparison."""
    return tuple(_WORD.findall(plain_letters(text.casefold())))


def _numeral(token: str) -> str | None:
    if token.isdigit():
        return token.lstrip("0") or "0"
    if _ROMAN.match(token):
        total = 0
        for here, following in zip(token, (*token[1:], ""), strict=True):
            value = _ROMAN_VALUE[here]
            total += -value if following and _ROMAN_VALUE[following] > value else value
        return str(total)
    return None


def _numbers(tokens: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for token in tokens:
        roman = _numeral(token)
        if roman is not None:
            found.add(roman)
        else:
            found.update(run.lstrip("0") or "0" for run in _DIGITS.findall(token))
    return frozenset(found)


def _joined(plain: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(part.lstrip("0") or "0" for part in _DIGITS.findall(found)) for found in _JOINED_DIGITS.findall(plain)
    )


def _codes(plain: str) -> frozenset[str]:
    """Written words that look like identifiers: at least four characters, two digits, not a plain year."""
    found: set[str] = set()
    for word in plain.split():
        code = "".join(c for c in word if c.isalnum())
        digits = sum(c.isdigit() for c in code)
        if len(code) >= 4 and digits >= 2 and (digits < len(code) or len(code) >= 5):
            found.add(code)
    return frozenset(found)


@lru_cache(maxsize=200_000)
def name_form(name: str) -> NameForm:
    """Take one surface name apart; any string is accepted, an empty one gives empty forms."""
    shown = name if len(name) <= NAME_CHARS else name[:NAME_CHARS]
    # A name that is nothing but symbols (`🦊`) is told from others by these.
    plain = canonical(plain_letters(unicodedata.normalize("NFKC", shown))) or canonical(_without_marks(shown))
    base, folder = "", frozenset[str]()
    email = _EMAIL.match(plain)
    path = None if email or " " in plain else _PATH.match(plain)
    if email:
        base = "".join(words(email.group(1)))
    elif path and ("/" in plain or "\\" in plain or "." in plain):
        plain = _LINE.sub("", plain).replace("\\", "/").lstrip("./~")
        head, _, last = plain.rpartition("/")
        base, folder = "".join(words(last)), frozenset(words(head))
    elif plain.startswith("@"):
        base = "".join(words(plain))
    cased = canonical_case(shown) if not (email or path) else plain
    tokens = words(cased) or words(plain)
    if len(name) > NAME_CHARS:
        tokens = (*tokens, f"#{len(name)}")
    content = tuple(t for t in tokens if t not in _ARTICLES) or tokens
    squash = "".join(content) or plain
    bare = _BRACKETS.sub(" ", plain)
    bare = bare.split(",")[0] if "," in bare else bare
    core = "".join(t for t in words(bare) if t not in _ARTICLES) or squash
    parts = [p for p in re.split(r"\s*/\s*", plain) if p.strip()] if not (path and folder and "." in plain) else []
    sides = tuple("".join(words(p)) for p in parts) if len(parts) == 2 and all(words(p) for p in parts) else ()
    return NameForm(
        key=" ".join(tokens) or plain,
        tokens=content,
        squash=squash,
        core=core,
        base=base,
        folder=folder,
        numbers=_numbers(tokens),
        joined=_joined(plain),
        initials="".join(t[0] for t in content if t not in FUNCTION_WORDS),
        sides=sides,
        codes=_codes(plain),
    )


def _without_marks(text: str) -> str:
    return "".join(sign for sign in text if unicodedata.category(sign) not in ("Mn", "Cf"))


def canonical_case(name: str) -> str:
    """The name with joined words (`MayaOkafor`, `session_hook`) split; case is folded afterwards."""
    folded = unicodedata.normalize("NFKC", name)
    return canonical(plain_letters(_CAMEL.sub(" ", folded)))
