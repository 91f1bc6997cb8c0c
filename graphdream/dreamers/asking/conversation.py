"""Hold one conversation: ask, let the model look around, read its answer, send back once what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from graphdream.dreamers.asking.agenda import Limits, PlannedCall
from graphdream.dreamers.asking.deferrals import FIELD, read_deferrals
from graphdream.dreamers.asking.exchange import Ending, Exchange, digest_of
from graphdream.dreamers.asking.looks import Looks
from graphdream.dreamers.asking.tools import TOOLS
from graphdream.dreamers.asking.verdicts import NO_VERDICTS, Verdicts, items_of, read_verdicts
from graphdream.dreamers.client.answers import Parsed, read_answer, repair_request, with_repairs
from graphdream.dreamers.client.base import Client, Message, Reply, Usage, total
from graphdream.dreamers.client.errors import ClientError
from graphdream.dreamers.client.salvage import NUMBER_LISTS
from graphdream.dreamers.prompt.answer_form import answer_schema
from graphdream.dreamers.prompt.questions import numbered
from graphdream.mutations.applier import Proposal
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.parse import parse_proposals

Judge = Callable[[Sequence[Proposal]], Sequence[Outcome]]

# What a model can mend once it is told: the form, an address, a text that lost or invented something.
MENDABLE = frozenset({"invalid", "not_found", "ambiguous", "bad_name", "coverage", "grounding"})
ENOUGH_LOOKS = "You have looked enough. Answer now with the JSON object."


def hold_conversation(
    client: Client, call: PlannedCall, limits: Limits, *, looks: Looks | None, judge: Judge | None
) -> Exchange:
    """Ask a planned call.

    Args:
        looks: answers what the model looks up; None: it may not.
        judge: says what would become of proposals, without applying them; None: only their form is checked.

    Raises:
        ClientError: there is no answer, or the budget has no room for it.
    """
    return _Conversation(client, call, limits, looks, judge).held()


class _Conversation:
    def __init__(
        self, client: Client, call: PlannedCall, limits: Limits, looks: Looks | None, judge: Judge | None
    ) -> None:
        self._client, self._call, self._limits, self._judge = client, call, limits, judge
        self._looks = looks if call.looks and limits.looks else None
        self._messages = list(call.messages)
        self._questions = numbered(call.questions)
        self._usages: list[Usage] = []
        self._looked = 0

    def held(self) -> Exchange:
        try:
            reply = self._asked()
        except ClientError as fault:
            if not self._usages:
                raise
            # Looks were paid for: that is on record.
            return self._exchange("failed", Parsed(()), NO_VERDICTS, str(fault))
        answer, verdicts = self._read(reply)
        ended, faults = _ending(reply, answer), len(answer.errors)
        if ended in ("answered", "unreadable") and answer.errors:
            with suppress(ClientError):  # what is right in the first answer counts without its repair
                answer, verdicts, ended = self._repaired(answer, verdicts, ended)
        summary = reply.text if ended == "refused" else answer.summary
        if ended == "unreadable":
            summary = "; ".join(answer.errors[:3])
        return self._exchange(ended, answer, verdicts, summary, model=reply.model, faults=faults)

    def _repaired(self, answer: Parsed, verdicts: Verdicts, ended: Ending) -> tuple[Parsed, Verdicts, Ending]:
        """The answer with the corrections that the model makes, asked once."""
        self._messages.append(Message("user", repair_request(answer, verdicts=len(verdicts.given))))
        reply = self._asked(may_look=False)
        corrected, later = self._read(reply)
        if _ending(reply, corrected) == "answered":
            return with_repairs(answer, corrected), verdicts.corrected(later), "answered"
        return answer, verdicts, ended

    def _exchange(
        self, ended: Ending, answer: Parsed, verdicts: Verdicts, summary: str, *, model: str = "", faults: int = 0
    ) -> Exchange:
        return Exchange(
            digest=digest_of(self._client.model, self._call),
            what=self._call.what,
            model=model or self._client.model,
            messages=tuple(self._messages),
            prompt_messages=len(self._call.messages),
            items=(
                *items_of(verdicts, self._questions, self._call.what),
                *(
                    (proposal.body, proposal.fault if proposal.mutation is None else "")
                    for proposal in answer.proposals
                ),
                *self._deferrals(answer),
            ),
            summary=summary,
            usage=total(self._usages),
            ended=ended,
            attempts=len(self._usages),
            faults=faults,
        )

    def _deferrals(self, answer: Parsed) -> list[tuple[dict[str, Any], str]]:
        asked = {number: question.text for number, question in self._questions.items()}
        return read_deferrals(answer.extra.get(FIELD), asked)

    def _asked(self, *, may_look: bool = True) -> Reply:
        """Ask, and again for as long as the model looks around; what is said becomes part of the conversation."""
        while True:
            may = may_look and self._looks is not None and self._looked < self._limits.looks
            reply = self._client.complete(
                self._messages,
                schema=answer_schema(self._call.ops),
                tools=TOOLS if may else (),
                max_tokens=self._call.most_out(self._limits),
            )
            self._usages.append(reply.usage)
            self._messages.append(Message("assistant", reply.text, reply.tool_calls))
            if reply.finish != "tools" or not reply.tool_calls:
                return reply
            self._look(reply)

    def _look(self, reply: Reply) -> None:
        for asked in reply.tool_calls:
            allowed = self._looks is not None and self._looked < self._limits.looks
            shown = self._looks.answer(asked) if self._looks is not None and allowed else ENOUGH_LOOKS
            self._looked += 1
            self._messages.append(Message("tool", shown, tool_call_id=asked.id))
        if self._looked > 2 * self._limits.looks:
            # A model that goes on asking for tools it is not given would go on forever.
            raise LoopingError(self._client.model, self._looked)

    def _read(self, reply: Reply) -> tuple[Parsed, Verdicts]:
        """What an answer says, and whatever the model could mend in it, told as faults."""
        answer = _without_blanks(read_answer(reply.text, finish=reply.finish))
        verdicts = read_verdicts(answer.extra, self._questions)
        unreasoned = (f"{FIELD}: {fault}" for _, fault in self._deferrals(answer) if fault)
        answer = replace(answer, errors=(*answer.errors, *verdicts.told, *unreasoned))
        return self._judged(answer, verdicts), verdicts

    def _judged(self, answer: Parsed, verdicts: Verdicts) -> Parsed:
        """The answer, and what would go wrong in its mutations behind those that its verdicts come to."""
        if self._judge is None or not answer.valid:
            return answer
        decided = parse_proposals([body for body, fault in items_of(verdicts, self._questions, "") if not fault])
        outcomes = self._judge([*decided, *answer.proposals])[len(decided) :]
        wrong = {
            position: outcome
            for position, outcome in enumerate(outcomes)
            if position not in answer.faulty and outcome.status != "applied" and outcome.code in MENDABLE
            and answer.proposals[position].mutation is not None
        }  # fmt: skip
        told = (f"mutations[{position}]: {outcome.message[:400]}" for position, outcome in wrong.items())
        return replace(answer, errors=(*answer.errors, *told), faulty=answer.faulty | wrong.keys())


class LoopingError(ClientError):
    """A model only ever looks around and never answers."""

    def __init__(self, model: str, looks: int) -> None:
        super().__init__(f"{model} asked for {looks} looks and gave no answer")


def _ending(reply: Reply, answer: Parsed) -> Ending:
    if reply.finish == "refusal":
        return "refused"
    if answer.cut:
        return "cut"
    answers = answer.proposals or not answer.extra.keys().isdisjoint((FIELD, *NUMBER_LISTS))
    return "answered" if answers or not answer.errors else "unreadable"


def _without_blanks(answer: Parsed) -> Parsed:
    """Strict structured output demands every field, so a model leaves optional ones blank: those are left out."""
    proposals, mended = list(answer.proposals), set[int]()
    for position in sorted(answer.faulty):
        body = _filled(proposals[position].body)
        if body != proposals[position].body:
            (again,) = parse_proposals([body])
            if again.mutation is not None:
                proposals[position] = again
                mended.add(position)
    errors = tuple(
        error for error in answer.errors if not any(error.startswith(f"mutations[{position}]") for position in mended)
    )
    return replace(answer, proposals=tuple(proposals), errors=errors, faulty=answer.faulty - mended)


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _filled(part) for name, part in value.items() if part not in ("", None)}
    return [_filled(part) for part in value] if isinstance(value, list) else value
