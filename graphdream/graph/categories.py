"""Category paths: where a fact hangs, written as a path, and back.

A memory's category is its entity and aspect: `user-preferences/timezone`. Entities of the type `category` are plain
folders and appear as such; those of any other type appear as `type/name/aspect`. Two segments are therefore a folder's,
three another entity's. A slash or percent sign within a name is written `%2F` or `%25`, so that each path reads back
as exactly what it was made of.
"""

from __future__ import annotations

from typing import NamedTuple

FOLDER = "category"
SKILL = "skill"  # type of an entity that says how something is done
GENERAL = "general"  # the aspect of a path that names none, and the folder of a memory without a category


class Place(NamedTuple):
    """Where a fact hangs: the type and name of its entity, and the name of its aspect."""

    type: str
    entity: str
    aspect: str


def category_of(place: Place) -> str:
    """The path of a place."""
    if place.type != FOLDER:
        return "/".join(map(_escaped, place))
    if place.entity == place.aspect == GENERAL:
        return GENERAL
    return f"{_escaped(place.entity)}/{_escaped(place.aspect)}"


def place_of(category: str) -> Place:
    """The place a path names; blank segments do not count, segments beyond the third belong to the aspect."""
    parts = [part for part in (_plain(segment).strip() for segment in category.split("/")) if part]
    if not parts:
        return Place(FOLDER, GENERAL, GENERAL)
    if len(parts) == 1:
        return Place(FOLDER, parts[0], GENERAL)
    if len(parts) == 2:
        return Place(FOLDER, parts[0], parts[1])
    return Place(parts[0], parts[1], "/".join(parts[2:]))


def in_words(category: str) -> str:
    """A path as a person knows it, its names as they were written: for the eye, it need not read back."""
    return "/".join(map(_plain, category.split("/")))


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")


def _plain(segment: str) -> str:
    return segment.replace("%2F", "/").replace("%2f", "/").replace("%25", "%")
