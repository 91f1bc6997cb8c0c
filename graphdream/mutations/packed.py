"""Many proposals in little memory: each as the bytes of its body, and read again whenever somebody looks at it.

A proposal with its mutation takes some 2 KB of objects, its body as JSON a twentieth of that. What was thought about
the parts of a large graph waits so until all of it is applied.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from graphdream.mutations.applier import Proposal
from graphdream.mutations.registry import typed

_AS_TEXT = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_AS_BODY = json.JSONDecoder().decode


class _Proposals(Sequence[Proposal]):
    """Proposals by their place, from the end where it is negative, or several by a slice. Raises IndexError."""

    @overload
    def __getitem__(self, place: int) -> Proposal: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Proposal]: ...

    def __getitem__(self, place: int | slice) -> Proposal | Sequence[Proposal]:
        places = range(len(self))[place]
        return self._at(places) if isinstance(places, int) else [self._at(one) for one in places]

    @abstractmethod
    def _at(self, place: int) -> Proposal:
        """The proposal at a place from 0 on, which is there."""


class PackedProposals(_Proposals):
    """Proposals in their order. What is no mutation keeps its fault."""

    def __init__(self, proposals: Iterable[Proposal] = ()) -> None:
        self._bytes = bytearray()
        self._ends = array("Q")
        self._faulty: dict[int, Proposal] = {}  # a fault says what the body alone does not
        for place, proposal in enumerate(proposals):
            if proposal.mutation is None:
                self._faulty[place] = proposal
            else:
                self._bytes += _AS_TEXT(proposal.body).encode()
            self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends)

    def _at(self, place: int) -> Proposal:
        faulty = self._faulty.get(place)
        if faulty is not None:
            return faulty
        body = _AS_BODY(self._bytes[self._ends[place - 1] if place else 0 : self._ends[place]].decode())
        return Proposal(body, typed(body))

    def __iter__(self) -> Iterator[Proposal]:
        return map(self._at, range(len(self)))


class ProposalsInTurn(_Proposals):
    """Several sequences of proposals as one, without a copy."""

    def __init__(self, *sequences: Sequence[Proposal]) -> None:
        self._sequences = [one for one in sequences if len(one)]
        self._length = sum(map(len, self._sequences))

    def __len__(self) -> int:
        return self._length

    def _at(self, place: int) -> Proposal:
        for sequence in self._sequences:
            if place < len(sequence):
                return sequence[place]
            place -= len(sequence)
        raise IndexError(place)

    def __iter__(self) -> Iterator[Proposal]:
        for sequence in self._sequences:
            yield from sequence
