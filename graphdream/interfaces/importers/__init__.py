"""Read a graph in: JSON lines from a file or from objects at hand, checked whole, written as one pass."""

from graphdream.interfaces.importers.graph import ImportReport, import_graph, import_lines

__all__ = ["ImportReport", "import_graph", "import_lines"]
