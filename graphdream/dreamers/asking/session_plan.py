"""The calls that read unread sessions, with what the graph holds on what they speak of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from graphdream.dreamers.asking.agenda import FEWEST_OUT, Agenda, PlannedCall
from graphdream.dreamers.asking.calls import CallMaker
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.prompt.answer_form import everything
from graphdream.dreamers.prompt.graph_text import Card, GraphText
from graphdream.dreamers.prompt.preamble import Preamble
from graphdream.dreamers.prompt.questions import NUMBER_TOKENS, Question, asked, facts_in_question, facts_shown
from graphdream.dreamers.prompt.session_text import SessionPart, section, session_parts

# What an incremental pass shows besides the sessions themselves: with preamble and schema below 6,000 tokens for one
# session, at any size of the graph. Every further session of a call brings a quarter more of the first two.
AROUND_TOKENS, CHANGED_TOKENS, QUESTION_TOKENS = 650, 300, 450
BESIDES = AROUND_TOKENS + CHANGED_TOKENS + QUESTION_TOKENS
MOST_FACTS_AROUND = 5
SMALLEST_PART = 300  # tokens of a session that are worth a call of their own
# Of what is sent, expected back. What a session comes to is up to the model, so this is chosen for the widest span that
# is within a tenth of the estimate: from nothing to a sixth of what is sent, a dozen facts with their quotes where the
# session is short.
ANSWER_SHARE = 0.06


class SessionPlanner:
    """Plans the reading of sessions."""

    def __init__(self, maker: CallMaker) -> None:
        self._maker = maker

    def plan(self, gathered: Gathered, questions: Sequence[Question]) -> Agenda:
        """Calls that read the unread sessions in order of time, as many in one as fit."""
        opening = self._maker.preamble("sessions", everything())
        room = self._maker.limits.max_input - opening.tokens - BESIDES
        if self._maker.limits.budget is not None:
            around = opening.tokens + self._maker.fixed_tokens(everything(), looks=True) + BESIDES + FEWEST_OUT
            room = max(min(room, self._maker.limits.budget - around), 1_000)
        parts = [
            part
            for session in gathered.lived
            for part in session_parts(session, self._maker.count, max(room // 2, 1_000))
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
        put, cards = self._put(gathered, questions, QUESTION_TOKENS, shown)
        shown |= {entity for question in put for entity in question.entities}
        changed = self._changed(gathered, round(CHANGED_TOKENS * room), shown)
        text = "".join(
            (
                section("graph", around, about="what the sessions speak of") if around else "",
                section("graph", changed, about="what changed since your last dream") if changed else "",
                "".join(part.text for part in parts),
                section("graph", cards, about="what the questions are about") if cards else "",
                asked(put),
            )
        )
        sent = opening.tokens + self._maker.fixed_tokens(everything(), looks=True) + self._maker.count(text)
        answer = round(ANSWER_SHARE * sent)
        what = f"{len(keys)} session{'s' if len(keys) > 1 else ''}"

        def split() -> list[PlannedCall]:
            first, second = self._halves(gathered, parts)
            if not second:
                return []
            return [
                self._session_call(gathered, put, first, opening), self._session_call(gathered, (), second, opening)
            ]  # fmt: skip

        return self._maker.call(
            what, opening, text, everything(), answer, sessions=keys, questions=put, looks=True, split=split
        )

    def _halves(
        self, gathered: Gathered, parts: Sequence[SessionPart]
    ) -> tuple[Sequence[SessionPart], Sequence[SessionPart]]:
        """Parts of sessions in two groups; a lone session is cut between sentences, a part of one stays as it is."""
        if len(parts) == 1:
            (session,) = (session for session in gathered.lived if session.key == parts[0].key)
            if session_parts(session, self._maker.count, 2 * parts[0].tokens) != list(parts):
                return parts, ()
            parts = session_parts(session, self._maker.count, max(parts[0].tokens * 2 // 3, SMALLEST_PART))
        middle = (len(parts) + 1) // 2
        return parts[:middle], parts[middle:]

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
            tokens = self._maker.count(card.text)
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
                entity: text.card(entity, most_facts=most, links=False).text
                for entity, most in facts_shown([question]).items()
                if entity not in cards and entity in text and entity not in shown
            }
            tokens = self._maker.count(question.text + question.data) + sum(map(self._maker.count, fresh.values()))
            tokens += NUMBER_TOKENS
            if tokens > room:
                break
            chosen.append(question)
            cards |= fresh
            room -= tokens
        if not chosen:
            return (), ""
        return tuple(chosen), "".join(cards[entity] for entity in sorted(cards)) + facts_in_question(chosen)


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
