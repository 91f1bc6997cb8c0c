"""Who is who: normalise, block, score, cluster. Pure functions over arrays; no database."""

from graphdream.resolve.calibration import Calibration
from graphdream.resolve.records import Record
from graphdream.resolve.resolver import Resolution, resolve

__all__ = ["Calibration", "Record", "Resolution", "resolve"]
