"""What is one fact: duplicates, junk, stale values and contradictions among facts, without a model."""

from graphdream.resolve.facts.ahead import read_ahead
from graphdream.resolve.facts.consolidate import consolidate
from graphdream.resolve.facts.model import Fact, FactFindings, Subject
from graphdream.resolve.facts.reading import ReadingMemory

__all__ = ["Fact", "FactFindings", "ReadingMemory", "Subject", "consolidate", "read_ahead"]
