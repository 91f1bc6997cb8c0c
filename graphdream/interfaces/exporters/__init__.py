"""Write the graph out: JSON lines that can be imported again, and forms that other programs and people read."""

from graphdream.interfaces.exporters.export import FORMATS, export_graph

__all__ = ["FORMATS", "export_graph"]
