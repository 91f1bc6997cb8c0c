"""The memory as a folder of notes that agents load: a block of its own in each file, with what people wrote around it.

`MEMORY.md` gets what matters most, constraints first, within what an agent loads of it; `graphdream.md` beside it gets
everything. What stands outside the marks stays to the byte, and an import of the folder passes over what is between.

Source of the limit: Claude Code loads the first 200 lines or 25 KB of `MEMORY.md` as of 2026.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from graphdream.bounded import whole_file
from graphdream.errors import ImportRefusedError, UsageError
from graphdream.graph.categories import Place, category_of
from graphdream.interfaces.exporters.markdown import document, plain
from graphdream.interfaces.importers.managed import BEGIN, END, block_of
from graphdream.interfaces.whole_files import put
from graphdream.outputs import confirm_not_ours

HEAD, WHOLE = "MEMORY.md", "graphdream.md"
_LINES, _BYTES = 200, 25_000
_FEWEST = 20  # lines that the block may have, however much a person wrote before it
_FACTS = (
    "SELECT entity.type, entity.name, aspect.name, attribute.content, attribute.kind FROM attribute"
    " JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
    " WHERE attribute.status = 'active' AND entity.status = 'active'"
    " ORDER BY attribute.kind <> 'constraint', attribute.importance DESC, attribute.reinforcement DESC,"
    " attribute.last_seen DESC, attribute.id LIMIT ?"
)


def write_memory_folder(connection: sqlite3.Connection, folder: Path) -> list[Path]:
    """Write the graph into a folder of notes; the same graph again writes the same bytes.

    Returns:
        The files.

    Raises:
        UsageError: the folder cannot be written to, or a file is graphdream's own.
        ImportRefusedError: a file has one of the two marks without the other; nothing was written.
    """
    texts = {}
    try:
        for name, make in ((HEAD, _head), (WHOLE, _whole)):
            path = folder / name
            confirm_not_ours(path)
            old = whole_file(path).decode("utf-8", "surrogateescape") if path.exists() else ""
            texts[path] = _with_block(path, old, make(connection, old))
        for path, text in texts.items():
            put(path, text.encode("utf-8", "surrogateescape"))
    except OSError as fault:
        raise UsageError(f"{fault.filename or folder} cannot be written: {fault.strerror}") from fault
    return list(texts)


def _head(connection: sqlite3.Connection, old: str) -> list[str]:
    """What matters most, as far as an agent loads it."""
    begin, _ = block_of(old) or (len(old), len(old))
    before = old[:begin]
    room, size = max(_LINES - before.count("\n") - 4, _FEWEST), _BYTES - len(before.encode("utf-8", "surrogateescape"))
    lines: list[str] = []
    for kind, name, aspect, content, of_fact in connection.execute(_FACTS, (room,)).fetchall():
        said = f"**{plain(content)}**" if of_fact == "constraint" else plain(content)
        line = f"- {plain(category_of(Place(kind, name, aspect)))}: {said}"
        size -= len(line.encode("utf-8", "surrogateescape")) + 1
        if size < 0 and len(lines) >= _FEWEST:
            break
        lines.append(line)
    return [f"## From graphdream ([all of it]({WHOLE}))", "", *lines]


def _whole(connection: sqlite3.Connection, old: str) -> list[str]:
    return "".join(document(connection)).rstrip("\n").split("\n")


def _with_block(path: Path, old: str, lines: list[str]) -> str:
    end_of_line = "\r\n" if "\r\n" in old else "\n"
    block = end_of_line.join([BEGIN, *lines, END])
    found = block_of(old)
    if found:
        return f"{old[: found[0]]}{block}{old[found[1] :]}"
    if BEGIN in old or END in old:
        raise ImportRefusedError(
            f"{path} has one of graphdream's marks without the other", hint="remove the line, or mend it"
        )
    return "".join(_joined(old, block, end_of_line))


def _joined(old: str, block: str, end_of_line: str) -> Iterator[str]:
    yield old
    if old:
        yield end_of_line if old.endswith("\n") else end_of_line * 2
    yield block + end_of_line
