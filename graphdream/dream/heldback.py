"""A dreamer who leaves out of another one's proposals what is held, and says so."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from graphdream.dream.held import Held, words_of_mutation
from graphdream.dreamers.base import Dreamer, Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.local import LocalDreamer
from graphdream.graph.store import Store
from graphdream.mutations.applier import Proposal
from graphdream.mutations.registry import adds

_LOOKS = 4  # one or two are the rule


def _held_sessions(connection: sqlite3.Connection) -> int:
    """Sessions whose reading was taken back, and that nobody has read since."""
    row = connection.execute(
        "SELECT count(DISTINCT session_id) FROM (SELECT session_id, read_by FROM summary UNION ALL"
        " SELECT session_id, read_by FROM observation) JOIN session ON session.id = session_id"
        " WHERE session.kind = 'session' AND read_by IN (SELECT id FROM pass WHERE undoes <> '[]')"
    ).fetchone()
    return int(row[0])


@dataclass(slots=True)
class HoldingBack:
    """A dreamer who leaves out of another one's proposals what is held.

    Attributes:
        dreamer: who thinks.
        again: what is held may be proposed anew.
        taken_back, rejected: the proposals left out so far, whole or in part, as text: a pass may think twice. The
            latter are those that a person rejected in a plan.
        name, rethinks, thinks, understands, local: the dreamer's own.
    """

    store: Store
    dreamer: Dreamer
    again: bool = False
    taken_back: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    name: str = field(init=False)
    rethinks: bool = field(init=False)
    thinks: bool = field(init=False)
    understands: bool = field(init=False)
    local: LocalDreamer | None = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.dreamer.name
        self.rethinks = getattr(self.dreamer, "rethinks", False)
        self.thinks = getattr(self.dreamer, "thinks", True)
        self.understands = getattr(self.dreamer, "understands", False)
        self.local = getattr(self.dreamer, "local", None)

    def read(self, gathered: Gathered) -> Thought:
        """As the dreamer reads, without what is held. What is added is not: no pass has read these sessions, so what
        they say was not taken back, even where it is in the same words."""
        return self._without_held(self.dreamer.read(gathered), but=adds)

    def think(self, gathered: Gathered) -> Thought:
        """As the dreamer thinks, without what is held."""
        return self.kept_of(self.dreamer.think(gathered), lambda: gathered)

    def kept_of(self, thought: Thought, shown: Callable[[], Gathered]) -> Thought:
        """What the dreamer thought, without what is held.

        A dreamer counts on all that it proposes. Where some of that is held and some is not, it looks again at what
        will be, so that the next pass finds nothing that this one could have seen. Nobody else is asked for that.

        Args:
            shown: reads what the dreamer was shown.
        """
        from graphdream.dreamers.hybrid import foreseen  # brings all that a model needs, and most passes have none

        whole, thought = thought, self._without_held(thought)
        if thought is whole:
            return whole
        view, kept, judged = replace(shown(), settling=True), list(thought.proposals), thought.judged
        fresh, known = kept, {words_of_mutation(proposal.body) for proposal in kept}
        for _ in range(_LOOKS):
            if not fresh:
                break
            view = foreseen(view, fresh)
            found = self._without_held(self.dreamer.think(view))
            judged |= found.judged
            fresh = [proposal for proposal in found.proposals if words_of_mutation(proposal.body) not in known]
            known.update(words_of_mutation(proposal.body) for proposal in fresh)
            kept += fresh
        return replace(thought, proposals=kept, judged=judged)

    def _without_held(self, thought: Thought, *, but: Callable[[str], bool] = lambda _: False) -> Thought:
        if self.again:
            return thought
        held, kept, places = Held(self.store), list[Proposal](), [0]
        if held.is_empty:
            return thought
        is_whole = True
        for proposal in thought.proposals:
            mutation = proposal.mutation
            left = held.left_of(mutation) if mutation is not None and not but(mutation.op) else mutation
            if mutation is None or left is mutation:  # what could not be read is no mutation
                kept.append(proposal)
            else:
                is_whole = False
                left_out = self.rejected if held.is_rejected(mutation) else self.taken_back
                left_out.add(words_of_mutation(proposal.body))
                kept += [] if left is None else [Proposal.of(left)]
            places.append(len(kept))
        if is_whole:
            return thought
        start, end = thought.from_model
        return replace(thought, proposals=kept, from_model=(places[start], places[end]))

    def told(self) -> str:
        """What was left alone, in one line; "" where nothing was."""
        sessions = 0 if self.again else _held_sessions(self.store.connection)
        parts = [
            f"{' and '.join(things)} {verb}"
            for things, verb in (
                (_counted(("change", len(self.taken_back)), ("session", sessions)), "taken back"),
                (_counted(("change", len(self.rejected))), "rejected"),
            )
            if things
        ]
        if not parts:
            return ""
        return f"{' and '.join(parts)} by a person, left alone; graphdream dream --again takes them up"


def _counted(*things: tuple[str, int]) -> list[str]:
    return [f"{number:,} {noun}{'s' if number > 1 else ''}" for noun, number in things if number]
