"""A difference between two points of the graph as one SVG picture: no script, no font, no file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from graphdream.journal.graph_diff import EntityDiff, GraphDiff
from graphdream.shown import printable

if TYPE_CHECKING:
    import networkx as nx

MOST_DRAWN = 200  # entities; more cannot be told apart on one page
_SIDE = 1000  # pixels
_MARGIN = 60
_SEED = 1  # the layout starts from random places: the same difference gives the same picture
_COLOURS = {
    "made": "#2e7d32",
    "restored": "#00838f",
    "changed": "#546e7a",
    "merged": "#ef6c00",
    "archived": "#9e9e9e",
    "removed": "#c62828",
}
_NAME_LENGTH = 24  # characters


def picture(diff: GraphDiff) -> str:
    """Draw the entities that changed most, coloured by their fate; an arrow leads from a merged one to its target.

    Returns:
        An SVG document of 1000 x 1040 pixels. At most 200 entities are drawn; a line says how many were left out.
    """
    drawn = _chosen(diff.entities)
    graph = _graph(drawn)
    places = _places(graph)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE + 40}" font-family="sans-serif">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="16" refY="4" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#ef6c00"/></marker></defs>',
        f'<rect width="{_SIDE}" height="{_SIDE + 40}" fill="#fff"/>',
        *_lines(graph, places),
        *_dots(drawn, places),
        *_legend(diff, drawn),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _chosen(entities: Sequence[EntityDiff]) -> list[EntityDiff]:
    """Those that are drawn: what was merged together with what it was merged into, the largest such groups first."""
    by_handle = {entity.handle: entity for entity in entities}
    groups: dict[str, list[EntityDiff]] = {}
    for entity in entities:
        groups.setdefault(_survivor(entity, by_handle), []).append(entity)
    for group in groups.values():
        group.sort(key=lambda entity: (entity.fate == "merged", -entity.size, _number(entity)))
    ranked = sorted(groups.values(), key=lambda group: (-sum(entity.size for entity in group), _number(group[0])))
    return [entity for group in ranked for entity in group][:MOST_DRAWN]


def _survivor(entity: EntityDiff, by_handle: dict[str, EntityDiff]) -> str:
    seen = {entity.handle}
    while entity.into and entity.into not in seen and entity.into in by_handle:
        entity = by_handle[entity.into]
        seen.add(entity.handle)
    return entity.handle


def _number(entity: EntityDiff) -> int:
    return int(entity.handle[1:])


def _graph(drawn: Sequence[EntityDiff]) -> nx.DiGraph[str]:
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(entity.handle for entity in drawn)
    for entity in drawn:
        for link in entity.links:
            target = link.target.split(" ", 1)[0]
            if target in graph and target != entity.handle:
                graph.add_edge(entity.handle, target, what=link.what)
        if entity.into in graph:
            graph.add_edge(entity.handle, entity.into, what="merged")
    return graph


def _places(graph: nx.DiGraph[str]) -> dict[str, tuple[float, float]]:
    import networkx as nx

    if not graph:
        return {}
    raw = nx.spring_layout(graph, seed=_SEED, k=2 / len(graph) ** 0.5)
    across = [float(place[0]) for place in raw.values()]
    down = [float(place[1]) for place in raw.values()]
    return {node: (_scaled(float(place[0]), across), _scaled(float(place[1]), down)) for node, place in raw.items()}


def _scaled(value: float, all_values: Sequence[float]) -> float:
    low, high = min(all_values), max(all_values)
    share = (value - low) / (high - low) if high > low else 0.5
    return round(_MARGIN + share * (_SIDE - 2 * _MARGIN), 1)


def _lines(graph: nx.DiGraph[str], places: dict[str, tuple[float, float]]) -> list[str]:
    lines = []
    what: str
    for source, target, what in graph.edges(data="what"):
        (x1, y1), (x2, y2) = places[source], places[target]
        look = {
            "merged": 'stroke="#ef6c00" stroke-width="2" marker-end="url(#tip)"',
            "added": 'stroke="#2e7d32"',
            "archived": 'stroke="#bdbdbd" stroke-dasharray="4 3"',
            "removed": 'stroke="#c62828" stroke-dasharray="4 3"',
        }.get(what, 'stroke="#90a4ae"')
        lines.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {look}/>')
    return lines


def _dots(drawn: Sequence[EntityDiff], places: dict[str, tuple[float, float]]) -> list[str]:
    dots = []
    for entity in drawn:
        x, y = places[entity.handle]
        radius = round(4 + min(entity.size, 100) ** 0.5, 1)
        name = entity.name if len(entity.name) <= _NAME_LENGTH else entity.name[: _NAME_LENGTH - 1] + "…"
        hint = f"{entity.handle} {entity.name}: " + "; ".join([*entity.marks, f"{len(entity.facts)} facts touched"])
        dots.append(
            f'<g><title>{_text(hint)}</title><circle cx="{x}" cy="{y}" r="{radius}" fill="{_COLOURS[entity.fate]}"/>'
            f'<text x="{x}" y="{round(y - radius - 3, 1)}" font-size="10" text-anchor="middle">{_text(name)}</text></g>'
        )
    return dots


def _legend(diff: GraphDiff, drawn: Sequence[EntityDiff]) -> list[str]:
    parts = []
    for number, (fate, colour) in enumerate(_COLOURS.items()):
        x = 20 + number * 105
        parts.append(f'<circle cx="{x}" cy="{_SIDE + 20}" r="6" fill="{colour}"/>')
        parts.append(f'<text x="{x + 11}" y="{_SIDE + 24}" font-size="12">{fate}</text>')
    left = len(diff.entities) - len(drawn)
    words = f"pass {diff.before} → {diff.after}" + (f"; {left} more entities changed" if left else "")
    parts.append(f'<text x="{_SIDE - 20}" y="{_SIDE + 24}" font-size="12" text-anchor="end">{words}</text>')
    return parts


def _text(text: str) -> str:
    """Names may hold signs that XML does not allow in any form, or that turn a drawing's words around."""
    return escape(printable(" ".join(text.split())))
