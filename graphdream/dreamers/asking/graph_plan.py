"""The calls that go through a graph: the questions in it, or all of it; likely duplicates are kept together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graphdream.dreamers.asking.agenda import FEWEST_OUT, ROOM_OUT, Agenda, PlannedCall
from graphdream.dreamers.asking.calls import ANSWER_TOKENS, VERDICT_TOKENS, CallMaker
from graphdream.dreamers.asking.chunks import Pair, plan_chunks
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.prompt.answer_form import everything, tidying
from graphdream.dreamers.prompt.graph_text import Card, GraphText
from graphdream.dreamers.prompt.preamble import Preamble
from graphdream.dreamers.prompt.questions import NUMBER_TOKENS, Question, asked, facts_in_question, facts_shown
from graphdream.dreamers.prompt.session_text import section

# Of a chunk's tokens, expected back from a walk besides: the estimate holds from nothing to an eighth of them.
ANSWER_SHARE = 0.03
MARGIN = 4  # tokens of a card's fence and of cuts between texts that were counted apart


class GraphPlanner:
    """Plans a way through a graph."""

    def __init__(self, maker: CallMaker) -> None:
        self.maker = maker

    def for_questions(self, gathered: Gathered, questions: Sequence[Question], most_tokens: int | None) -> Agenda:
        """Calls that decide questions about the graph, those that share entities together.

        Args:
            most_tokens: expected of all calls; the most promising questions are asked first, the rest is left. So is
            what the budget does not reach with the longest answers that are asked for.
        """
        opening = self.maker.preamble("questions", tidying())
        cards = self.short_cards(gathered, questions)
        chunk_room = self.maker.chunk_room(opening)
        budget = self.maker.limits.budget
        chosen = self._affordable(questions, cards, most_tokens, opening, chunk_room, VERDICT_TOKENS, ANSWER_TOKENS)
        held_back = ROOM_OUT * VERDICT_TOKENS, max(FEWEST_OUT, ROOM_OUT * ANSWER_TOKENS)
        chosen = self._affordable(chosen, cards, budget, opening, chunk_room, *held_back)
        used = {entity for question in chosen for entity in question.entities}
        sizes = {entity: self.maker.count(cards[entity].text) + MARGIN for entity in used}
        for question in chosen:
            sizes[question.entities[0]] += self.maker.count(question.text + question.data) + NUMBER_TOKENS
        weights: dict[Pair, float] = {}
        for question in chosen:
            if len(question.entities) > 1:
                pair = (question.entities[0], question.entities[1])
                weights[pair] = max(question.weight, weights.get(pair, 0.0))
        plan = plan_chunks(sizes, weights, (), chunk_room)
        agenda = Agenda(left=list(opening.left), figures=_chunk_figures(plan.chunks, plan.sizes, weights, plan.across))
        if len(chosen) < len(questions):
            agenda.figures["questions_left"] = len(questions) - len(chosen)
            agenda.left.append(f"{len(questions) - len(chosen)} of {len(questions)} questions, the least promising")
        apart = set(plan.across)
        for number, chunk in enumerate(plan.chunks, 1):
            members = set(chunk)
            put = tuple(q for q in chosen if set(q.entities) <= members)
            agenda.calls.append(
                self._question_call(f"questions {number} of {len(plan.chunks)}", opening, chunk, cards, put)
            )
        crossing = [q for q in chosen if len(q.entities) > 1 and q.entities in apart]
        agenda.calls += self.across(crossing, cards, chunk_room)
        agenda.figures["questions"] = len(chosen)
        return agenda

    def _affordable(
        self, questions: Sequence[Question], cards: dict[int, Card], most: int | None, opening: Preamble, chunk: int,
        answer: int, besides: int,
    ) -> list[Question]:  # fmt: skip
        """The most promising questions whose cards, with a preamble for each chunk of them, stay within a bound.

        Args:
            answer, besides: tokens of the answer to one question, and of the rest of an answer.
        """
        if most is None:
            return list(questions)
        each_call = opening.tokens + self.maker.fixed_tokens(tidying()) + besides
        room, seen, chosen = (most - each_call) / (1 + each_call / chunk), set[int](), list[Question]()
        for question in questions:
            fresh = [entity for entity in question.entities if entity not in seen]
            room -= self.maker.count(question.text + question.data) + NUMBER_TOKENS + answer
            room -= sum(self.maker.count(cards[entity].text) + MARGIN for entity in fresh)
            if room < 0:
                break
            seen.update(fresh)
            chosen.append(question)
        return chosen

    def _question_call(
        self, what: str, opening: Preamble, chunk: Sequence[int], cards: dict[int, Card], put: tuple[Question, ...]
    ) -> PlannedCall:
        shown = "".join(cards[entity].text for entity in chunk) + facts_in_question(put)
        text = section("graph", shown) + asked(put)

        def split() -> list[PlannedCall]:
            middle = (len(put) + 1) // 2
            halves = [half for half in (put[:middle], put[middle:]) if half]
            return [self._question_call(what, opening, _members(half), cards, half) for half in halves]

        return self.maker.call(what, opening, text, tidying(), ANSWER_TOKENS, questions=put, split=split)

    def across(self, questions: Sequence[Question], cards: dict[int, Card], most: int) -> list[PlannedCall]:
        """Calls for pairs whose two sides are in different chunks: both cards again, as many pairs as fit."""
        opening = self.maker.preamble("across", tidying())
        calls, left = list[PlannedCall](), list(questions)
        while left:
            put, members, room = list[Question](), set[int](), most
            while left:
                fresh = set(left[0].entities) - members
                tokens = (
                    self.maker.count(left[0].text)
                    + NUMBER_TOKENS
                    + sum(self.maker.count(cards[entity].text) + MARGIN for entity in fresh)
                )
                if put and tokens > room:
                    break
                members |= fresh
                room -= tokens
                put.append(left.pop(0))
            calls.append(self._question_call("across chunks", opening, _members(put), cards, tuple(put)))
        return calls

    def short_cards(self, gathered: Gathered, questions: Sequence[Question]) -> dict[int, Card]:
        """What questions show of the entities that they are about."""
        text = GraphText(gathered)
        return {
            entity: text.card(entity, most_facts=most, links=False)
            for entity, most in sorted(facts_shown(questions).items())
        }

    def for_walk(self, gathered: Gathered, questions: Sequence[Question]) -> Agenda:
        """Calls that show every entity once, likely duplicates together, then the pairs that had to be parted."""
        opening = self.maker.preamble("walk", everything())
        room = self.maker.chunk_room(opening)
        text = GraphText(gathered)
        cards, cut = dict[int, Card](), 0
        for entity in gathered.entities:
            card = text.card(entity.id)
            if self.maker.count(card.text) + MARGIN > room:
                card, cut = self._cut(text, entity.id, room), cut + 1
            cards[entity.id] = card
        sizes = {entity: min(self.maker.count(card.text) + MARGIN, room) for entity, card in cards.items()}
        pairs = {
            (q.entities[0], q.entities[1]): q.weight for q in questions if q.kind == "same" and len(q.entities) > 1
        }
        links = [
            (link.source_id, link.target_id)
            for link in gathered.links
            if link.target_id is not None and link.source_id != link.target_id
        ]
        walk = _Walk(self, opening, cards, sizes, pairs, links, questions, gathered)
        plan = plan_chunks(sizes, pairs, links, room)
        agenda = Agenda(left=list(opening.left), figures=_chunk_figures(plan.chunks, plan.sizes, pairs, plan.across))
        if cut:
            agenda.left.append(f"facts of {cut} entities that are larger than a call")
        for number, chunk in enumerate(plan.chunks, 1):
            agenda.calls.append(walk.call(f"chunk {number} of {len(plan.chunks)}", chunk))
        agenda.calls += walk.across(plan.across, room)
        return agenda

    def _cut(self, text: GraphText, entity_id: int, room: int) -> Card:
        """A card with as many facts as fit one call."""
        facts = 512
        while facts > 1:
            card = text.card(entity_id, most_facts=facts, links=False)
            if self.maker.count(card.text) + MARGIN <= room:
                return card
            facts //= 2
        return text.card(entity_id, most_facts=1, links=False)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A way through the whole graph: what its calls are made of."""

    planner: GraphPlanner
    opening: Preamble
    cards: Mapping[int, Card]
    sizes: Mapping[int, int]
    pairs: Mapping[Pair, float]
    links: Sequence[Pair]
    questions: Sequence[Question]
    gathered: Gathered

    def call(self, what: str, chunk: Sequence[int]) -> PlannedCall:
        """A call that shows some entities, with the questions that are about them alone."""
        members = set(chunk)
        put = tuple(question for question in self.questions if set(question.entities) <= members)
        body = section("graph", "".join(self.cards[entity].text for entity in chunk)) + asked(put)
        answer = ANSWER_TOKENS + round(ANSWER_SHARE * self.planner.maker.count(body))
        return self.planner.maker.call(
            what, self.opening, body, everything(), answer, questions=put, split=lambda: self._parts(what, members)
        )

    def across(self, apart: Collection[Pair], room: int) -> list[PlannedCall]:
        """Calls for pairs whose sides are shown in different calls."""
        crossing = [question for question in self.questions if question.kind == "same" and question.entities in apart]
        short = self.planner.short_cards(self.gathered, crossing)
        return self.planner.across(crossing, short, room)

    def _parts(self, what: str, members: set[int]) -> list[PlannedCall]:
        """A chunk in chunks of about half its size, likely duplicates together again, and what had to be parted."""
        sizes = {entity: self.sizes[entity] for entity in sorted(members)}
        pairs = {pair: weight for pair, weight in self.pairs.items() if members.issuperset(pair)}
        most = max(max(sizes.values()), (sum(sizes.values()) + 1) // 2)
        plan = plan_chunks(sizes, pairs, self.links, most)
        return [*(self.call(what, chunk) for chunk in plan.chunks), *self.across(set(plan.across), most)]


def _members(questions: Sequence[Question]) -> list[int]:
    return sorted({entity for question in questions for entity in question.entities})


def _chunk_figures(
    chunks: Sequence[Sequence[int]], sizes: Sequence[int], pairs: dict[Pair, float], across: Sequence[Pair]
) -> dict[str, int]:
    return {
        "entities_in_chunks": sum(map(len, chunks)),
        "chunks": len(chunks),
        "largest_chunk_tokens": max(sizes, default=0),
        "candidate_pairs": len(pairs),
        "pairs_together": len(pairs) - len(across),
        "pairs_across": len(across),
    }
