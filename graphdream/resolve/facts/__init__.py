"""What is one fact: duplicates, junk, stale values and contradictions among facts, without a model."""

from graphdream.resolve.facts.consolidate import consolidate
from graphdream.resolve.facts.model import Fact, FactFindings, Subject

__all__ = ["Fact", "FactFindings", "Subject", "consolidate"]
