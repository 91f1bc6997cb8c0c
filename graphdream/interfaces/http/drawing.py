"""A pass as one drawing: what there was, what became of it, and what is there now.

Two parts, both plain SVG whose colours the stylesheet gives, so that they follow light and dark:

    flows    a bar of all that there was over a bar of all that there is, and between them where each share went
    groups   the entities that changed most, each with those that went into it; what was archived, as clouds
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, cos, pi, sin, sqrt
from textwrap import wrap

from graphdream.journal.overview import Overview
from graphdream.journal.sizes import Size
from graphdream.shown import printable

_WIDE = 1000.0
_BAR, _GAP = 22.0, 44.0
_LEAST = 7.0  # units that a share is drawn with, however small: what happened is to be seen


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar: how many, in words; `look` is the class of its colour."""

    look: str
    count: int
    words: str


@dataclass(frozen=True, slots=True)
class Flow:
    """One kind of row: how many before and after, the shares, and the drawing."""

    name: str
    before: int
    after: int
    shares: tuple[Share, ...]
    svg: str


_LEAVING = {
    "entities": (("merged", "entities merged", "merged into others"), ("archived", "entities archived", "archived")),
    "facts": (
        ("merged", "duplicate facts folded", "folded into the same fact"),
        ("replaced", "facts replaced by later ones", "replaced by later ones"),
        ("archived", "facts archived", "archived"),
    ),
    "links": (("merged", "links merged", "folded into the same link"), ("archived", "links archived", "archived")),
}
_COMING = {
    "entities": (("new", "entities added", "new"), ("back", "entities brought back", "brought back")),
    "facts": (("new", "facts added", "new"), ("back", "facts brought back", "brought back")),
    "links": (("new", "links added", "new"), ("back", "links brought back", "brought back")),
}


def flows(overview: Overview, sizes: Mapping[str, Size]) -> list[Flow]:
    """A flow for each kind of row that the pass changed."""
    counts = overview.counts
    found = []
    for name, size in sizes.items():
        leaving = [Share(look, counts[kind], words) for look, kind, words in _LEAVING[name] if counts.get(kind)]
        coming = [Share(look, counts[kind], words) for look, kind, words in _COMING[name] if counts.get(kind)]
        if leaving or coming:
            kept = Share("kept", max(0, size.before - sum(share.count for share in leaving)), "stayed")
            found.append(
                Flow(name, size.before, size.after, (kept, *leaving, *coming), _flow_svg(size, kept, leaving, coming))
            )
    return found


def _flow_svg(size: Size, kept: Share, leaving: Sequence[Share], coming: Sequence[Share]) -> str:
    unit = _WIDE / max(size.before, size.after, 1)
    least = min(_LEAST, _WIDE / 12)
    going = [max(share.count * unit, least) for share in leaving]
    made = [max(share.count * unit, least) for share in coming]
    going, made = _within(going), _within(made)
    room = min(kept.count * unit, _WIDE - max(sum(going), sum(made)))
    top, bottom, tall = _BAR, _BAR + _GAP, 2 * _BAR + _GAP
    parts = [_band("kept", 0, room, 0, room, top, bottom)]
    x = room
    for share, width in zip(leaving, going, strict=True):
        if share.look == "archived":  # it leaves: the band runs out before it reaches the bar of what is there
            parts.append(_band("archived", x, x + width, x + width * 0.45, x + width * 0.55, top, top + _GAP * 0.6))
        else:  # it lives on in what stays
            end = max(room * 0.5, 1)
            parts.append(_band(share.look, x, x + width, end - least, end, top, bottom))
        parts.append(_rect(share.look, x, 0, width))
        x += width
    parts.append(_rect("kept", 0, 0, room))
    parts.append(_rect("kept", 0, bottom, room))
    x = room
    for share, width in zip(coming, made, strict=True):
        parts.append(_rect(share.look, x, bottom, width))
        x += width
    return (
        f'<svg class="flow" viewBox="0 0 {_WIDE:.0f} {tall:.0f}" preserveAspectRatio="none" aria-hidden="true"'
        f' focusable="false">{"".join(parts)}</svg>'
    )


def _within(widths: list[float]) -> list[float]:
    """Widths that fit beside each other: the smallest are drawn wider than they are, so the sum may be too large."""
    over = max(1.0, sum(widths) / _WIDE)
    return [width / over for width in widths]


def _rect(look: str, x: float, y: float, width: float) -> str:
    return f'<rect class="{look}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_BAR:.0f}"/>'


def _band(look: str, x1: float, x2: float, x3: float, x4: float, top: float, bottom: float) -> str:
    middle = (top + bottom) / 2
    return (
        f'<path class="{look} band" d="M{x1:.1f} {top:.1f}C{x1:.1f} {middle:.1f} {x3:.1f} {middle:.1f} {x3:.1f}'
        f' {bottom:.1f}L{x4:.1f} {bottom:.1f}C{x4:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {top:.1f}Z"/>'
    )


# ---------------------------------------------------------------------- groups

MOST_GROUPS = 24
_MOST_MEMBERS = 40  # that are drawn around a survivor
_MOST_DOTS = 90  # of a cloud
_COLUMN = 176.0
_NAME = 21  # characters of a line


@dataclass(frozen=True, slots=True)
class Group:
    """What is drawn as one: a survivor with those that went into it, or a cloud of what left for one reason.

    Attributes:
        look: merged, archived, replaced, new, kept.
        href: where its details are.
    """

    name: str
    look: str
    count: int
    words: str
    href: str


@dataclass(frozen=True, slots=True)
class Groups:
    """The drawing of groups; `each` is how many changes one dot of a cloud stands for."""

    svg: str
    each: int


def draw_groups(groups: Sequence[Group], alternative: str = "What changed, in groups") -> Groups:
    """The groups in rows, as they come; every group is a link to its details."""
    largest = max((group.count for group in groups if group.look != "merged"), default=1)
    each = next(unit for unit in _units() if largest / unit <= _MOST_DOTS)
    columns, parts, top = min(6, max(1, len(groups))), list[str](), 0.0
    for start in range(0, len(groups), columns):
        row = groups[start : start + columns]
        tall = max(_radius(group, each) for group in row) * 2 + 80
        for place, group in enumerate(row):
            parts.append(_group(group, each, place * _COLUMN + _COLUMN / 2, top + (tall - 64) / 2))
        top += tall
    if not parts:
        return Groups("", each)
    svg = (
        f'<svg class="groups" viewBox="0 0 {columns * _COLUMN:.0f} {top:.0f}" width="{columns * _COLUMN:.0f}"'
        f' height="{top:.0f}" role="group" aria-label="{escape(alternative)}">{"".join(parts)}</svg>'
    )
    return Groups(svg, each)


def _units() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, ..."""
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10


def _dots(group: Group, each: int) -> int:
    return min(group.count, _MOST_MEMBERS) if group.look == "merged" else ceil(group.count / each)


def _radius(group: Group, each: int) -> float:
    dots = _dots(group, each)
    return max(24 + 1.0 * dots, 10 + 1.6 * dots) if group.look == "merged" else max(14, 6 + 5.2 * sqrt(dots))


def _group(group: Group, each: int, x: float, y: float) -> str:
    radius, dots = _radius(group, each), _dots(group, each)
    parts = []
    if group.look == "merged":  # those that went in stand around the one that is left
        for at in range(dots):
            turn = 2 * pi * at / dots - pi / 2
            dx, dy = cos(turn) * (radius - 6), sin(turn) * (radius - 6)
            parts.append(f'<line x1="{dx:.1f}" y1="{dy:.1f}" x2="0" y2="0"/>')
            parts.append(f'<circle class="was" cx="{dx:.1f}" cy="{dy:.1f}" r="4.5"/>')
        parts.append('<circle class="is" r="11"/>')
    else:  # a cloud: as in the head of a sunflower, so that dots never touch
        for at in range(dots):
            turn, away = at * pi * (3 - sqrt(5)), 5.0 * sqrt(at + 0.5)
            parts.append(f'<circle class="one" cx="{cos(turn) * away:.1f}" cy="{sin(turn) * away:.1f}" r="3.2"/>')
    below = radius + 16
    return (
        f'<a class="group {group.look}" href="{escape(group.href)}"><g transform="translate({x:.1f} {y:.1f})">'
        f"<title>{escape(_clean(group.name))}: {escape(group.words)}</title>{''.join(parts)}"
        f"{_label(_clean(group.name), group.words, below)}</g></a>"
    )


def _label(name: str, words: str, y: float) -> str:
    """The name in one line or two, and the words below it."""
    lines = wrap(name, _NAME)[:3] or [""]
    if len(lines) > 2 or len(" ".join(lines)) < len(" ".join(name.split())):
        lines = [*lines[:1], lines[1][: _NAME - 1] + "…"] if len(lines) > 1 else [lines[0][: _NAME - 1] + "…"]
    told = "".join(f'<text class="name" y="{y + 15 * at:.1f}">{escape(line)}</text>' for at, line in enumerate(lines))
    return f'{told}<text class="what" y="{y + 15 * len(lines):.1f}">{escape(words)}</text>'


def _clean(text: str) -> str:
    """Names may hold signs that XML does not allow in any form, or that turn a drawing's words around."""
    return printable(" ".join(text.split()))
