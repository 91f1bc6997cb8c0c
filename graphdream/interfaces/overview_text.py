"""A pass at a glance, as lines for a person: counts by kind, then examples of each, none wider than a page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from graphdream.interfaces.output import shortened, width_of
from graphdream.journal.overview import GROUPS, Example, Kind, Overview, without_change
from graphdream.shown import printable

WIDTH = 100  # columns
_SHARE = 0.55  # of a line, for what there was where something took its place


def headline(overview: Overview, lead: str, *, sessions: int = 0, width: int = WIDTH) -> list[str]:
    """`pass 2: 172 entities merged, 96 facts replaced, ...` in lines of `width` columns.

    Args:
        sessions: how many the pass read, which is told where it changed nothing.
    """
    parts = [f"{number:,} {_singular(name, number)}" for name, number in overview.counts.items()]
    parts = parts or without_change(sessions).split(", ")
    lines = [lead]
    for at, part in enumerate(parts):
        word = f" {part}" + ("," if at + 1 < len(parts) else "")
        if width_of(lines[-1] + word) > width:
            lines.append("   ")
        lines[-1] += word
    return lines


def examples(
    overview: Overview, *, most: int | None = None, kinds: int | None = None, width: int | None = WIDTH
) -> Iterator[str]:
    """Each kind with its examples.

    Args:
        most: examples of a kind; None gives those that the overview has.
        kinds: how many kinds, those that matter most; None gives all.
        width: columns of a line; None leaves each text whole.
    """
    for kind in overview.kinds[:kinds]:
        # What can be read whole tells more than what has to be cut.
        whole = [one for one in kind.examples if kind.merges or width is None or _is_whole(one, width - 2)]
        shown = (*whole, *(one for one in kind.examples if one not in whole))[:most]
        yield title(kind)
        if any(one.why for one in kind.examples):
            yield from _by_reason(kind, shown, width)
            continue
        yield from (f"  {_line(one, width, 2)}" for one in shown)
        # An example of a merge tells all that went into one entity.
        told = sum(len(one.before) for one in shown) if kind.merges else len(shown)
        if told < kind.count:
            yield f"  … and {kind.count - told:,} more"


def title(kind: Kind) -> str:
    """`Entities merged: 172`."""
    return f"{kind.name[0].upper()}{kind.name[1:]}: {kind.count:,}"


def listed(overview: Overview) -> Iterator[str]:
    """Each kind with all that the overview has of it: every text whole, and the handles by which commands take it."""
    for kind in overview.kinds:
        yield title(kind)
        for one in kind.examples:
            after = f" → {_handled(one.into, one.after)}" if one.after else ""
            apart = " ≠ " if len(one.before) == 2 and not one.after else ", "
            names = apart.join(map(_handled, one.handles, one.before))
            yield f"  {names}{after}{f'  ({printable(one.why)})' if one.why else ''}"
        if kind.name in GROUPS["contradictions"] and kind.examples:
            yield "  both hold: graphdream distinct FACT FACT; one holds no more: graphdream replace OLD NEW"


def _handled(handle: str, text: str) -> str:
    return f"{handle} {' '.join(printable(text).split())}".strip()


def _by_reason(kind: Kind, shown: tuple[Example, ...], width: int | None) -> Iterator[str]:
    """The reasons of which there are examples, each with its number; the others as one number."""
    left = kind.count
    for reason, number in kind.parts:
        mine = [one for one in shown if one.why == reason]
        if mine:
            left -= number
            yield f"  {shortened(reason, 80) or 'no reason given'}: {number:,}"
            yield from (f"    {_line(one, width, 4)}" for one in mine)
    if left:
        yield f"  … and {left:,} for other reasons"


def _line(one: Example, width: int | None, indent: int) -> str:
    """`Dr. Ada Lovelace, A. Lovelace → Ada Lovelace`, in so many columns."""
    before = [" ".join(printable(text).split()) for text in dict.fromkeys(one.before)]
    after = " ".join(printable(one.after).split())
    apart = " ≠ " if len(before) == 2 and not after else ", "
    if width is None:
        return apart.join(before) + (f" → {after}" if after else "")
    room = width - indent
    if not after:
        return apart.join(shortened(text, (room - 3 * len(before) + 3) // len(before)) for text in before)
    whole = width_of(", ".join(before))
    if len(before) == 1:
        before[0], after = _within(before[0], after, room - 3)
        whole = width_of(before[0])
    after = shortened(after, max(room - 3 - whole, round(room * (1 - _SHARE))))
    return f"{_names(before, room - 3 - width_of(after))} → {after}"


def _within(first: str, second: str, room: int) -> tuple[str, str]:
    """Two texts without as many of the words that both begin with as it takes to fit: what differs stays in sight."""
    one, other = first.split(" "), second.split(" ")
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    for left_out in range(2, alike):
        if width_of(first) + width_of(second) <= room:
            break
        first, second = "… " + " ".join(one[left_out:]), "… " + " ".join(other[left_out:])
    return first, second


def _is_whole(one: Example, room: int) -> bool:
    return width_of(" → ".join([", ".join(one.before), one.after])) <= room


def _names(names: list[str], room: int) -> str:
    """As many of the names as there is room for, and how many more there are; the first is shortened if it must be."""
    for shown in range(len(names), 0, -1):
        more = f", {len(names) - shown} more" if shown < len(names) else ""
        told = ", ".join(names[:shown]) + more
        if width_of(told) <= room or shown == 1:
            break
    return told if width_of(told) <= room else shortened(names[0], room - len(more)) + more


def _singular(name: str, number: int) -> str:
    if number != 1:
        return name
    noun, _, rest = name.partition(" ")
    if noun == "duplicate":
        return name.replace("facts", "fact")
    single = {"entities": "entity", "facts": "fact", "links": "link", "pairs": "pair", "aspects": "aspect",
              "contradictions": "contradiction", "names": "name", "rows": "row"}.get(noun, noun)  # fmt: skip
    return f"{single} {rest}".replace("later ones", "a later one")
