"""The model dreamer: any language model, asked in planned calls about sessions and about questions in the graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from graphdream.dreamers.asking.agenda import Agenda, Limits
from graphdream.dreamers.asking.answers import Answers, Desk, hold_all
from graphdream.dreamers.asking.calls import CallMaker
from graphdream.dreamers.asking.exchange import Exchange
from graphdream.dreamers.asking.graph_plan import GraphPlanner
from graphdream.dreamers.asking.session_plan import SessionPlanner
from graphdream.dreamers.base import Thought
from graphdream.dreamers.client.base import Client, total
from graphdream.dreamers.client.errors import BudgetError, ClientError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.prompt.directive import Directive
from graphdream.dreamers.prompt.graph_text import GraphText, one_line
from graphdream.dreamers.prompt.preamble import Standing
from graphdream.dreamers.prompt.questions import answered, open_questions
from graphdream.facts.model import Open
from graphdream.mutations.applier import Proposal

Band = Iterable[tuple[str, str, float]]
OpenFacts = Iterable[Open]

# A tidying asks the model about what is left open, for at most this share of what sending the whole graph once would
# take, a tenth, and for at least so many tokens that a small graph gets a question in.
SHARE_OF_GRAPH = 0.09
FEWEST_TOKENS = 8_000


class RefusedError(ClientError):
    """The model refused to answer, or its answers could not be read."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked: what every call begins with, what it may spend, and what conversations rest on; `ledger`:
    where the client counts what it sends, for the report."""

    standing: Standing
    limits: Limits = field(default_factory=Limits)
    desk: Desk = field(default_factory=Desk)
    ledger: Ledger | None = None


class ModelDreamer:
    """Asks a model; decides nothing itself.

    Args:
        client: the model.
        asking: how it is asked.
    """

    name = "model"
    rethinks = False

    def __init__(self, client: Client, asking: Asking) -> None:
        self.client, self.asking = client, asking
        maker = CallMaker(asking.standing, client.count, asking.limits)
        self._sessions, self._graph = SessionPlanner(maker), GraphPlanner(maker)

    def read(self, gathered: Gathered) -> Thought:
        """What the unread sessions come to."""
        return self.read_sessions(gathered, ())

    def think(self, gathered: Gathered) -> Thought:
        """A walk through the whole graph in compact mode; else nothing, because nothing was noticed."""
        if gathered.settling or gathered.mode != "compact":
            return Thought(())
        return self.answer(self.plan_tidying(gathered, (), thorough=True))

    # ------------------------------------------------------------------ plans, which ask nobody

    def plan_sessions(self, gathered: Gathered, band: Band, facts: OpenFacts = ()) -> Agenda:
        """The calls that read the unread sessions, within the budget; questions give way to a session."""
        agenda = Agenda()
        for questions in (open_questions(gathered, band, facts), ()):
            agenda = self._sessions.plan(gathered, questions)
            agenda.keep_within(self.asking.limits)
            if agenda.calls:
                break
        return agenda

    def plan_tidying(
        self,
        gathered: Gathered,
        band: Band,
        facts: OpenFacts = (),
        *,
        thorough: bool,
        whole_tokens: int | None = None,
    ) -> Agenda:
        """The calls that go through a graph, within the budget.

        Args:
            band: pairs that the resolver leaves open.
            facts: pairs of facts that are open.
            thorough: show every entity, not only those that questions are about.
            whole_tokens: of the whole graph as text; counted where it is not given.
        """
        questions = open_questions(gathered, band, facts)
        if thorough:
            agenda = self._graph.for_walk(gathered, questions)
        else:
            agenda = self._graph.for_questions(gathered, questions, self._most_tokens(gathered, whole_tokens))
        agenda.keep_within(self.asking.limits)
        return agenda

    def graph_tokens(self, gathered: Gathered) -> int:
        """Tokens of a view as text."""
        return self.client.count(GraphText(gathered).whole())

    def _most_tokens(self, gathered: Gathered, whole_tokens: int | None) -> int:
        whole = self.graph_tokens(gathered) if whole_tokens is None else whole_tokens
        return max(FEWEST_TOKENS, round(SHARE_OF_GRAPH * whole)) if gathered.mode == "compact" else FEWEST_TOKENS

    # ------------------------------------------------------------------ answers

    def read_sessions(self, gathered: Gathered, band: Band, facts: OpenFacts = ()) -> Thought:
        """Ask about the unread sessions.

        Raises:
            BudgetError: not even the first session fits the budget.
            RefusedError: the model refused, or none of its answers could be read.
        """
        agenda = self.plan_sessions(gathered, band, facts)
        if agenda.unread and not agenda.calls:
            whole = self._sessions.plan(gathered, ())
            needed = whole.calls[0].tokens_in + whole.calls[0].most_out(self.asking.limits)
            raise BudgetError(needed, self.asking.limits.budget or 0, first=True)
        return self.answer(agenda)

    def answer(self, agenda: Agenda) -> Thought:
        """Hold the conversations of an agenda and put together what they propose."""
        if not agenda.calls:
            return Thought((), figures=dict(agenda.figures), left=tuple(agenda.left), unread=frozenset(agenda.unread))
        ledger = self.asking.ledger
        answers = hold_all(self.client, agenda, self.asking.limits, self.asking.desk)
        thought = _thought(agenda, answers, self.asking.standing.directive)
        return replace(thought, figures={**thought.figures, **_sent(ledger)})


def _sent(ledger: Ledger | None) -> dict[str, int]:
    """Requests that were sent, those without an answer, and credentials that were taken out of them."""
    if ledger is None:
        return {}
    figures = {
        "requests": len(ledger.entries),
        "requests_failed": sum(bool(entry.error) for entry in ledger.entries),
        **{f"redacted {kind}": number for kind, number in ledger.redacted.items()},
    }
    return {name: number for name, number in figures.items() if number}


def _is_usable(exchange: Exchange) -> bool:
    """Whether something of an answer counts: one that was cut off does as far as it goes."""
    return exchange.ended == "answered" or (exchange.ended == "cut" and bool(exchange.items))


def _thought(agenda: Agenda, answers: Answers, directive: Directive) -> Thought:
    proposals: list[Proposal] = []
    notes, left, unread = list[str](), [*agenda.left, *answers.left], set(agenda.unread)
    done, closed = set[str](), set[str]()
    deferred, waits = dict[str, tuple[int, ...]](), dict[str, str]()
    for call, exchange in answers.held:
        if exchange is None or not _is_usable(exchange):
            unread |= set(call.sessions)
            if exchange is not None:
                left.append(f"{call.what}: the answer was {exchange.ended}: {one_line(exchange.summary)[:200]}")
            continue
        found = exchange.proposals()
        bodies = [proposal.body for proposal in found if proposal.mutation is not None]
        proposals += found
        if exchange.summary.strip():
            notes.append(exchange.summary.strip())
        acted = answered(call.questions, bodies)
        done |= acted
        put_off = exchange.blockers()
        for question in call.questions:
            if question.text in put_off and question.fingerprint not in acted:
                deferred[question.fingerprint] = question.entities
                waits[question.fingerprint] = put_off[question.text]
        if exchange.ended == "answered":
            closed |= {question.fingerprint for question in call.questions} - acted - deferred.keys()
        else:
            left.append(f"{call.what}: the answer was cut off at its longest")
    held = [exchange for _, exchange in answers.held if exchange is not None]
    if held and not any(map(_is_usable, held)):
        raise RefusedError(
            f"{held[0].model}: {'; '.join(left)}", "graphdream show PASS --transcript says what it answered"
        )
    spent = total([exchange.usage for exchange in (*held, *answers.replaced)])
    figures: dict[str, int | float] = {**agenda.figures, "calls": spent.calls}
    if answers.resumed:
        figures["calls_resumed"] = answers.resumed
    if answers.replaced:
        figures["calls_asked_in_parts"] = len(answers.replaced)
    return Thought(
        proposals,
        "\n".join(notes),
        done=frozenset(done),
        declined=frozenset(closed),
        deferred=deferred,
        blockers=waits,
        unread=frozenset(unread),
        left=tuple(left),
        from_model=(0, len(proposals)),
        directive=directive.digest,
        directive_origin=directive.origin,
        exchanges=tuple(exchange.digest for exchange in held),
        figures=figures,
        answer="\n".join(exchange.messages[-1].content for exchange in held),
        model=held[0].model if held else "",
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        tokens_cached=spent.tokens_cached,
        cost=spent.cost,
    )
