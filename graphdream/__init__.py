"""graphdream consolidates an AI agent's long-term memory while it sleeps.

    import graphdream

    with graphdream.open("agent.db") as graph:
        graph.record_session("s1", summary="Avery moved the deadline to Friday.")
        if graph.dream_due():
            report = graph.dream()
            graph.undo(report.pass_id)

Nothing heavy is imported before it is used: a session-end hook that records a session starts in milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphdream.errors import GraphdreamError
    from graphdream.library import Graph, open

__version__ = "0.1.0"
__all__ = ["Graph", "GraphdreamError", "open"]


def __getattr__(name: str) -> Any:
    if name in ("Graph", "open"):
        from graphdream import library

        return getattr(library, name)
    if name == "GraphdreamError":
        from graphdream.errors import GraphdreamError

        return GraphdreamError
    raise AttributeError(f"module 'graphdream' has no attribute {name!r}")
