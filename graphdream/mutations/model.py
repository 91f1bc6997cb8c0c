"""The mutations: everything that can be proposed to change the graph, as one typed union.

The eight of Signet's specification keep their names and fields (FEATURES G4); a row is addressed by its handle
(`e12`, `a345`) or, where the specification does so, by name or content. A delete archives.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from pydantic.json_schema import SkipJsonSchema

EntityRef = Annotated[str, Field(min_length=1, description="handle (e12) or name of an entity")]
FactRef = Annotated[
    str, Field(min_length=1, description="handle (a345) or, with `entity`, the exact content of a fact")
]
FactHandle = Annotated[str, Field(pattern=r"^a\d{1,18}$", description="handle of a fact, such as a345")]
LinkHandle = Annotated[str, Field(pattern=r"^l\d{1,18}$", description="handle of a link, such as l7")]
RowHandle = Annotated[str, Field(pattern=r"^[aesl]\d{1,18}$", description="handle of any row")]
Text = Annotated[str, Field(min_length=1)]


class _Mutation(BaseModel):
    """Shared by every mutation: why it was proposed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(default="", description="one sentence, for the journal")


class NewFact(BaseModel):
    """A fact as it is first written, with what it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: Text
    kind: Literal["attribute", "constraint"] = "attribute"
    confidence: float = Field(default=0.8, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)
    tags: tuple[str, ...] = ()
    session: str = Field(default="", description="key of the session that says so")
    turns: tuple[str, ...] = Field(default=(), description="ids of the turns that say so")
    quote: str = Field(default="", description="the words it rests on")
    known_at: str = Field(default="", description="when it was learned, ISO 8601; default: now")
    valid_from: str = Field(default="", description="since when it holds in the world, ISO 8601")
    occurred_at: str = Field(default="", description="when it happened, ISO 8601")
    slot: str = Field(default="", description="the question that it answers, shared with its earlier answers")
    mentions: SkipJsonSchema[tuple[EntityRef, ...]] = Field(
        default=(), description="local dreamer only: further entities that the text names"
    )


class NewAspect(BaseModel):
    """An aspect of a new entity, with its facts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text
    attributes: tuple[NewFact, ...] = ()


class CreateEntity(_Mutation):
    """Make an entity, or add to the one that bears this name already."""

    op: Literal["create_entity"] = "create_entity"
    name: Text
    type: str = "unknown"
    aspects: tuple[NewAspect, ...] = ()


class MergeEntities(_Mutation):
    """Fold `source` into `target`: everything moves over, every source name stays as an alias."""

    op: Literal["merge_entities"] = "merge_entities"
    source: tuple[EntityRef, ...] = Field(min_length=1)
    target: EntityRef

    @model_validator(mode="after")
    def _target_survives(self) -> Self:
        if self.target in self.source:
            raise ValueError(f"`target` {self.target} is also in `source`")
        return self


class DeleteEntity(_Mutation):
    """Archive an entity with its facts and links."""

    op: Literal["delete_entity"] = "delete_entity"
    name: EntityRef


class UpdateAspect(_Mutation):
    """Add facts to an aspect, which is made where it is missing. Additive: nothing that is there is replaced."""

    op: Literal["update_aspect"] = "update_aspect"
    entity: EntityRef
    aspect: Text
    attributes: tuple[NewFact, ...] = Field(min_length=1)


class DeleteAspect(_Mutation):
    """Archive an aspect with its facts."""

    op: Literal["delete_aspect"] = "delete_aspect"
    entity: EntityRef
    aspect: Text


class SupersedeAttribute(_Mutation):
    """A fact no longer holds: `new` (text, or the handle of a fact that is there) takes its place."""

    op: Literal["supersede_attribute"] = "supersede_attribute"
    entity: str = ""
    aspect: str = ""
    old: FactRef
    new: Text
    session: str = ""
    quote: str = ""
    slot: str = ""


class CreateAttribute(_Mutation):
    """Add one fact; where it is known already, that one is reinforced."""

    op: Literal["create_attribute"] = "create_attribute"
    entity: EntityRef
    aspect: Text = "general"
    content: Text
    kind: Literal["attribute", "constraint"] = "attribute"
    confidence: float = Field(default=0.8, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)
    tags: tuple[str, ...] = ()
    session: str = ""
    turns: tuple[str, ...] = ()
    quote: str = ""
    known_at: str = ""
    valid_from: str = ""
    occurred_at: str = ""
    slot: str = ""
    mentions: SkipJsonSchema[tuple[EntityRef, ...]] = ()

    def fact(self) -> NewFact:
        """The fact alone, without its address."""
        return NewFact(**self.model_dump(exclude={"op", "reason", "entity", "aspect"}))


class DeleteAttribute(_Mutation):
    """Archive a fact that is not worth keeping in sight."""

    op: Literal["delete_attribute"] = "delete_attribute"
    entity: str = ""
    aspect: str = ""
    content: FactRef


class RenameEntity(_Mutation):
    """Give an entity its right name; the old one stays as an alias."""

    op: Literal["rename_entity"] = "rename_entity"
    entity: EntityRef
    name: Text


class RetypeEntity(_Mutation):
    """Give an entity its right type."""

    op: Literal["retype_entity"] = "retype_entity"
    entity: EntityRef
    type: Text


class SplitEntity(_Mutation):
    """Take facts, links and aliases out of an entity that holds two things, into a new one; the two are distinct."""

    op: Literal["split_entity"] = "split_entity"
    entity: EntityRef
    name: Text
    type: str = ""
    attributes: tuple[FactHandle, ...] = ()
    links: tuple[LinkHandle, ...] = ()
    aliases: tuple[str, ...] = ()


class MergeAspects(_Mutation):
    """Fold aspects of one entity into another aspect of it."""

    op: Literal["merge_aspects"] = "merge_aspects"
    entity: EntityRef
    source: tuple[Text, ...] = Field(min_length=1)
    target: Text


class MergeAttributes(_Mutation):
    """Facts that say the same become one: `source` is absorbed into `target`, whose text may be rewritten."""

    op: Literal["merge_attributes"] = "merge_attributes"
    source: tuple[FactHandle, ...] = Field(min_length=1)
    target: FactHandle
    content: str = Field(default="", description="new text of the target; it loses and invents nothing")
    apart: SkipJsonSchema[tuple[str, ...]] = Field(
        default=(), description="local dreamer only: dates of the sources that tell when it was told, not what"
    )

    @model_validator(mode="after")
    def _target_survives(self) -> Self:
        if self.target in self.source:
            raise ValueError(f"`target` {self.target} is also in `source`")
        return self


class MoveAttribute(_Mutation):
    """Hang a fact under another aspect, or another entity."""

    op: Literal["move_attribute"] = "move_attribute"
    attribute: FactHandle
    entity: str = ""
    aspect: str = ""


class ReinforceAttribute(_Mutation):
    """A fact was seen again."""

    op: Literal["reinforce_attribute"] = "reinforce_attribute"
    attribute: FactHandle
    session: str = ""
    turns: tuple[str, ...] = ()
    quote: str = ""
    known_at: str = ""


class Link(_Mutation):
    """Connect two entities; where they are connected so already, that link is reinforced."""

    op: Literal["link"] = "link"
    source: EntityRef
    target: EntityRef
    type: Text
    strength: float = Field(default=0.5, ge=0, le=1)
    confidence: float = Field(default=0.8, ge=0, le=1)


class Unlink(_Mutation):
    """Archive a link."""

    op: Literal["unlink"] = "unlink"
    link: LinkHandle


class MergeLinks(_Mutation):
    """Links that say the same become one."""

    op: Literal["merge_links"] = "merge_links"
    source: tuple[LinkHandle, ...] = Field(min_length=1)
    target: LinkHandle


class AddAlias(_Mutation):
    """Another name of an entity."""

    op: Literal["add_alias"] = "add_alias"
    entity: EntityRef
    name: Text


class MarkDistinct(_Mutation):
    """Two entities are not the same, whatever they are called; no pass will merge them."""

    op: Literal["mark_distinct"] = "mark_distinct"
    first: EntityRef
    second: EntityRef


class FlagContradiction(_Mutation):
    """Two facts cannot both hold; both stay until time, evidence or a person decides."""

    op: Literal["flag_contradiction"] = "flag_contradiction"
    first: FactHandle
    second: FactHandle
    slot: str = ""


class ResolveContradiction(_Mutation):
    """A flagged contradiction is settled: `keep` holds and the other is superseded, or both are right."""

    op: Literal["resolve_contradiction"] = "resolve_contradiction"
    first: FactHandle
    second: FactHandle
    keep: str = Field(default="", description="handle of the fact that holds; empty: both do")


class Restore(_Mutation):
    """Bring back what was archived, superseded or absorbed."""

    op: Literal["restore"] = "restore"
    row: RowHandle


class Decay(_Mutation):
    """Host only: lower the importance of a fact to a value that the host has computed."""

    op: Literal["decay"] = "decay"
    attribute: FactHandle
    importance: float = Field(ge=0, le=1)


class Promote(_Mutation):
    """Host only: an often recalled episode becomes lasting knowledge."""

    op: Literal["promote"] = "promote"
    attribute: FactHandle


class Pin(_Mutation):
    """Person only: no pass may change this entity."""

    op: Literal["pin"] = "pin"
    entity: EntityRef


class Unpin(_Mutation):
    """Person only: passes may change this entity again."""

    op: Literal["unpin"] = "unpin"
    entity: EntityRef


class MarkConstraint(_Mutation):
    """Person only: a fact is a rule that always holds; no pass may change it."""

    op: Literal["mark_constraint"] = "mark_constraint"
    attribute: FactHandle
    constraint: bool = True


Proposable = (
    CreateEntity | MergeEntities | DeleteEntity | UpdateAspect | DeleteAspect | SupersedeAttribute | CreateAttribute
    | DeleteAttribute | RenameEntity | RetypeEntity | SplitEntity | MergeAspects | MergeAttributes | MoveAttribute
    | ReinforceAttribute | Link | Unlink | MergeLinks | AddAlias | MarkDistinct | FlagContradiction
    | ResolveContradiction | Restore
)  # fmt: skip
Reserved = Decay | Promote | Pin | Unpin | MarkConstraint
Mutation = Annotated[Proposable | Reserved, Field(discriminator="op")]

HOST_ONLY = frozenset({"decay", "promote"})
PERSON_ONLY = frozenset({"pin", "unpin", "mark_constraint"})

ADAPTER: TypeAdapter[Proposable | Reserved] = TypeAdapter(Mutation)
