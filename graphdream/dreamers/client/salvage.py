"""What a model wrote -> the items of its answer, whatever stands around them and wherever it was cut off.

Nothing is guessed where guessing could destroy something. A comma too many and a bare line end within a text can only
mean one thing, so they are read as meant. Anything else that is broken is mended (json-repair) only where the item
adds to the graph; one that is cut off is never completed: a cut `"op": "dele` is not a delete.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphdream.mutations.registry import adds

NUMBER_LISTS = ("same", "different", "first", "second", "both")
"""Lists of the numbers of questions that may stand beside `mutations`, or alone."""

MOST_ITEMS = 10_000  # an answer of 64,000 tokens, the longest that providers give, has room for some 4,000
_LONGEST_MENDED = 20_000  # characters; json-repair takes longer than linear time

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_OPENS = re.compile(r"[{\[]")
_ANSWER = re.compile(r"""\{(?:(?:[^{}\[\]]|\[[\d,\s]*\]){0,4000}?[,\s])?\s*["']?mutations["']?\s*:\s*\[""")
_NUMBERED = re.compile(rf"""\{{\s*"(?:{"|".join(NUMBER_LISTS)})"\s*:\s*\[""")
_ITEM = re.compile(r"""\{(?:[^{}\[\]]{0,4000}?[,\s])?\s*["']?op["']?\s*:""")
_NEXT_ITEM = re.compile(r"""\{\s*["']?op["']?\s*:""")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|,(?=\s*[}\]])', re.DOTALL)
_SUMMARY = re.compile(r'"summary"\s*:\s*("(?:[^"\\]|\\.)*")', re.DOTALL)
_NUMBERS = re.compile(rf'"({"|".join(NUMBER_LISTS)})"\s*:\s*\[')
_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(slots=True)
class Item:
    """One item: its value, or why it has none. `text` is what was written."""

    value: Any = None
    fault: str = ""
    text: str = ""


@dataclass(slots=True)
class Found:
    """What an answer holds.

    Attributes:
        items: in the order written.
        fields: what stands beside `mutations`.
        cut: the answer ends before its end.
        faults: what is wrong with the answer as a whole.
        whole: it was read in one piece.
    """

    items: list[Item] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    cut: bool = False
    faults: list[str] = field(default_factory=list)
    whole: bool = False


def find_items(text: str) -> Found:
    """The items of the answer in a text. Never raises; takes time linear in the length of the text."""
    try:
        found = _of_value(_decode(text.strip("\ufeff \t\r\n")))
    except (ValueError, RecursionError):
        found = None
    if found is None:
        found = _Scan(_without_thoughts(text)).found()
    if not found.items and not found.whole:
        found.faults.append("there is no JSON object with `mutations` in the answer")
    if len(found.items) > MOST_ITEMS:
        found.faults.append(f"{len(found.items) - MOST_ITEMS} items beyond the first {MOST_ITEMS} were not read")
        del found.items[MOST_ITEMS:]
    return found


def _without_thoughts(text: str) -> str:
    """The text without blocks of thinking; one that does not end takes all the rest with it."""
    rest = _THOUGHT.sub("", text)
    ends = list(_THOUGHT_ENDS.finditer(rest))  # where the opening mark was part of the prompt
    return rest[ends[-1].end() :] if ends else rest


def _of_value(value: Any) -> Found | None:
    """An answer that was read in one piece; None where the value is no answer."""
    if isinstance(value, dict) and isinstance(value.get("mutations"), list):
        fields = {key: item for key, item in value.items() if key != "mutations"}
        return Found([Item(item) for item in value["mutations"]], fields, whole=True)
    if isinstance(value, dict) and isinstance(value.get("op"), str):
        return Found([Item(value)], whole=True)
    if isinstance(value, dict) and not value.get("mutations") and _has_numbers(value):
        return Found([], {key: item for key, item in value.items() if key != "mutations"}, whole=True)
    if isinstance(value, list) and value and all(isinstance(item, dict) and "op" in item for item in value):
        return Found([Item(item) for item in value], whole=True)
    return None


def _has_numbers(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(name), list) for name in NUMBER_LISTS)


class _Scan:
    """One walk through a text that is not JSON as a whole."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Every failed try costs what it read. A text that is made of beginnings would make that quadratic.
        self._patience = 8 * len(text) + 1_000_000
        self._decoder = json.JSONDecoder(
            strict=False, parse_float=_finite, parse_constant=_refused, object_pairs_hook=_once
        )
        self._answers: list[Found] = []
        self._begins = 0  # where the last of them does
        self._loose = Found()
        self._outside: list[str] = []
        self._broken = False

    def found(self) -> Found:
        """The last answer of the text; else the items that stand in it without one."""
        place = 0
        while (opens := _OPENS.search(self._text, place)) is not None:
            self._outside.append(self._text[place : opens.start()])
            if self._patience < 0 or len(self._current().items) > MOST_ITEMS:
                self._current().faults.append("the rest of the answer was not read")
                break
            place = self._read(opens.start())
        else:
            self._outside.append(self._text[place:])
        if self._answers:
            return self._last_answer()
        if _WORDS.search(re.sub(r"```\w*", "", "".join(self._outside))):
            for item in self._loose.items:
                _distrust(item, "stands in prose, not in an answer")
        return self._loose

    def _last_answer(self) -> Found:
        last = self._answers[-1]
        if len(self._answers) > 1:
            last.faults.append(f"{len(self._answers)} answers were given; only the last one counts")
        if not last.whole and (said := _SUMMARY.findall(self._text)):
            try:
                last.fields.setdefault("summary", json.loads(said[-1], strict=False))
            except ValueError:
                last.faults.append("$.summary: not readable")
        if not last.whole:
            numbers = {said.group(1) for said in _NUMBERS.finditer(self._text, self._begins)}
            last.faults += [f"{name}: not readable" for name in NUMBER_LISTS if name in numbers - last.fields.keys()]
        return last

    def _read(self, start: int) -> int:
        """Read what begins here; return where to go on."""
        try:
            value, end = self._decoder.raw_decode(self._text, start)
        except RecursionError:
            self._patience -= len(self._text) - start  # where it gave up is not told; levels may be long
            return self._broken_at(start, "nested too deep")
        except json.JSONDecodeError as fault:
            unterminated = fault.msg.startswith("Unterminated string")
            # The error counts the lines before it, which is fast, but goes back to the beginning each time.
            self._patience -= (len(self._text) if unterminated else fault.pos) - start + fault.pos // 64 + 1
            return self._broken_at(start, f"not JSON: {fault.msg}")
        except ValueError as fault:
            self._patience -= 5_000
            return self._broken_at(start, f"not JSON: {fault}")
        answer = _of_value(value)
        if answer is not None and not (isinstance(value, dict) and "op" in value):
            self._answers.append(answer)
            self._broken = False
        elif answer is not None and not (self._answers and self._answers[-1].whole):
            self._add(Item(value, text=""))
        return end

    def _broken_at(self, start: int, why: str) -> int:
        """Take note of what begins here and is no JSON; return where to go on."""
        begins = _ANSWER.match(self._text, start)
        if begins is not None or _NUMBERED.match(self._text, start):
            end, answer = self._answer_without_commas(start)
            if answer is not None:
                self._answers.append(answer)
                self._broken = False
                return end
        if begins is not None:
            self._answers.append(Found(fields=_before_items(begins.group())))
            self._begins, self._broken = start, False
            return begins.end()
        if not _ITEM.match(self._text, start) or (self._answers and self._answers[-1].whole):
            return start + 1
        following = _NEXT_ITEM.search(self._text, start + 1)
        end, closed, commas = self._extent(start, following.start() if following is not None else len(self._text))
        written = self._text[start:end]
        self._patience -= len(written)
        item = _mended(written, commas, why) if closed else Item(None, "cut off before its end", written[:300])
        if item.value is None:
            self._broken = True
        self._add(item, mended=True)
        self._current().cut |= not closed and end == len(self._text)
        return end

    def _answer_without_commas(self, start: int) -> tuple[int, Found | None]:
        """Where the answer that begins here ends, and what it holds where only commas too many are wrong with it."""
        end, closed, commas = self._extent(start, len(self._text))
        self._patience -= end - start
        if not closed or not commas:
            return end, None
        try:
            return end, _of_value(_decode(_without(self._text[start:end], commas)))
        except (ValueError, RecursionError):
            return end, None

    def _extent(self, start: int, stop: int) -> tuple[int, bool, list[int]]:
        """Where what begins here ends, whether it is closed there, and which commas in it are one too many."""
        depth, commas = 0, []
        for token in _TOKEN.finditer(self._text, start, stop):
            mark = token.group()
            if mark == ",":
                commas.append(token.start() - start)
            elif mark in "{[":
                depth += 1
            elif mark in "}]":
                depth -= 1
                if depth == 0:
                    return token.end(), True, commas
        return stop, False, []

    def _add(self, item: Item, *, mended: bool = False) -> None:
        if self._broken and not mended:
            # Behind an item whose end is not certain, what looks like the next one may be a text within it.
            _distrust(item, "stands behind an item that is broken")
        self._current().items.append(item)

    def _current(self) -> Found:
        return self._answers[-1] if self._answers else self._loose


def _before_items(opening: str) -> dict[str, Any]:
    """What an answer that is broken further on says before its mutations; nothing where that is broken, too."""
    try:
        fields = _decode(opening + "]}")
    except (ValueError, RecursionError):
        return {}
    return {name: value for name, value in fields.items() if name != "mutations"}


def _without(written: str, places: list[int]) -> str:
    """The text without the signs at these places, which are in order."""
    ends = (*places, len(written))
    return "".join(written[begin:end] for begin, end in zip((0, *(place + 1 for place in places)), ends, strict=True))


def _mended(written: str, commas: list[int], why: str) -> Item:
    if commas:
        try:
            return Item(_decode(_without(written, commas)))
        except (ValueError, RecursionError):
            pass
    fault = Item(None, why, written[:300])
    if len(written) > _LONGEST_MENDED or "nested" in why:
        return fault
    import json_repair

    try:
        value = json_repair.loads(written, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, TypeError):
        return fault
    return Item(value) if isinstance(value, dict) and _adds(value) else fault


def _adds(value: Mapping[str, Any]) -> bool:
    return adds(value.get("op"))


def _distrust(item: Item, why: str) -> None:
    if isinstance(item.value, dict) and not _adds(item.value):
        item.text = json.dumps(item.value, ensure_ascii=False)[:300]
        item.value, item.fault = None, why


def _decode(text: str) -> Any:
    """JSON that means one thing: no key twice, no number that is none. Bare line ends in texts are taken as they are.

    Raises:
        ValueError, RecursionError: it is no such JSON.
    """
    return json.loads(text, strict=False, parse_float=_finite, parse_constant=_refused, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: Mapping[str, Any] = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return dict(made)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _refused(text: str) -> float:
    raise ValueError(f"{text} is no number")
