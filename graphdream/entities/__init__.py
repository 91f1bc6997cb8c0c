"""Who is who: normalise, block, score, cluster. Pure functions over arrays; no database."""

from graphdream.entities.calibration import Calibration
from graphdream.entities.records import Record
from graphdream.entities.resolver import Resolution, resolve

__all__ = ["Calibration", "Record", "Resolution", "resolve"]
