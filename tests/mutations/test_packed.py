"""Proposals that wait in little memory are the same when their turn comes."""

from __future__ import annotations

import pickle

import pytest

from graphdream.mutations.applier import Proposal
from graphdream.mutations.packed import PackedProposals, ProposalsInTurn
from graphdream.mutations.parse import parse_proposals
from graphdream.mutations.registry import ops

EVERY = [*parse_proposals([dict(op.example) for op in ops()]), Proposal({"op": "fly"}, None, "there is no such op")]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.body["op"])
def test_a_packed_proposal_is_the_same(one: Proposal) -> None:
    packed = PackedProposals([EVERY[0], one, EVERY[-1]])
    assert (packed[1], packed[-2], [*packed][1]) == (one, one, one)
    assert pickle.loads(pickle.dumps(packed))[1] == one


def test_words_in_any_script_are_kept() -> None:
    (one,) = parse_proposals(
        [{"op": "delete_attribute", "content": "a1", "reason": 'mag „Ångström“, 東京 und 🜁 "so"\nund so'}]
    )
    assert list(PackedProposals([one])) == [one]


def test_sequences_in_turn_are_one() -> None:
    packed = PackedProposals(EVERY[2:])
    every = ProposalsInTurn(EVERY[:2], (), packed)
    assert len(every) == len(EVERY)
    assert list(every) == EVERY
    assert [every[place] for place in range(-len(EVERY), len(EVERY))] == [*EVERY, *EVERY]
    assert every[1:4] == EVERY[1:4]
    assert packed[:1] == EVERY[2:3]
    for sequence in (every, packed):
        for place in (len(sequence), -len(sequence) - 1):
            with pytest.raises(IndexError):
                sequence[place]
    assert not ProposalsInTurn((), PackedProposals())
