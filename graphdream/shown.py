"""How remembered text is shown: signs that steer a terminal, turn the writing around or hide something, spelled out.

A memory holds what anybody ever said to an agent. An escape sequence in it would recolour or rewrite the terminal that
it is shown on, a mark of writing direction would show other text than there is, and signs without a width carry words
that a person does not see and a model reads. Whoever writes for a person or a model asks here; what is stored is left
alone, and JSON keeps it, by escapes of its own.

What ordinary text needs of these signs stays where it does its work: joiners within emoji and in the scripts that join
letters, variation selectors behind a sign, marks of direction beside right-to-left letters, breaks in Thai.

Source: Unicode Technical Reports 36 and 39 (what misleads), the property Default_Ignorable_Code_Point (what is not
seen), RFC 5892, appendix A (where joiners belong), Unicode Technical Standard 51 (emoji sequences).
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False  # as a type checker reads it; a hook loads this, and to load `typing` takes it long
if TYPE_CHECKING:
    from collections.abc import Callable

_TAG_ZERO, _TAG_NINE, _TAG_A, _TAG_Z, _TAG_END = (chr(0xE0000 + ord(sign)) for sign in "09az\x7f")
_FLAG = f"\U0001f3f4[{_TAG_ZERO}-{_TAG_NINE}{_TAG_A}-{_TAG_Z}]{{4,6}}{_TAG_END}"  # of a part of a country
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb\ud800-\udfff"
_IGNORABLE = (  # Default_Ignorable_Code_Point of Unicode 16: what is drawn as nothing, and the controls of direction
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_LAYOUT = "\n\t"  # what text of several lines may have
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MARKS = "\u200e\u200f\u061c"
_JOINERS = "\u200c\u200d"
_SOFT_HYPHEN, _BREAK, _NON_JOINER, _EMOJI_LOOK = "\xad", "\u200b", "\u200c", "\ufe0f"
_NEAR = 20  # signs within which there is a right-to-left letter for a mark of direction to set something beside
# Scripts that join letters: Arabic to N'Ko and their extensions, Mongolian, Phags-pa, Manichaean to Sogdian, Adlam.
_JOINING = ((0x0600, 0x08FF), (0x1800, 0x18AF), (0xA840, 0xA87F), (0x10AC0, 0x10FFF), (0x1E900, 0x1E95F))
# Scripts that put no blanks between words: Thai, Lao, Tibetan, Burmese, Khmer, Tai Le, New Tai Lue, Tai Tham.
_UNSPACED = ((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19FF), (0x1A20, 0x1AAF), (0xA9E0, 0xAA7F))
_MONGOLIAN = ((0x1800, 0x18AF),)
_OLD_KOREAN = ((0x1100, 0x11FF),)


def shown(text: str) -> str:
    """Text of several lines as it is shown: line feeds and tabs stay, "\\r\\n" is a line feed."""
    if _is_plain(text.replace("\n", "")) or _suspects().search(text) is None:
        return text
    return _suspects().sub(lambda found: found[0] if found[0] in _LAYOUT else _spelled(found, _escape), _unix(text))


def printable(text: str) -> str:
    """Text as it is shown on one line: what would begin another one is spelled out, too."""
    if _is_plain(text) or _suspects().search(text) is None:
        return text
    return _suspects().sub(lambda found: _spelled(found, _escape), text)


def json_shown(text: str) -> str:
    """The same for text that is JSON, by escapes of JSON, so that whoever parses it gets what is stored."""
    if _suspects().search(text) is None:
        return text
    return _suspects().sub(lambda found: found[0] if found[0] in "\r\n\t" else _spelled(found, _json_escape), text)


def xml_shown(text: str) -> str:
    """The same for text that is XML, by references to characters."""
    if _suspects().search(text) is None:
        return text
    return _suspects().sub(lambda found: found[0] if found[0] in "\r\n\t" else _spelled(found, _xml_escape), text)


def values_shown(value: object) -> object:
    """Plain data (objects, lists, texts) with every text in it as `shown`."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {values_shown(key): values_shown(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [values_shown(one) for one in value]
    return value


def without_hidden(text: str) -> str:
    """The text as somebody reads it who does not see what is hidden in it: without the signs that are spelled out."""
    return _suspects().sub(lambda found: found[0] if found[0] in _LAYOUT else _spelled(found, lambda sign: ""), text)


def _is_plain(text: str) -> bool:
    """Whether a text has nothing but the letters and signs of ASCII, so that a short command need not load what looks
    for the others."""
    return text.isascii() and text.isprintable()


@cache
def _suspects() -> re.Pattern[str]:
    return re.compile(f"{_FLAG}|[{_CONTROLS}{_IGNORABLE}]")


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def _spelled(found: re.Match[str], escape: Callable[[str], str]) -> str:
    sign = found[0]
    if len(sign) > 1 or _is_at_home(sign, found.string, found.start()):
        return sign
    return escape(sign)


def _escape(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(sign: str) -> str:
    code = ord(sign)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _xml_escape(sign: str) -> str:
    code = ord(sign)
    allowed = 0x7F <= code < 0xD800 or code >= 0xE000  # XML 1.0 has no way to write the others
    return f"&#x{code:x};" if allowed else _escape(sign)


# ---------------------------------------------------------------------- what ordinary text needs


def _is_at_home(sign: str, text: str, at: int) -> bool:
    """Whether a sign that is not seen does what it is for where it stands."""
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if sign in _JOINERS:
        return _joins(sign, before, after)
    if sign in _MARKS:
        return before not in _MARKS and _has_rtl(text[max(at - _NEAR, 0) : at + _NEAR])
    if "\ufe00" <= sign <= _EMOJI_LOOK or "\U000e0100" <= sign <= "\U000e01ef":
        return _selects(sign, before)
    if sign == _BREAK:
        return _within(before, _UNSPACED) and _within(after, _UNSPACED)
    if sign == _SOFT_HYPHEN:
        return before.isalpha() and after.isalpha()
    if "\u180b" <= sign <= "\u180f":
        return _within(before, _MONGOLIAN)
    if sign in "\u115f\u1160":
        return _within(before, _OLD_KOREAN) or _within(after, _OLD_KOREAN)
    return False


def _joins(sign: str, before: str, after: str) -> bool:
    """A joiner within an emoji, behind a virama, or at a letter of a script that joins letters."""
    from unicodedata import category, combining

    if not before or before in _JOINERS:
        return False
    if combining(before) == 9:  # Virama
        return True
    if _within(before, _JOINING) or _within(after, _JOINING):
        return before.isalnum() or category(before)[0] == "M" if sign == _NON_JOINER else True
    return sign != _NON_JOINER and (before == _EMOJI_LOOK or _is_picture(before)) and _is_picture(after)


def _is_picture(sign: str) -> bool:
    """Whether a sign may be a part of an emoji: arrows and the modifiers of skin colour are among them."""
    from unicodedata import category

    return sign >= "\u2190" and category(sign) in ("So", "Sm", "Sk")


def _selects(sign: str, before: str) -> bool:
    """A variation selector behind a sign that has variants; behind a letter of an alphabet, or another selector, it is
    a way to hide a number."""
    from unicodedata import category

    if not before:
        return False
    kind = category(before)
    if sign >= "\ufe0e" and sign <= _EMOJI_LOOK:
        return kind[0] in "SPN"
    return kind in ("Lo", "So", "Sm", "Nd") and not _within(before, _JOINING)


def _has_rtl(text: str) -> bool:
    """Whether a letter of a script that is written from right to left is in a text."""
    from unicodedata import bidirectional

    return any(bidirectional(sign) in ("R", "AL") for sign in text if sign not in _MARKS)


def _within(sign: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return sign != "" and any(low <= ord(sign) <= high for low, high in ranges)
