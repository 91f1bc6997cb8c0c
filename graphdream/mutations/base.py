"""What mutations are made of: their base, and field types that say what a field stands for.

Everything else about an operation is derived from the types of its fields and from its declaration
(`graphdream.mutations.op`): which rows it addresses, which names and texts it writes, the schema, the documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

RoleName = Literal[
    "entity", "fact", "link", "row", "aspect", "name", "type", "text", "rewording", "session", "turn", "quote", "time",
    "replacement", "slot", "tag", "precision",
]  # fmt: skip
ADDRESSING: frozenset[RoleName] = frozenset({"entity", "fact", "link", "row", "replacement"})
"""The roles of fields that address a row, by handle or by a name or text that a handle may stand for."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a field stands for.

    `entity`, `fact`, `link`, `row` address a row; `aspect` names one of an entity; `name` is a name that is written,
    `text` words that are written and have to be grounded, `replacement` such words or the handle of a fact,
    `rewording` a text that replaces others; `session`, `turn`
    and `quote` are what a text beside them rests on.
    """

    name: RoleName


class HostsOwn:
    """Marks a field that a model is not told of: the host counts, dates and weighs."""


HOSTS_OWN = HostsOwn()

EntityRef = Annotated[str, Role("entity"), Field(min_length=1, description="handle (e12) or name of an entity")]
FactRef = Annotated[
    str, Role("fact"), Field(min_length=1, description="handle (a345) or, with `entity`, the exact content of a fact")
]
FactHandle = Annotated[str, Role("fact"), Field(pattern=r"^a\d{1,18}$", description="handle of a fact, such as a345")]
LinkHandle = Annotated[str, Role("link"), Field(pattern=r"^l\d{1,18}$", description="handle of a link, such as l7")]
RowHandle = Annotated[str, Role("row"), Field(pattern=r"^[aesl]\d{1,18}$", description="handle of any row")]
SomeEntity = Annotated[str, Role("entity")]
SomeFact = Annotated[str, Role("fact"), Field(description="handle of a fact")]
AspectName = Annotated[str, Role("aspect"), Field(min_length=1)]
SomeAspect = Annotated[str, Role("aspect")]
Name = Annotated[str, Role("name"), Field(min_length=1)]
SomeName = Annotated[str, Role("name")]
TypeName = Annotated[str, Role("type"), Field(min_length=1)]
SomeType = Annotated[str, Role("type")]
Text = Annotated[str, Role("text"), Field(min_length=1)]
Replacement = Annotated[str, Role("replacement"), Field(min_length=1)]
Slot = Annotated[str, Role("slot")]
Session = Annotated[str, Role("session")]
Quote = Annotated[str, Role("quote")]
Turns = Annotated[tuple[Annotated[str, Role("turn")], ...], HOSTS_OWN]
Tags = Annotated[tuple[Annotated[str, Role("tag")], ...], HOSTS_OWN]
OwnTime = Annotated[str, Role("time"), HOSTS_OWN]
Time = Annotated[str, Role("time")]
Precision = Annotated[Literal["", "year", "month", "day", "time"], Role("precision"), HOSTS_OWN]
Share = Annotated[float, Field(ge=0, le=1)]
OwnShare = Annotated[float, Field(ge=0, le=1), HOSTS_OWN]
Mentions = Annotated[SkipJsonSchema[tuple[EntityRef, ...]], HOSTS_OWN]


class Mutation(BaseModel):
    """Shared by every mutation: why it was proposed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    if TYPE_CHECKING:

        @property
        def op(self) -> str:
            """The name of the operation."""

    reason: str = Field(default="", description="one sentence, for the journal")


class NewFact(BaseModel):
    """A fact as it is first written, with what it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: Text
    kind: Literal["attribute", "constraint"] = "attribute"
    confidence: OwnShare = 0.8
    importance: OwnShare = 0.5
    tags: Tags = ()
    session: Session = Field(default="", description="key of the session that says so")
    turns: Turns = Field(default=(), description="ids of the turns that say so")
    quote: Quote = Field(default="", description="the words it rests on")
    known_at: OwnTime = Field(default="", description="when it was learned, ISO 8601; default: now")
    valid_from: Time = Field(default="", description="since when it holds in the world, ISO 8601")
    valid_to: OwnTime = Field(default="", description="until when it holds in the world, ISO 8601")
    occurred_at: Time = Field(default="", description="when it happened, ISO 8601")
    precision: Precision = Field(default="", description="how exactly these times are known")
    review_after: OwnTime = Field(default="", description="when to look whether it still holds, ISO 8601")
    slot: Slot = Field(default="", description="the question that it answers, shared with its earlier answers")
    mentions: Mentions = Field(default=(), description="further entities that the text names; default: those it finds")


class NewAspect(BaseModel):
    """An aspect of a new entity, with its facts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: AspectName
    attributes: tuple[NewFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a mutation or of what it holds.

    Attributes:
        name: of the field.
        role: what it stands for; None for one that is only a value.
        many: whether it is a list.
        holds: the model of what it holds, where that is no plain value.
        hosts_own: whether a model is not told of it.
    """

    name: str
    role: RoleName | None
    many: bool
    holds: type[BaseModel] | None
    hosts_own: bool


@cache
def parts_of(kind: type[BaseModel]) -> tuple[Part, ...]:
    """The fields of a mutation, or of what it holds, with what they stand for; in the order declared."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_part(name, hints[name]) for name in kind.model_fields)


def _part(name: str, hint: Any) -> Part:
    role: RoleName | None = None
    many, hosts_own, holds = False, False, None
    while True:
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            role = role or next((mark.name for mark in marks if isinstance(mark, Role)), None)
            hosts_own = hosts_own or any(mark is HOSTS_OWN for mark in marks)
        elif get_origin(hint) is tuple:
            many, hint = True, get_args(hint)[0]
        else:
            break
    if isinstance(hint, type(BaseModel)):
        holds = hint
    return Part(name, role, many, holds, hosts_own)


def values_in(item: BaseModel, part: Part) -> tuple[Any, ...]:
    """What stands in a field: one value, or all of a list."""
    value = getattr(item, part.name)
    return tuple(value) if part.many else (value,)


def all_models(item: BaseModel) -> Iterator[BaseModel]:
    """A mutation and, in order, everything that it holds."""
    yield item
    for part in parts_of(type(item)):
        if part.holds is not None:
            for value in values_in(item, part):
                yield from all_models(value)
