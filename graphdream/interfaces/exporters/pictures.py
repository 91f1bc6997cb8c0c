"""The living graph for programs that draw graphs: GraphML (Gephi, yEd, igraph) and Cytoscape's JSON."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

from graphdream.views.networkx_view import to_networkx

# Characters that XML 1.0 has no form for, not even escaped. Source: W3C, XML 1.0 (fifth edition), production 2 "Char".
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml(connection: sqlite3.Connection) -> Iterator[str]:
    """GraphML, a line at a time.

    GraphML has plain values only: a node's aliases stand a line each in one text, and so do its facts, as
    `aspect: content`, superseded ones left out.
    """
    import networkx

    graph = to_networkx(connection)
    for _, data in graph.nodes(data=True):
        data["aliases"] = "\n".join(data["aliases"])
        data["facts"] = "\n".join(
            f"{fact['aspect']}: {fact['content']}" for fact in data["facts"] if fact["status"] == "active"
        )
        _make_plain(data)
    for _, _, data in graph.edges(data=True):
        _make_plain(data)
    for line in networkx.generate_graphml(graph, named_key_ids=True):
        yield line + "\n"


def _make_plain(data: dict[str, Any]) -> None:
    for name, value in list(data.items()):
        if value is None:
            del data[name]
        elif isinstance(value, str):
            data[name] = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value)


def cytoscape(connection: sqlite3.Connection) -> Iterator[str]:
    """Cytoscape's JSON (`elements` with `nodes` and `edges`), facts and aliases as lists in the node's data."""
    import networkx

    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
    yield from encoder.iterencode(networkx.cytoscape_data(to_networkx(connection)))
    yield "\n"
