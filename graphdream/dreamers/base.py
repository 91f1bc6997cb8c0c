"""What every dreamer is: something that turns what was gathered into proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from graphdream.facts.model import Open
from graphdream.mutations.applier import Proposal
from graphdream.mutations.packed import PackedProposals

if TYPE_CHECKING:
    from graphdream.dreamers.gathered import Gathered


@dataclass(frozen=True, slots=True)
class Judged:
    """Ids of the facts that are to be taken away by a calibrated judgement, inside its error budget.

    Attributes:
        empty: archived, because they say nothing.
        replaced: superseded by a later telling.
    """

    empty: frozenset[int] = frozenset()
    replaced: frozenset[int] = frozenset()

    def __or__(self, other: Judged) -> Judged:
        return Judged(self.empty | other.empty, self.replaced | other.replaced)


@dataclass(frozen=True, slots=True)
class Thought:
    """What a dreamer answers.

    Attributes:
        proposals: mutations in the order in which they are to be applied.
        summary: what it did, in words; of a model, its note to itself for the next dream.
        done, declined: fingerprints of questions that were answered with a proposal, and of those that were looked at
            and left alone; both stay closed while the content they rest on is the same.
        deferred: fingerprint of a question that came up too late to be asked, or that the model put off -> the entities
            it is about; the next pass looks at them again.
        blockers: fingerprint of a question that the model put off -> what it waits for.
        judged: what is taken away by a calibrated judgement; whatever else is has to be accounted for.
        open: pairs of facts that are neither sure enough to act on nor unlikely, the likeliest first.
        unread: keys of sessions that were gathered and did not fit; they are left for the next pass.
        left_open: key of a session -> how many of its sentences nobody here understood; a model may later.
        left: what did not fit, in words.
        from_model: first and last-but-one position of the proposals that come from a model's answer.
        directive, directive_origin: digest of the task prompt, and "agent" or "shipped"; "" where there was none.
        exchanges: digests of the conversations that this rests on; the pass takes them over.
        figures: what the dreamer counted, for the report (error rate, candidates, ...).
        answer: raw answers of a model; "" where none was asked.
        tokens_in, tokens_out, tokens_cached: what was sent and received.
        cost: US dollars; None where the price is not known.
    """

    proposals: Sequence[Proposal]
    summary: str = ""
    done: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()
    deferred: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    blockers: Mapping[str, str] = field(default_factory=dict)
    judged: Judged = field(default_factory=Judged)
    open: Sequence[Open] = ()
    unread: frozenset[str] = frozenset()
    left_open: Mapping[str, int] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    from_model: tuple[int, int] = (0, 0)
    directive: str = ""
    directive_origin: str = ""
    exchanges: tuple[str, ...] = ()
    figures: dict[str, Any] = field(default_factory=dict)
    answer: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float | None = 0.0

    def packed(self) -> Thought:
        """The same, as it waits for its turn in little memory; what is only of use for further thinking is left out."""
        return replace(self, proposals=PackedProposals(self.proposals), open=())


class Dreamer(Protocol):
    """Local, model, recorded: interchangeable.

    One that reads also what the local reader left open says so by an attribute `understands` that is True. One
    that thinks again, with a veto on what lowered recall, says so by `rethinks`; one that asks a model does not. One
    that only reads says by `thinks` that is False that the graph was not looked at.
    """

    name: str

    def read(self, gathered: Gathered) -> Thought:
        """Turn unread sessions into proposals, before anything else. Writes nothing."""
        ...

    def think(self, gathered: Gathered) -> Thought:
        """Turn what was gathered into proposals. Writes nothing, and where `gathered.settling`, asks nobody else."""
        ...
