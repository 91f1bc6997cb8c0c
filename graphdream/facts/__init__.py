"""What is one fact: duplicates, junk, stale values and contradictions among facts, without a model."""

from graphdream.facts.ahead import read_ahead
from graphdream.facts.consolidate import consolidate
from graphdream.facts.model import Fact, FactFindings, Open, Subject
from graphdream.facts.reading import ReadingMemory

__all__ = ["Fact", "FactFindings", "Open", "ReadingMemory", "Subject", "consolidate", "read_ahead"]
