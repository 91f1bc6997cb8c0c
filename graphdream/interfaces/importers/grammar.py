"""The lines of a graph file: which kinds there are, which fields each has, and which column a field fills.

One description serves both ways: the importer checks and converts by it, the exporter writes by it, so that what was
exported can be imported. docs/formats.md has every field.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from graphdream.clock import stamp
from graphdream.graph.rows import stored
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    CONTRADICTION,
    DISTINCT_PAIR,
    ENTITY,
    EVIDENCE,
    LINK,
    MENTION,
)

FORMAT = "graphdream/1"
FORMATS = (FORMAT, "graphdream-bloat/1")
# Fields that tell together how a row ended, if it did.
FATE = frozenset({"status", "into", "status_reason", "removed", "absorbed", "of"})

Value = str | int | float | None

_ID_LENGTH = 500  # characters; an id is an index key, not a text
_MOST = 2**53  # counts beyond it are not exact in every JSON reader
_PART_OF_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


# ---------------------------------------------------------------------- what a field may hold


_WORDS: dict[type, str] = {bool: "true or false", str: "text", dict: "an object", list: "a list"}


def _word(value: Any) -> str:
    return _WORDS.get(type(value), "a number")


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"must be text, not {_word(value)}")
    return value


def _filled(value: Any) -> str:
    text = _text(value)
    if not text or text.isspace():
        raise ValueError("is blank")
    return text


def _id(value: Any) -> str:
    if type(value) is not str or not value or len(value) > _ID_LENGTH or not value.isprintable():
        raise ValueError(f"must be text of 1 to {_ID_LENGTH} printable characters")
    return value


def _flag(value: Any) -> int:
    if type(value) is not bool:
        raise ValueError(f"must be true or false, not {_word(value)}")
    return int(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError("must be a whole number from 0 to 2^53")
    return value


def _score(value: Any) -> float:
    """A share of 1, with as many decimals as the graph keeps, so that its text form is exact."""
    if type(value) not in (int, float) or not 0 <= value <= 1 or math.isnan(value):
        raise ValueError("must be a number from 0 to 1")
    return float(stored(float(value)))


def _time(value: Any) -> str:
    return stamp(_text(value))


def _world_time(value: Any) -> str:
    """A time in the world may be known to the year, the month or the day only; such a date stays as it is."""
    if _PART_OF_DATE.fullmatch(_text(value)):
        date.fromisoformat(value + "-01-01"[len(value) - 4 :] if len(value) < 10 else value)
        return str(value)
    return _time(value)


def _object(value: Any) -> str:
    if type(value) is not dict:
        raise ValueError(f"must be an object, not {_word(value)}")
    return _COMPACT(value)


def _texts(value: Any) -> str:
    if type(value) is not list or not all(type(item) is str for item in value):
        raise ValueError("must be a list of texts")
    return _COMPACT(value)


def _anything(value: Any) -> None:
    return None


def _one_of(*words: str) -> Callable[[Any], str]:
    allowed = frozenset(words)

    def check(value: Any) -> str:
        if type(value) is not str or value not in allowed:
            raise ValueError(f"must be one of {', '.join(words)}")
        return value

    return check


# ---------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a line.

    Attributes:
        name: in the line.
        column: what it fills; "" for a field that is known but says nothing the file needs.
        check: turns a JSON value into the column's, or raises ValueError with the rest of the sentence "`name` ...".
        default: the column's value where the line leaves the field out.
        like: name of the column whose value it takes where the line leaves the field out; null stays null.
        required: a line without it is refused.
        always: written even where the value is the default.
        form: how a column is shown in a line: as it is, as true/false, or parsed from JSON text.
    """

    name: str
    column: str
    check: Callable[[Any], Value]
    default: Value = None
    like: str = ""
    required: bool = False
    always: bool = False
    form: str = "plain"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of line: the word in `kind`, its number's name in the meta line, the table it fills, its fields."""

    name: str
    plural: str
    table: str
    fields: tuple[Field, ...]
    has_fate: bool = False  # rows of it can be absorbed or archived

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that its fields fill, in order."""
        return tuple(field.column for field in self.fields if field.column)


def _own_id() -> Field:
    return Field("id", "uid", _id, required=True, always=True)


def _base(name: str, column: str, check: Callable[[Any], Value], default: Value = None, form: str = "plain") -> Field:
    return Field(name, column, check, default, always=True, form=form)


def _needed(name: str, column: str, check: Callable[[Any], Value]) -> Field:
    return Field(name, column, check, required=True, always=True)


def _fate(*statuses: str, status_always: bool = False) -> tuple[Field, ...]:
    """The fields named in `FATE`."""
    return (
        Field("status", "status", _one_of(*statuses), "active", always=status_always),
        Field("into", "absorbed_into", _id),
        Field("status_reason", "status_reason", _text, ""),
        Field("removed", "", _filled),
        Field("absorbed", "", _texts),
        Field("of", "", _filled),
    )


_METADATA = Field("metadata", "metadata", _object, "{}", form="json")
_DERIVED = Field("derived", "derived", _flag, 0, form="flag")
_CREATED = _base("created_at", "first_seen", _time)
_UPDATED = Field("updated_at", "last_seen", _time, like="first_seen")
_SESSION = _base("session_id", "session_key", _text)
_REINFORCEMENT = Field("reinforcement", "reinforcement", _count, 1)
_OF_SESSION = _needed("session_id", "session_key", _filled)

KINDS = (
    Kind("session", "sessions", "session", (
        _needed("id", "key", _filled),
        Field("started_at", "started_at", _time),
        Field("ended_at", "ended_at", _time),
        Field("recorded_at", "recorded_at", _time),
        _METADATA,
    )),
    Kind("session_summary", "session_summaries", "summary", (
        _needed("id", "session_key", _filled),
        _base("started_at", "started_at", _time),
        _base("ended_at", "ended_at", _time),
        _needed("text", "content", _filled),
        Field("recorded_at", "recorded_at", _time),
        Field("tokens", "", _count),
    )),
    Kind("turn", "turns", "turn", (
        _OF_SESSION,
        _needed("position", "position", _count),
        Field("id", "uid", _text),
        _base("speaker", "speaker", _text, ""),
        _needed("content", "content", _text),
        Field("said_at", "said_at", _time),
        _METADATA,
    )),
    Kind("observation", "observations", "observation", (
        _OF_SESSION,
        _needed("position", "position", _count),
        _base("speaker", "speaker", _text, ""),
        _needed("content", "content", _text),
        Field("evidence", "evidence", _texts, "[]", form="json"),
    )),
    Kind("entity", "entities", ENTITY.name, (
        _own_id(),
        _needed("name", "name", _filled),
        _base("type", "type", _text, "unknown"),
        _base("pinned", "pinned", _flag, 0, form="flag"),
        _CREATED,
        Field("updated_at", "last_seen", _time, like="first_seen", always=True),
        _base("session_ids", "sessions", _texts, "[]", form="json"),
        Field("importance", "importance", _score, 0.5),
        Field("mentions", "mentions", _count, 0),
        _DERIVED,
        _METADATA,
        *_fate("active", "archived"),
    ), has_fate=True),
    Kind("alias", "aliases", ALIAS.name, (
        _needed("entity_id", "entity_id", _id),
        _needed("name", "name", _filled),
        Field("source", "source", _text, ""),
    )),
    Kind("aspect", "aspects", ASPECT.name, (
        _own_id(),
        _needed("entity_id", "entity_id", _id),
        _needed("name", "name", _filled),
        _CREATED,
        Field("weight", "weight", _score, 0.5),
        _METADATA,
        *_fate("active", "archived"),
    ), has_fate=True),
    Kind("attribute", "attributes", ATTRIBUTE.name, (
        _own_id(),
        _needed("entity_id", "entity_id", _id),
        _needed("aspect_id", "aspect_id", _id),
        _base("attribute_kind", "kind", _one_of("attribute", "constraint"), "attribute"),
        _needed("content", "content", _filled),
        *_fate("active", "superseded", "archived", status_always=True),
        Field("superseded_by", "superseded_by", _id),
        _base("confidence", "confidence", _score, 0.8),
        _CREATED,
        _UPDATED,
        _SESSION,
        _base("source", "source", _text, ""),
        Field("authority", "authority", _one_of("user", "observed", "inferred", "imported"), "imported"),
        _REINFORCEMENT,
        Field("importance", "importance", _score, 0.5),
        Field("slot", "slot", _text),
        Field("tags", "tags", _texts, "[]", form="json"),
        Field("valid_from", "valid_from", _world_time),
        Field("valid_to", "valid_to", _world_time),
        Field("occurred_at", "occurred_at", _world_time),
        Field("time_precision", "time_precision", _text),
        Field("review_after", "review_after", _world_time),
        _DERIVED,
        _METADATA,
    ), has_fate=True),
    Kind("edge", "edges", LINK.name, (
        _own_id(),
        _needed("source_id", "source_id", _id),
        _base("target_id", "target_id", _text),
        _needed("type", "type", _text),
        _CREATED,
        _UPDATED,
        _SESSION,
        Field("target_ref", "target_ref", _text, ""),
        Field("dangling", "dangling", _flag, 0, form="flag"),
        Field("strength", "strength", _score, 0.5),
        Field("confidence", "confidence", _score, 0.8),
        Field("reason", "reason", _text, ""),
        _REINFORCEMENT,
        _DERIVED,
        _METADATA,
        *_fate("active", "archived"),
    ), has_fate=True),
    Kind("mention", "mentions", MENTION.name, (
        _needed("attribute_id", "attribute_id", _id),
        _needed("entity_id", "entity_id", _id),
    )),
    Kind("evidence", "evidence", EVIDENCE.name, (
        _needed("attribute_id", "attribute_id", _id),
        _needed("session_id", "session_key", _text),
        Field("turn_id", "turn_uid", _text, ""),
        Field("quote", "quote", _text, ""),
        Field("seen_at", "seen_at", _time),
    )),
    Kind("distinct", "distinct", DISTINCT_PAIR.name, (
        _needed("first_id", "first_id", _id),
        _needed("second_id", "second_id", _id),
        Field("reason", "reason", _text, ""),
    )),
    Kind("contradiction", "contradictions", CONTRADICTION.name, (
        _needed("first_id", "first_id", _id),
        _needed("second_id", "second_id", _id),
        Field("slot", "slot", _text, ""),
        _base("status", "status", _one_of("open", "resolved"), "open"),
        Field("resolution", "resolution", _text, ""),
    )),
)  # fmt: skip
BY_NAME = {kind.name: kind for kind in KINDS}
BY_TABLE = {kind.table: kind for kind in KINDS}
