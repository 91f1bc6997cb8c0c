"""The mutations that this program itself proposes, and what they are made of, by the names of their classes.

All that there are: `graphdream.mutations.registry`.
"""

from __future__ import annotations

from graphdream.mutations.base import Mutation, NewAspect, NewFact
from graphdream.mutations.ops.add_alias import AddAlias
from graphdream.mutations.ops.create_attribute import CreateAttribute
from graphdream.mutations.ops.create_entity import CreateEntity
from graphdream.mutations.ops.date_attribute import DateAttribute
from graphdream.mutations.ops.decay import Decay
from graphdream.mutations.ops.decay_facts import DecayFacts
from graphdream.mutations.ops.delete_aspect import DeleteAspect
from graphdream.mutations.ops.delete_attribute import DeleteAttribute
from graphdream.mutations.ops.delete_entity import DeleteEntity
from graphdream.mutations.ops.flag_contradiction import FlagContradiction
from graphdream.mutations.ops.fold import Fold
from graphdream.mutations.ops.link import Link
from graphdream.mutations.ops.mark_constraint import MarkConstraint
from graphdream.mutations.ops.mark_distinct import MarkDistinct
from graphdream.mutations.ops.merge_aspects import MergeAspects
from graphdream.mutations.ops.merge_attributes import MergeAttributes
from graphdream.mutations.ops.merge_entities import MergeEntities
from graphdream.mutations.ops.merge_links import MergeLinks
from graphdream.mutations.ops.move_attribute import MoveAttribute
from graphdream.mutations.ops.pin import Pin
from graphdream.mutations.ops.promote import Promote
from graphdream.mutations.ops.reinforce_attribute import ReinforceAttribute
from graphdream.mutations.ops.rename_entity import RenameEntity
from graphdream.mutations.ops.resolve_contradiction import ResolveContradiction
from graphdream.mutations.ops.restore import Restore
from graphdream.mutations.ops.retype_entity import RetypeEntity
from graphdream.mutations.ops.split_entity import SplitEntity
from graphdream.mutations.ops.supersede_attribute import SupersedeAttribute
from graphdream.mutations.ops.unlink import Unlink
from graphdream.mutations.ops.unpin import Unpin
from graphdream.mutations.ops.update_aspect import UpdateAspect

__all__ = [
    "AddAlias",
    "CreateAttribute",
    "CreateEntity",
    "DateAttribute",
    "Decay",
    "DecayFacts",
    "DeleteAspect",
    "DeleteAttribute",
    "DeleteEntity",
    "FlagContradiction",
    "Fold",
    "Link",
    "MarkConstraint",
    "MarkDistinct",
    "MergeAspects",
    "MergeAttributes",
    "MergeEntities",
    "MergeLinks",
    "MoveAttribute",
    "Mutation",
    "NewAspect",
    "NewFact",
    "Pin",
    "Promote",
    "ReinforceAttribute",
    "RenameEntity",
    "ResolveContradiction",
    "Restore",
    "RetypeEntity",
    "SplitEntity",
    "SupersedeAttribute",
    "Unlink",
    "Unpin",
    "UpdateAspect",
]
