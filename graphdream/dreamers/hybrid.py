"""The hybrid dreamer: the local one decides what is certain, for nothing; a model is asked about the rest.

The rest is: new sessions, pairs of entities and of facts that lie between the two thresholds, and facts that contradict
each other. It is the default wherever a model is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphdream.dreamers.asking.agenda import Agenda
from graphdream.dreamers.base import Thought
from graphdream.dreamers.foresight import Foresight
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.local import LocalDreamer, records_of
from graphdream.dreamers.model import ModelDreamer
from graphdream.dreamers.prompt.questions import open_questions
from graphdream.entities import resolve
from graphdream.facts import Open
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal


class HybridDreamer:
    """Both dreamers, each for what it is good at.

    Args:
        local: decides what is certain.
        asked: asks a model.
        thorough: a compaction shows the model the whole graph, not only what is open.
    """

    name = "hybrid"
    rethinks = False
    understands = True

    def __init__(self, local: LocalDreamer, asked: ModelDreamer, *, thorough: bool = False) -> None:
        self.local, self._asked, self._thorough = local, asked, thorough

    def read(self, gathered: Gathered) -> Thought:
        """What the model makes of the unread sessions and of the questions that the change since raises."""
        return self._asked.read_sessions(gathered, self._band(gathered), self._open_facts(gathered))

    def think(self, gathered: Gathered) -> Thought:
        """What is certain; and, before the transaction of the pass, what the model says about what is not."""
        certain = self.local.think(gathered)
        if gathered.settling:
            return replace(certain, deferred=self._too_late(gathered, certain))
        if gathered.lived:
            return certain  # the model was asked when it read them
        agenda = self._plan_open(gathered, certain)
        return _joined(certain, self._asked.answer(agenda), certain.figures)

    def plan(self, gathered: Gathered) -> Agenda:
        """The calls that a pass over this view would make; asks nobody."""
        if gathered.lived:
            return self._asked.plan_sessions(gathered, self._band(gathered), self._open_facts(gathered))
        return self._plan_open(gathered, self.local.think(gathered))

    def count(self, text: str) -> int:
        """Tokens of a text, as plans count them."""
        return self._asked.client.count(text)

    def _too_late(self, gathered: Gathered, certain: Thought) -> dict[str, tuple[int, ...]]:
        """Questions about what was just read: for the next pass, because nobody can be waited for here."""
        view = foreseen(gathered, certain.proposals)
        questions = open_questions(view, self._band(view), certain.open)
        return {question.fingerprint: question.entities for question in questions}

    def _plan_open(self, gathered: Gathered, certain: Thought) -> Agenda:
        """The calls about what is open once the certain was done."""
        view = foreseen(gathered, certain.proposals)
        whole = self._asked.graph_tokens(gathered)
        thorough = self._thorough and gathered.mode == "compact"
        agenda = self._asked.plan_tidying(view, self._band(view), certain.open, thorough=thorough, whole_tokens=whole)
        agenda.figures["graph_tokens"] = whole
        return agenda

    def _open_facts(self, gathered: Gathered) -> Sequence[Open]:
        """What is open of the facts around unread sessions; of a whole graph it waits until the certain is done."""
        return () if gathered.mode == "compact" else self.local.open_facts(gathered)

    def _band(self, view: Gathered) -> tuple[tuple[str, str, float], ...]:
        changed = None
        if view.mode != "compact":
            changed = frozenset(str(entity.id) for entity in view.entities if entity.changed)
            if not changed:
                return ()
        return resolve(
            records_of(view),
            max_false_merge_rate=self.local.max_false_merge_rate,
            distinct=[(str(low), str(high)) for low, high in sorted(view.distinct)],
            changed=changed,
            sort="memory",
        ).band


def foreseen(gathered: Gathered, proposals: Iterable[Proposal]) -> Gathered:
    """The view as it will be once the local dreamer's own proposals are applied."""
    foresight = Foresight(gathered)
    foresight.take([one.mutation for one in proposals if isinstance(one.mutation, model.Mutation)])
    return foresight.view()


def _joined(certain: Thought, asked: Thought, figures: dict[str, int | float]) -> Thought:
    """Both thoughts as one, the certain first, so that the model's speak of what is then there."""
    first = len(certain.proposals)
    return replace(
        asked,
        proposals=[*certain.proposals, *asked.proposals],
        declined=certain.declined | asked.declined,
        judged=certain.judged,
        figures={**figures, **asked.figures},
        from_model=(first + asked.from_model[0], first + asked.from_model[1]),
    )
