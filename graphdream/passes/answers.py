"""What a model wrote -> the answer that a pass accepts, whatever stands around it.

The last whole JSON object that fits counts: what comes before it may be thought, prose, or a first try. Nothing is
completed: an answer that was cut off is told so, and asked for again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

LONGEST = 2_000_000  # characters; the longest answer that a provider gives has a tenth of it
_MOST_TRIES = 2_000
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_OPENS = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_TRAILING = re.compile(r",(\s*[}\]])")

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class AnswerPart(BaseModel):
    """Base of what answers are made of: names in camelCase or snake_case; what else stands there is passed over."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class Answer(AnswerPart):
    """Base of the answers: lists that are missing are empty."""

    summary: str = Field(default="", description="in a sentence or two, what you did and why, as a note to yourself")


class UnreadableAnswerError(ValueError):
    """The text holds no answer of the form that was asked for; the message says why, for the model to mend."""


def read_answer(text: str, form: type[AnswerT], *, cut: bool = False) -> AnswerT:
    """The answer in a text.

    Args:
        cut: the provider says that the text ends at its limit.

    Raises:
        UnreadableAnswerError: there is none.
    """
    if len(text) > LONGEST:
        raise UnreadableAnswerError(f"the answer has {len(text):,} characters; at most {LONGEST:,} are read")
    why = "there is no JSON object in the answer"
    found = [_folded(value, form) for value in _objects(_without_thoughts(text))]
    known = {info.alias or name for name, info in form.model_fields.items()}
    # An empty object in prose is none; one alone says that nothing is to be done.
    saying = [value for value in found if not known.isdisjoint(value)] or [value for value in found if not value]
    if found and not saying:
        why = f"the object has none of the fields {', '.join(sorted(known))}"
    for value in reversed(saying):
        try:
            return form.model_validate(value)
        except ValidationError as fault:
            why = "; ".join(_told(one) for one in fault.errors(include_url=False)[:5])
    raise UnreadableAnswerError("the answer was cut off before its end" if cut else why)


def _told(fault: Any) -> str:
    return f"{'.'.join(str(part) for part in fault['loc']) or '$'}: {fault['msg']}"


def _without_thoughts(text: str) -> str:
    rest = _THOUGHT.sub("", text)
    ends = list(_THOUGHT_ENDS.finditer(rest))  # where the opening mark was part of the prompt
    rest = rest[ends[-1].end() :] if ends else rest
    opens = _THOUGHT_OPENS.search(rest)  # a thought that never ends: what stands in it was not said
    return rest[: opens.start()] if opens and "{" not in rest[opens.end() :] else rest


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects of a text, in order; after so many tries the rest is not read."""
    decoder = json.JSONDecoder(strict=False)
    # Every failed try costs what it read; a text that is made of beginnings would make that quadratic.
    place, tries, patience = 0, 0, 8 * len(text) + 1_000_000
    while tries < _MOST_TRIES and patience > 0 and (start := text.find("{", place)) >= 0:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except RecursionError:
            patience -= len(text) - start
            place = start + 1
            continue
        except json.JSONDecodeError as fault:
            closes = _closing(text, start)
            patience -= fault.pos - start + (len(text) if closes is None else closes) - start
            value, end = _mended(text, start, closes, decoder)
        if isinstance(value, dict):
            yield value
        place = end


def _mended(text: str, start: int, end: int | None, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """An object with commas too many, which can mean only one thing; (None, where to go on) where it is none."""
    if end is None:
        return None, start + 1
    try:
        return decoder.decode(_TRAILING.sub(r"\1", text[start:end])), end
    except (ValueError, RecursionError):
        return None, start + 1


def _closing(text: str, start: int) -> int | None:
    """Where the object that begins here ends; None where it does not. Braces within texts do not count."""
    depth = 0
    for found in _MARK.finditer(text, start):
        mark = found.group()
        depth += (mark in "{[") - (mark in "}]")
        if depth == 0 and mark in "}]":
            return found.end()
    return None


_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def _folded(value: Mapping[str, Any], form: type[BaseModel]) -> dict[str, Any]:
    """The object with the names of its fields as the form writes them, whatever their capitals; null lists left out."""
    known = {
        spelled.casefold(): (info.alias or name, info)
        for name, info in form.model_fields.items()
        for spelled in (name, info.alias or name)
    }
    folded: dict[str, Any] = {}
    for key, part in value.items():
        name, info = known.get(key.casefold(), (key, None))
        if info is None:
            folded[key] = part
        elif part is not None:
            folded[name] = _inner(part, info.annotation)
    return folded


def _inner(part: Any, annotation: Any) -> Any:
    inner = next((arg for arg in getattr(annotation, "__args__", ()) if isinstance(arg, type)), None)
    if isinstance(part, list) and inner is not None and issubclass(inner, BaseModel):
        return [_folded(item, inner) if isinstance(item, dict) else item for item in part]
    return part
