"""What a model may look up while it thinks: read-only, bounded in number and in length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graphdream.dreamers.asking.tools import TOOLS
from graphdream.dreamers.client.base import Tool, ToolCall
from graphdream.dreamers.prompt.graph_text import one_line
from graphdream.errors import GraphdreamError
from graphdream.graph.nameindex import similar_entities
from graphdream.graph.rows import parse_handle
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE

MOST_HITS = 10


_BY_NAME = {tool.name: tool for tool in TOOLS}


class Looks:
    """Answers looks from a file. Safe to share between threads: each look opens the file for itself.

    Nothing writes meanwhile but a person's own edit; what that moved is found stale when the answer is applied.

    Args:
        path: the agent's file.
        count: tokens of a text.
        most_tokens: longest answer.
    """

    def __init__(self, path: Path, count: Callable[[str], int], most_tokens: int) -> None:
        self._path, self._count, self._most = path, count, most_tokens

    def answer(self, call: ToolCall) -> str:
        """What a look shows, or in words why it shows nothing; never raises for what a model asked."""
        tool = _BY_NAME.get(call.name)
        if tool is None:
            return f"there is no tool {call.name!r}; there are {', '.join(_BY_NAME)}"
        wanted = _only_argument(tool, call.arguments)
        if wanted is None:
            return f"{call.name} takes one text: {', '.join(tool.parameters['required'])}"
        try:
            with Store.open(self._path, create=False) as store, store.reading():
                shown = _SHOW[call.name](store, wanted)
        except GraphdreamError as fault:
            return f"{fault}. {fault.hint}".strip()
        return self._bounded(shown or "nothing was found")

    def _bounded(self, text: str) -> str:
        if self._count(text) <= self._most:
            return text
        lines, room = list[str](), self._most - 20
        for line in text.splitlines():
            room -= self._count(line) + 1
            if room < 0:
                break
            lines.append(line)
        left = len(text.splitlines()) - len(lines)
        return "\n".join([*lines, f"... {left} more lines; ask for something narrower"])


def _only_argument(tool: Tool, arguments: Mapping[str, Any]) -> str | None:
    value = arguments.get(tool.parameters["required"][0])
    return value if isinstance(value, str) and value.strip() else None


def _search(store: Store, query: str) -> str:
    from graphdream.recall.search import recall

    hits = recall(store, query, k=MOST_HITS, include_superseded=True)
    return "\n".join(
        f"{hit.handle} {hit.time[:10]} {hit.category or hit.session}: {one_line(hit.text)}"
        + (f" [{hit.status}]" if hit.status != "active" else "")
        for hit in hits
    )


def _entity(store: Store, reference: str) -> str:
    from graphdream.views.entity_page import entity_page

    return entity_page(store, reference).text()


def _neighbours(store: Store, reference: str) -> str:
    from graphdream.views.entity_page import entity_page

    return "\n".join(f"{link.handle} {link.says}" for link in entity_page(store, reference).links)


def _similar(store: Store, reference: str) -> str:
    from graphdream.views.entity_page import find_entity

    found = similar_entities(store.connection, find_entity(store.connection, reference)["id"])
    rows = store.connection.execute(
        "SELECT entity.id, entity.name, type, count(attribute.id) FROM entity LEFT JOIN aspect ON aspect.entity_id ="
        " entity.id LEFT JOIN attribute ON aspect_id = aspect.id AND attribute.status = 'active' WHERE entity.id IN"
        f" ({', '.join('?' * len(found))}) AND entity.status = 'active' GROUP BY entity.id",
        found,
    )
    shown = {row[0]: f"e{row[0]} {one_line(row[1])} ({row[2]}), {row[3]} facts" for row in rows}
    return "\n".join(shown[entity] for entity in found if entity in shown)


def _session(store: Store, key: str) -> str:
    row = store.connection.execute("SELECT id FROM session WHERE key = ?", (key,)).fetchone()
    if row is None:
        return f"there is no session {key!r}"
    summaries = store.connection.execute("SELECT content FROM summary WHERE session_id = ? ORDER BY id", (row[0],))
    turns = store.connection.execute(
        "SELECT uid, speaker, content FROM turn WHERE session_id = ? ORDER BY position", (row[0],)
    )
    lines = [one_line(item[0]) for item in summaries]
    return "\n".join(lines + [f"{turn[0] or ''} {turn[1]}: {one_line(turn[2])}".strip() for turn in turns])


def _history(store: Store, reference: str) -> str:
    parsed = parse_handle(reference)
    if parsed is None or parsed[0] is not ATTRIBUTE:
        return f"{reference!r} is no handle of a fact"
    rows = store.connection.execute(
        """
        WITH RECURSIVE chain (id) AS (
            SELECT :id
            UNION SELECT coalesce(superseded_by, absorbed_into) FROM attribute JOIN chain USING (id)
                WHERE coalesce(superseded_by, absorbed_into) IS NOT NULL
            UNION SELECT attribute.id FROM attribute JOIN chain ON chain.id IN (superseded_by, absorbed_into)
        )
        SELECT id, first_seen, status, status_reason, authority, session_key, content FROM attribute
        WHERE id IN chain ORDER BY first_seen, id LIMIT 50
        """,
        {"id": parsed[1]},
    )
    return "\n".join(
        f"a{row[0]} {(row[1] or '')[:10]} [{row[2]}{': ' + row[3] if row[3] else ''}; {row[4]}"
        f"{'; session ' + row[5] if row[5] else ''}] {one_line(row[6])}"
        for row in rows
    )


_SHOW: dict[str, Callable[[Store, str], str]] = {
    "search": _search, "entity": _entity, "neighbours": _neighbours, "similar": _similar, "session": _session,
    "history": _history,
}  # fmt: skip
