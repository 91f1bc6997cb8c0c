"""Markdown cut into statements: list items, table rows and sentences, each with its headings, its line and its day.

Marks of Markdown and of writing decide, never words, so notes of any language are cut alike. Source of the marks:
CommonMark 0.31.2 (blocks), GitHub Flavored Markdown (tables), Unicode UAX #29 (ends of sentences, rule SB8).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date

from graphdream.language.calendar import is_within_a_day, month_called
from graphdream.language.folding import fold
from graphdream.language.scripts import STROKE, is_unspaced, struck_out, without_struck
from graphdream.recall.when import windows

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-+)\s*$")
_RULE = re.compile(r"\s{0,3}([-*_])(?:\s*\1){2,}\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•‣◦]|\d{1,9}[.)．、])\s+(\S.*)$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_CELL_END = re.compile(r"(?<!\\)\|")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAGS_ONLY = re.compile(r"\s*(?:</?[A-Za-z][^<>]*>\s*)+$")
_PICTURES_ONLY = re.compile(r"\s*(?:\[?!\[[^\]]*\]\([^)]*\)\]?(?:\([^)]*\))?\s*)+$")
_LINK = re.compile(r"!?\[\[?([^\]\[]*)\]\]?(?:\([^()]*\))?")
_LABEL = re.compile(r"(\*\*|__)(?P<text>[^*_]+?)\1\s*[:：]?$")
_BLANKS = re.compile(r"\s+")
_OPENING = "\"'(*_`“‘«„「『【（"
# Sentence_Terminal signs that a blank has to follow, and those of scripts that write without blanks (UAX #44).
_SENTENCE_END = re.compile(r"(?<=[.!?؟۔।॥։።።‼⁇⁈⁉…])[\"')\]*_”’»]*\s+|(?<=[。！？｡])[」』”）]*\s*")
_DAYS = (
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)([-_/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)\s*[年년]\s*(?P<m>\d{1,2})\s*[月월]\s*(?P<d>\d{1,2})\s*[日일]"),
)
# `3. März 2026`, `3 de marzo de 2026`, `3rd of March 2026`; the month in any language.
_NAMED_DAY = re.compile(
    r"(?<!\d)(?P<d>\d{1,2})(?:\.|st|nd|rd|th|er|º|°)?\s+(?:(?:de|of)\s+)?(?P<name>[^\W\d_]{3,})\.?,?\s+(?:de\s+)?"
    r"(?P<y>(?:19|20)\d\d)(?!\d)"
)
_OPENS = re.compile(r"[\s*_`(\[]*$")  # what may stand before the day that a line opens with
_FOLLOWS = re.compile(r"[\s*_`)\]]*[:：–—|-]|[*_`)\]]+\s")  # and what shows that the line is about that day
_CLOSES = re.compile(r"[)\]）][\s*_`.。]*$")
_FEWEST = 2  # words; a shorter item says nothing by itself, and is told with what it stands under
_LEAD_WORDS = 6  # an item of so many words at most, without a sentence's end, leads in what is nested below it
_SIGNS_A_WORD = 2  # of wide scripts without blanks
_LETTERS_A_WORD = 4  # of the alphabets without blanks, such as Thai, whose words have four to five letters on average


@dataclass(frozen=True, slots=True)
class Statement:
    """What one list item, table row or sentence says.

    Attributes:
        line: where it begins, counted from 1.
        headings: what it stands under, outermost first, each with its level: 1 to 6, 7 for a label above a list.
        text: on one line, marks of emphasis and links as they are written.
        day: the day that the innermost dated heading gives, `2026-04-01`, or "".
        struck: the item, the row or the paragraph is struck out, all of it: it says what does not hold any more.
    """

    line: int
    headings: tuple[tuple[int, str], ...]
    text: str
    day: str
    struck: bool = False


@dataclass(slots=True)
class CutText:
    """The statements of a text in order, and its headings of the first level."""

    statements: list[Statement] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)


def cut(text: str) -> CutText:
    """Cut a Markdown text. Front matter, code, comments, pictures and rules say nothing and are passed over."""
    cutter = _Cutter()
    for number, line in enumerate(_without_comments(text).splitlines(), 1):
        cutter.take(number, line)
    cutter.end_block()
    return cutter.found


def plain_heading(text: str) -> str:
    """A heading as a name: without links, emphasis, pictograms and sentence signs around it."""
    text = _LINK.sub(r"\1", text)
    kept = "".join(sign for sign in text if unicodedata.category(sign) not in ("So", "Sk", "Cf"))
    return _BLANKS.sub(" ", re.sub(r"[*`#]", "", kept)).strip(" -—–:：·|\ufe0f")


def day_of(text: str) -> str:
    """The last day that a heading or a file's name gives, `2026-04-01`; "" for none, or one that is no day."""
    found = _days_in(text)
    if found:
        return max(found, key=lambda one: one[0].start())[1]
    spans = [window for window in windows(text, ())[0] if _is_day(window.start, window.end)]
    return spans[-1].start if spans else ""


def own_day(text: str) -> str:
    """The day that a line itself says it is about: which it opens with, set off (`2026-03-09: paid the plumber`), or
    closes with in brackets (`paid the plumber (2026-03-09)`); "" where it does not."""
    found = _days_in(text)
    for match, day in found:
        if _OPENS.fullmatch(text, 0, match.start()) and _FOLLOWS.match(text, match.end()):
            return day
    closing = [day for match, day in found if text[: match.start()][-1:] in ("(", "[", "（")
               and _CLOSES.match(text, match.end())]  # fmt: skip
    return closing[0] if closing else ""


def _days_in(text: str) -> list[tuple[re.Match[str], str]]:
    """Where a text names days, and each day, `2026-04-01`; what is no day is left out."""
    found = [(match, match["m"]) for form in _DAYS for match in form.finditer(text)]
    found += [(match, month_called(fold(match["name"])) or 0) for match in _NAMED_DAY.finditer(text)]
    days = []
    for match, month in found:
        with suppress(ValueError):
            days.append((match, date(int(match["y"]), int(month), int(match["d"])).isoformat()))
    return days


def _is_day(start: str, end: str) -> bool:
    return (date.fromisoformat(end) - date.fromisoformat(start)).days == 1


def _without_comments(text: str) -> str:
    """Comments and front matter blanked, so that lines keep their numbers."""
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = text.split("\n")
    fence = lines[0].rstrip()
    if fence in ("---", "+++"):
        closing = (fence, "...") if fence == "---" else (fence,)
        for at in range(1, len(lines)):
            if lines[at].rstrip() in closing:
                return "\n" * (at + 1) + "\n".join(lines[at + 1 :])
    # A form feed and its like end a line for `splitlines`, and would shift the numbers.
    return "\n".join(re.sub(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", " ", line) for line in lines)


@dataclass(slots=True)
class _Item:
    """A list item that is open: more lines, or nested items, may follow."""

    line: int
    indent: int
    text: str
    leads: tuple[str, ...]


class _Cutter:
    """Goes through a text line by line; what is open is a paragraph, a list with its last item, or a table."""

    def __init__(self) -> None:
        self.found = CutText()
        self._headings: dict[int, str] = {}
        self._days: dict[int, str] = {}
        self._fence = ""
        self._paragraph: list[tuple[int, str]] = []
        self._items: list[_Item] = []
        self._open: _Item | None = None
        self._table: list[str] | None = None
        self._first_row: tuple[int, list[str]] | None = None
        self._blank = True

    def take(self, number: int, line: str) -> None:
        """Take the next line."""
        if self._in_code(line):
            return
        bare = _QUOTE.sub("", line) if _QUOTE.match(line) else line
        if not bare.strip():
            self.end_block()
            self._blank = True
            return
        was_blank, self._blank = self._blank, False
        if was_blank and not self._items and re.match(r" {4}|\t", bare) and not _ITEM.match(bare):
            self._blank = True  # indented code, up to the first line that is not
            return
        if self._heading(bare):
            return
        if _RULE.match(bare):
            self.end_block()
            self._leave_list()
            return
        if _TAGS_ONLY.match(bare) or _PICTURES_ONLY.match(bare):
            self.end_block()
            return
        if self._row(number, bare):
            return
        if item := _ITEM.match(bare):
            self._begin_item(number, len(item[1].expandtabs(4)), item[2])
        elif self._open is not None and bare[:1].isspace():
            self._open.text += " " + bare.strip()
        elif self._open is not None and not was_blank:
            self._open.text += " " + bare.strip()  # a lazy continuation line
        else:
            if not bare[:1].isspace():
                self._leave_list()
            self._paragraph.append((number, bare.strip()))

    def _in_code(self, line: str) -> bool:
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not line.strip().strip(fence[1][0]):
                self._fence = ""
            return True
        if fence:
            self.end_block()
            self._fence = fence[1]
            return True
        return False

    def _heading(self, line: str) -> bool:
        """Take a heading: `## Title`, or a line underlined with `===` or `---`."""
        if found := _HEADING.match(line):
            self.end_block()
            self._enter(len(found[1]), found[2] or "")
            return True
        underline = _UNDERLINE.match(line)
        if underline and len(self._paragraph) == 1 and not _ends(self._paragraph[0][1]):
            title = self._paragraph.pop()[1]
            self._enter(1 if underline[1][0] == "=" else 2, title)
            return True
        return False

    def _enter(self, level: int, title: str) -> None:
        title = _BLANKS.sub(" ", title).strip().strip("*_").strip()
        self._headings = {at: text for at, text in self._headings.items() if at < level}
        self._days = {at: day for at, day in self._days.items() if at < level}
        self._items = []
        if title:
            self._headings[level] = title
            if day := day_of(title):
                self._days[level] = day
            if level == 1:
                self.found.titles.append(title)

    def _leave_list(self) -> None:
        self._items = []
        self._headings.pop(_LABEL_LEVEL, None)

    # ------------------------------------------------------------------ tables

    def _row(self, number: int, line: str) -> bool:
        """Take a row of a table; the one above the rule names the columns of the others."""
        if "|" not in line or _ITEM.match(line) or not (line.lstrip().startswith("|") or self._table is not None):
            self._end_table()
            return False
        if _TABLE_RULE.match(line):
            self._table = self._first_row[1] if self._first_row else []
            self._first_row = None
            return True
        cells = [_LINE_BREAK.sub(" ", cell).strip() for cell in _CELL_END.split(line.strip().strip("|"))]
        if self._table is None:
            self.end_block()
            self._first_row, self._table = (number, cells), []
        else:
            self._end_first_row()
            self._add(number, _row_text(cells, self._table), struck=_is_struck(" ".join(cells)))
        return True

    def _end_first_row(self) -> None:
        """A first row that no rule follows is a row like the others."""
        if self._first_row is not None:
            number, cells = self._first_row
            self._first_row = None
            self._add(number, _row_text(cells, []), struck=_is_struck(" ".join(cells)))

    def _end_table(self) -> None:
        self._end_first_row()
        self._table = None

    # ------------------------------------------------------------------ lists and paragraphs

    def _begin_item(self, number: int, indent: int, text: str) -> None:
        if self._open is not None and self._open.indent < indent and _word_count(self._open.text) < _FEWEST:
            self._open = None  # it says only what those nested below it are about, and leads them in
        self.end_block()
        while self._items and self._items[-1].indent >= indent:
            self._items.pop()
        leads = tuple(lead for item in self._items if (lead := _lead(item.text)))
        self._open = _Item(number, indent, text, leads)
        self._items.append(self._open)

    def end_block(self) -> None:
        """A paragraph, an item or a table is at its end."""
        self._end_table()
        if self._open is not None:
            item, self._open = self._open, None
            if not _announces(item.text):
                text = ": ".join((*item.leads, item.text)) if item.leads else self._placed(item.text)
                self._add(item.line, text, struck=_is_struck(item.text))
        if self._paragraph:
            lines, self._paragraph = self._paragraph, []
            whole = " ".join(text for _, text in lines)
            if _announces(whole) and _word_count(whole) <= 2 * _LEAD_WORDS:
                self._leave_list()
                self._headings[_LABEL_LEVEL] = _unmarked(whole)
            else:
                struck = _is_struck(whole)
                for number, sentence in _sentences_of(lines):
                    # A stroke through several sentences goes through each of them.
                    text = f"{STROKE}{unstruck(sentence).strip()}{STROKE}" if struck else sentence
                    self._add(number, text, struck=struck or _is_struck(sentence))

    def _add(self, number: int, text: str, *, struck: bool = False) -> None:
        text = _BLANKS.sub(" ", text).strip()
        if not any(sign.isalnum() for sign in text) or _announces(text):
            return
        day = self._days[max(self._days)] if self._days else ""
        self.found.statements.append(Statement(number, tuple(sorted(self._headings.items())), text, day, struck))

    def _placed(self, item: str) -> str:
        """An item of a list; one of a single word with what it stands under."""
        if _word_count(item) >= _FEWEST or not self._headings:
            return item
        return f"{_unmarked(self._headings[max(self._headings)])}: {item}"


_BOX = re.compile(r"^\s*\[[ xX]\]")
_LABEL_LEVEL = 7  # below every heading
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def _row_text(cells: list[str], names: list[str]) -> str:
    """`a: b` for two columns; for more, the first cell, then each further one with the name of its column."""
    told = [(names[at] if at < len(names) else "", cell) for at, cell in enumerate(cells) if _says_something(cell)]
    if len(cells) == 2 and len(told) == 2:
        return f"{told[0][1]}: {told[1][1]}"
    if len(told) < 2:
        return told[0][1] if told and len(cells) == 1 else ""
    return " | ".join([told[0][1], *(f"{name}: {cell}" if name else cell for name, cell in told[1:])])


def unstruck(text: str) -> str:
    """A text without the strokes through it."""
    return text.replace(STROKE, "")


def _is_struck(text: str) -> bool:
    """Whether all that a text says is struck out; a box before it says nothing."""
    if not struck_out(text):
        return False
    return not any(sign.isalnum() for sign in without_struck(_BOX.sub("", text)))


def _says_something(cell: str) -> bool:
    return any(sign.isalnum() or unicodedata.category(sign) == "So" for sign in cell)


def _ends(text: str) -> bool:
    return bool(_SENTENCE_END.search(text + " ")) and _SENTENCE_END.split(text + " ")[-1] == ""


def _unmarked(text: str) -> str:
    return text.strip().strip("*_").rstrip(":： ").strip("*_ ")


def _announces(text: str) -> bool:
    """Whether a text only leads in what follows it: it ends in a colon, or is nothing but bold."""
    return text.rstrip("*_ ").endswith((":", "：")) or bool(_LABEL.match(text.strip()))


def _lead(text: str) -> str:
    """What an item says before those nested below it; "" where it is a sentence of its own."""
    if _announces(text) or (not _ends(text) and _word_count(text) <= _LEAD_WORDS):
        return _unmarked(text)
    return ""


def _word_count(text: str) -> float:
    """Words; of scripts that write without blanks, every second wide sign counts for one, and every fourth letter.
    A wide colon parts two."""
    count = 0.0
    for word in text.replace("：", " ").split():
        signs = [sign for sign in word if sign.isalnum()]
        wide = sum(unicodedata.east_asian_width(sign) == "W" for sign in signs)
        letters = sum(is_unspaced(sign) and unicodedata.east_asian_width(sign) != "W" for sign in signs)
        count += max(wide / _SIGNS_A_WORD + letters / _LETTERS_A_WORD, bool(signs))
    return count


def _sentences_of(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph, with the line that each begins in."""
    starts, whole = [], ""
    for number, text in lines:
        starts.append((len(whole), number))
        whole += text + " "
    at = 0
    for sentence in _sentences(whole.rstrip()):
        at = whole.index(sentence, at)
        yield max(number for start, number in starts if start <= at), sentence
        at += len(sentence)


def _sentences(text: str) -> Iterator[str]:
    """Split where a sentence ends: not inside brackets or a day, before a small letter, or after an abbreviation."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        done, rest = text[start : end.end()].rstrip(), text[end.end() :].lstrip(_OPENING)
        if not rest or rest[0].islower() or done.count("(") > done.count(")") or _abbreviates(done):
            continue
        if is_within_a_day(done, rest):
            continue
        yield done
        start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def _abbreviates(done: str) -> bool:
    """Whether the full stop at the end shortens a word: a letter alone (`J.`), letters with stops (`e.g.`), a word
    of two letters that begins with a capital (`Dr.`, `Nr.`)."""
    if not done.endswith("."):
        return False
    word = (done[:-1].split() or [""])[-1].lstrip(_OPENING)
    if (len(word) == 1 and word.isalpha()) or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word):
        return True
    return word.isalpha() and len(word) <= 2 and word[0].isupper() and word[1:].islower()
