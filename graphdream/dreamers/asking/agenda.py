"""The calls of one pass, planned before the first is made: a price can be named, a budget kept, and nothing is cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from graphdream.dreamers.asking.chunks import Pair, plan_chunks
from graphdream.dreamers.asking.tools import tools_text
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.prompt.answer_form import EVERYTHING, TIDYING, schema_text
from graphdream.dreamers.prompt.graph_text import Card, GraphText
from graphdream.dreamers.prompt.preamble import Preamble, Standing, preamble
from graphdream.dreamers.prompt.questions import MOST_FACTS, Question, asked
from graphdream.dreamers.prompt.session_text import SessionPart, fenced, session_parts

Count = Callable[[str], int]

# Smaller than a model's window: recall of what stands in the middle falls with length (Liu et al., "Lost in the
# middle", TACL 2024), and a call that fails is cheap. Of a chunk of this size the preamble is about a tenth.
CHUNK_TOKENS = 24_000
# What an incremental pass shows besides the sessions themselves: with preamble and schema below 6,000 tokens for one
# session (issue 5), at any size of the graph. Every further session of a call brings a quarter more of the first two.
AROUND_TOKENS, CHANGED_TOKENS, QUESTION_TOKENS = 750, 300, 600
MOST_FACTS_AROUND = 5
# What an answer is expected to have, for an estimate: measured on answers to the shipped prompts.
ANSWER_TOKENS, TOKENS_A_QUESTION, SHARE_OF_SESSIONS, SHARE_OF_WALK = 60, 6, 0.05, 0.02


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pass may spend. All in tokens but the counts.

    Attributes:
        max_input, max_output: of one call.
        budget: of the whole pass, in and out; None: no bound.
        looks: how often the model may look at the graph in one call; 0: not at all.
        look_tokens: longest answer to one look.
        parallel: calls at the same time.
    """

    max_input: int = 128_000
    max_output: int = 16_000
    budget: int | None = None
    looks: int = 6
    look_tokens: int = 1_500
    parallel: int = 4


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call: what it asks, and what it will take.

    Attributes:
        what: in words, for the ledger: "sessions", "chunk 3 of 17", "across chunks".
        ops: operations that the answer may hold; the schema is made of them.
        sessions: keys of the sessions that it shows to their end.
        questions: those it asks.
        looks: whether the model may look at the graph.
        tokens_in, tokens_out: what is sent, with the schema; what is expected back.
    """

    what: str
    messages: tuple[Message, ...]
    ops: tuple[str, ...]
    tokens_in: int
    tokens_out: int
    sessions: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    looks: bool = True

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out


@dataclass(slots=True)
class Agenda:
    """Planned calls, in order, and what did not fit and is left for the next pass.

    Attributes:
        figures: of the chunks: entities, chunks, pairs together and across, largest chunk, and the like.
        left: in words, for the report.
    """

    calls: list[PlannedCall] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    figures: dict[str, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Of all calls, in and out."""
        return sum(call.tokens for call in self.calls)

    def keep_within(self, budget: int | None) -> None:
        """Leave out the calls that a budget does not reach; later ones that are smaller may still fit.

        A session that is shown in several calls is left whole with the first of them that does not fit.
        """
        if budget is None:
            return
        kept, room = list[PlannedCall](), budget
        for call in self.calls:
            if call.tokens <= room and not self.unread & set(call.sessions):
                kept.append(call)
                room -= call.tokens
            else:
                self.unread |= set(call.sessions)
        if len(kept) < len(self.calls):
            missing = len(self.calls) - len(kept)
            self.left.append(f"{missing} of {len(self.calls)} calls, beyond the budget of {budget:,}")
        self.calls = [call for call in kept if not self.unread & set(call.sessions)]


class Planner:
    """Plans calls of one pass.

    Args:
        standing: what every call begins with.
        count: tokens of a text.
        limits: sizes of a call.
    """

    def __init__(self, standing: Standing, count: Count, limits: Limits) -> None:
        self._standing, self._count, self._limits = standing, count, limits

    # ------------------------------------------------------------------ sessions

    def for_sessions(self, gathered: Gathered, questions: Sequence[Question]) -> Agenda:
        """Calls that read the unread sessions in order of time, as many in one as fit."""
        opening = self._preamble("sessions", EVERYTHING)
        room = self._limits.max_input - opening.tokens - AROUND_TOKENS - CHANGED_TOKENS - QUESTION_TOKENS
        if self._limits.budget is not None:
            around = opening.tokens + self._fixed_tokens(EVERYTHING) + AROUND_TOKENS + CHANGED_TOKENS + QUESTION_TOKENS
            room = max(min(room, self._limits.budget - around), 1_000)
        parts = [
            part
            for session in gathered.sessions
            if session.kind == "session"
            for part in session_parts(session, self._count, max(room // 2, 1_000))
        ]
        agenda = Agenda(left=list(opening.left))
        groups = list(_consecutive(parts, room))
        for number, group in enumerate(groups, 1):
            agenda.calls.append(self._session_call(gathered, questions if number == 1 else (), group, opening))
        return agenda

    def _session_call(
        self, gathered: Gathered, questions: Sequence[Question], parts: Sequence[SessionPart], opening: Preamble
    ) -> PlannedCall:
        keys = tuple(dict.fromkeys(part.key for part in parts))
        room = 1 + (len(keys) - 1) / 4
        around, shown = self._around(gathered, round(AROUND_TOKENS * room))
        put, asking = self._put(gathered, questions, QUESTION_TOKENS, shown)
        shown |= {entity for question in put for entity in question.entities}
        changed = self._changed(gathered, round(CHANGED_TOKENS * room), shown)
        text = "".join(
            (
                fenced("graph", around, about="what the sessions speak of") if around else "",
                fenced("graph", changed, about="what changed since your last dream") if changed else "",
                "".join(part.text for part in parts),
                fenced("questions", asking) if asking else "",
            )
        )
        answer = ANSWER_TOKENS + round(SHARE_OF_SESSIONS * sum(part.tokens for part in parts))
        what = f"{len(keys)} session{'s' if len(keys) > 1 else ''}"
        return self._call(what, opening, text, EVERYTHING, answer, sessions=keys, questions=put)

    def _around(self, gathered: Gathered, most: int) -> tuple[str, set[int]]:
        """Cards of the entities that the sessions name, those with the longest names first: they are the least likely
        to be named by chance."""
        view = gathered.around
        if view is None:
            return "", set()
        text = GraphText(view)
        ranked = sorted(view.entities, key=lambda entity: (-len(entity.name), entity.id))
        cards = (text.card(entity.id, most_facts=MOST_FACTS_AROUND, links=False) for entity in ranked)
        return self._filled(cards, most)

    def _changed(self, gathered: Gathered, most: int, shown: Collection[int]) -> str:
        """Cards of the entities that changed and are not shown elsewhere, the newest first."""
        text = GraphText(gathered)
        changed = sorted((e.id for e in gathered.entities if e.changed and e.id not in shown), reverse=True)
        return self._filled((text.card(entity, most_facts=MOST_FACTS_AROUND) for entity in changed), most)[0]

    def _filled(self, cards: Iterable[Card], most: int) -> tuple[str, set[int]]:
        """As many whole cards as fit, in their order, and whose they are; the model can look at the rest."""
        shown, ids, room, missing = list[str](), set[int](), most, 0
        for card in cards:
            tokens = self._count(card.text)
            if tokens > room:
                missing += 1
                if room < most // 8 or missing > 20:
                    break
                continue
            shown.append(card.text)
            ids.add(card.entity_id)
            room -= tokens
        return "".join(shown) + ("... and more; look at them where it matters\n" if missing else ""), ids

    def _put(
        self, gathered: Gathered, questions: Sequence[Question], most: int, shown: Collection[int]
    ) -> tuple[tuple[Question, ...], str]:
        """The most promising questions that fit with the cards of what they are about and is not shown already."""
        text, room = GraphText(gathered), most
        chosen, cards = list[Question](), dict[int, str]()
        for question in questions:
            fresh = {
                entity: text.card(entity, most_facts=MOST_FACTS, links=False).text
                for entity in question.entities
                if entity not in cards and entity in text and entity not in shown
            }
            tokens = self._count(question.text) + sum(map(self._count, fresh.values())) + 1
            if tokens > room:
                break
            chosen.append(question)
            cards |= fresh
            room -= tokens
        if not chosen:
            return (), ""
        return tuple(chosen), "".join(cards[entity] for entity in sorted(cards)) + asked(chosen)

    # ------------------------------------------------------------------ chunks

    def for_questions(self, gathered: Gathered, questions: Sequence[Question], most_tokens: int | None) -> Agenda:
        """Calls that decide questions about the graph, those that share entities together.

        Args:
            most_tokens: of all calls; the most promising questions are asked first, the rest is left.
        """
        opening = self._preamble("questions", TIDYING)
        cards = self._short_cards(gathered, {entity for question in questions for entity in question.entities})
        chunk_room = self._chunk_room(opening)
        chosen = self._affordable(questions, cards, most_tokens, opening, chunk_room)
        used = {entity for question in chosen for entity in question.entities}
        sizes = {entity: self._count(cards[entity].text) + 4 for entity in used}
        for question in chosen:
            sizes[question.entities[0]] += self._count(question.text) + 1
        weights: dict[Pair, float] = {}
        for question in chosen:
            if len(question.entities) > 1:
                pair = (question.entities[0], question.entities[1])
                weights[pair] = max(question.weight, weights.get(pair, 0.0))
        plan = plan_chunks(sizes, weights, (), chunk_room)
        agenda = Agenda(left=list(opening.left), figures=_chunk_figures(plan.chunks, plan.sizes, weights, plan.across))
        if len(chosen) < len(questions):
            agenda.left.append(f"{len(questions) - len(chosen)} of {len(questions)} questions, the least promising")
        apart = set(plan.across)
        for number, chunk in enumerate(plan.chunks, 1):
            members = set(chunk)
            put = tuple(q for q in chosen if set(q.entities) <= members)
            agenda.calls.append(
                self._question_call(f"questions {number} of {len(plan.chunks)}", opening, chunk, cards, put)
            )
        crossing = [q for q in chosen if len(q.entities) > 1 and q.entities in apart]
        agenda.calls += self._across(crossing, cards, chunk_room)
        agenda.figures["questions"] = len(chosen)
        return agenda

    def _affordable(
        self, questions: Sequence[Question], cards: dict[int, Card], most: int | None, opening: Preamble, chunk: int
    ) -> list[Question]:
        """The most promising questions whose cards, with a preamble for each chunk of them, stay within a bound."""
        if most is None:
            return list(questions)
        each_call = opening.tokens + self._fixed_tokens(TIDYING) + ANSWER_TOKENS
        room, seen, chosen = (most - each_call) / (1 + each_call / chunk), set[int](), list[Question]()
        for question in questions:
            fresh = [entity for entity in question.entities if entity not in seen]
            room -= self._count(question.text) + TOKENS_A_QUESTION + 1
            room -= sum(self._count(cards[entity].text) + 4 for entity in fresh)
            if room < 0:
                break
            seen.update(fresh)
            chosen.append(question)
        return chosen

    def _question_call(
        self, what: str, opening: Preamble, chunk: Sequence[int], cards: dict[int, Card], put: tuple[Question, ...]
    ) -> PlannedCall:
        text = fenced("graph", "".join(cards[entity].text for entity in chunk)) + fenced("questions", asked(put))
        answer = ANSWER_TOKENS + TOKENS_A_QUESTION * len(put)
        return self._call(what, opening, text, TIDYING, answer, questions=put)

    def _across(self, questions: Sequence[Question], cards: dict[int, Card], most: int) -> list[PlannedCall]:
        """Calls for pairs whose two sides are in different chunks: both cards again, as many pairs as fit."""
        opening = self._preamble("across", TIDYING)
        calls, left = list[PlannedCall](), list(questions)
        while left:
            put, members, room = list[Question](), set[int](), most
            while left:
                fresh = set(left[0].entities) - members
                tokens = self._count(left[0].text) + 1 + sum(self._count(cards[entity].text) + 4 for entity in fresh)
                if put and tokens > room:
                    break
                members |= fresh
                room -= tokens
                put.append(left.pop(0))
            calls.append(self._question_call("across chunks", opening, sorted(members), cards, tuple(put)))
        return calls

    def _short_cards(self, gathered: Gathered, wanted: set[int]) -> dict[int, Card]:
        text = GraphText(gathered)
        return {entity: text.card(entity, most_facts=MOST_FACTS, links=False) for entity in sorted(wanted)}

    # ------------------------------------------------------------------ the whole graph

    def for_walk(self, gathered: Gathered, questions: Sequence[Question]) -> Agenda:
        """Calls that show every entity once, likely duplicates together, then the pairs that had to be parted."""
        opening = self._preamble("walk", EVERYTHING)
        room = self._chunk_room(opening)
        text = GraphText(gathered)
        cards, cut = dict[int, Card](), 0
        for entity in gathered.entities:
            card = text.card(entity.id)
            if self._count(card.text) + 4 > room:
                card, cut = self._cut(text, entity.id, room), cut + 1
            cards[entity.id] = card
        sizes = {entity: min(self._count(card.text) + 4, room) for entity, card in cards.items()}
        pairs = {
            (q.entities[0], q.entities[1]): q.weight for q in questions if q.kind == "same" and len(q.entities) > 1
        }
        links = [
            (link.source_id, link.target_id)
            for link in gathered.links
            if link.target_id is not None and link.source_id != link.target_id
        ]
        plan = plan_chunks(sizes, pairs, links, room)
        agenda = Agenda(left=list(opening.left), figures=_chunk_figures(plan.chunks, plan.sizes, pairs, plan.across))
        if cut:
            agenda.left.append(f"facts of {cut} entities that are larger than a call")
        for number, chunk in enumerate(plan.chunks, 1):
            members = set(chunk)
            put = tuple(q for q in questions if set(q.entities) <= members)
            body = fenced("graph", "".join(cards[entity].text for entity in chunk))
            answer = ANSWER_TOKENS + round(SHARE_OF_WALK * self._count(body))
            agenda.calls.append(
                self._call(f"chunk {number} of {len(plan.chunks)}", opening, body, EVERYTHING, answer, questions=put)
            )
        apart = set(plan.across)
        crossing = [q for q in questions if q.kind == "same" and q.entities in apart]
        short = self._short_cards(gathered, {entity for q in crossing for entity in q.entities})
        agenda.calls += self._across(crossing, short, room)
        return agenda

    def _cut(self, text: GraphText, entity_id: int, room: int) -> Card:
        """A card with as many facts as fit one call."""
        facts = 512
        while facts > 1:
            card = text.card(entity_id, most_facts=facts, links=False)
            if self._count(card.text) + 4 <= room:
                return card
            facts //= 2
        return text.card(entity_id, most_facts=1, links=False)

    # ------------------------------------------------------------------ common

    def _fixed_tokens(self, ops: tuple[str, ...]) -> int:
        """What is sent with every call besides its messages: the schema and the tools."""
        return self._count(schema_text(ops)) + (self._count(tools_text()) if self._limits.looks else 0)

    def _preamble(self, task: str, ops: tuple[str, ...]) -> Preamble:
        return preamble(self._standing, task, ops, self._count, self._limits.max_input)

    def _chunk_room(self, opening: Preamble) -> int:
        return max(min(CHUNK_TOKENS, self._limits.max_input - opening.tokens - 200), 500)

    def _call(
        self, what: str, opening: Preamble, text: str, ops: tuple[str, ...], answer: int,
        *, sessions: tuple[str, ...] = (), questions: tuple[Question, ...] = (),
    ) -> PlannedCall:  # fmt: skip
        return PlannedCall(
            what=what,
            messages=(*opening.messages, Message("user", text)),
            ops=ops,
            tokens_in=opening.tokens + self._count(text) + self._fixed_tokens(ops),
            tokens_out=min(answer, self._limits.max_output),
            sessions=sessions,
            questions=questions,
        )


def merged(first: Agenda, second: Agenda) -> Agenda:
    """Two agendas as one, the first one's calls first."""
    return replace(
        first,
        calls=first.calls + second.calls,
        unread=first.unread | second.unread,
        figures={**first.figures, **second.figures},
        left=list(dict.fromkeys(first.left + second.left)),
    )


def _consecutive(parts: Sequence[SessionPart], room: int) -> list[list[SessionPart]]:
    """Parts in order, as many in a group as fit; a session in several parts shares a group with no other, so that it
    can be left whole."""
    several = {key for key, number in Counter(part.key for part in parts).items() if number > 1}
    groups: list[list[SessionPart]] = []
    left, held = 0, ""
    for part in parts:
        alone = part.key in several or held in several
        if not groups or part.tokens > left or (alone and part.key != held):
            groups.append([])
            left = room
        groups[-1].append(part)
        left, held = left - part.tokens, part.key
    return groups


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
