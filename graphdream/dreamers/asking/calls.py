"""What all planned calls have in common: their opening, what is sent beside the messages, and their size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphdream.dreamers.asking.agenda import Limits, PlannedCall
from graphdream.dreamers.asking.tools import TOOLS
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.client.ledgered import MESSAGE_TOKENS
from graphdream.dreamers.client.speech import beside_text
from graphdream.dreamers.prompt.answer_form import answer_schema, everything, tidying
from graphdream.dreamers.prompt.preamble import Preamble, Standing, preamble
from graphdream.dreamers.prompt.questions import Question

Count = Callable[[str], int]

# Smaller than a model's window: recall of what stands in the middle falls with length (Liu et al., "Lost in the
# middle", TACL 2024), and a call that fails is cheap. Of a chunk of this size the preamble is about a tenth.
CHUNK_TOKENS = 24_000
MESSAGES = 3  # of a call: who the agent is, its task, and what it is about; the answer has a frame, too
# What is expected back, for an estimate: the fields of an answer (14 to 30 tokens) with a summary of a sentence or two;
# and a verdict on each question: its number, a comma and a blank. One that is left takes nothing.
ANSWER_TOKENS, VERDICT_TOKENS = 60, 3


def task_ops(task: str) -> tuple[str, ...]:
    """The operations that an answer to a task may hold."""
    return tidying() if task in ("questions", "across") else everything()


def beside_tokens(ops: tuple[str, ...], looks: bool, count: Count) -> int:
    """What is sent with a call besides the words of its messages: the schema, the tools, and the frames of all."""
    return count(beside_text(answer_schema(ops), TOOLS if looks else ())) + MESSAGE_TOKENS * (MESSAGES + 1)


class CallMaker:
    """Makes the calls of one pass.

    Args:
        standing: what every call begins with.
        count: tokens of a text.
        limits: sizes of a call.
    """

    def __init__(self, standing: Standing, count: Count, limits: Limits) -> None:
        self._standing, self.count, self.limits = standing, count, limits

    def fixed_tokens(self, ops: tuple[str, ...], *, looks: bool = False) -> int:
        """What is sent with a call besides the words of its messages: the schema, the tools, and their frames."""
        return beside_tokens(ops, looks and self.limits.looks > 0, self.count)

    def preamble(self, task: str, ops: tuple[str, ...]) -> Preamble:
        """What calls of a task begin with."""
        return preamble(self._standing, task, ops, self.count, self.limits.max_input)

    def chunk_room(self, opening: Preamble) -> int:
        """Tokens of cards that go into one call behind an opening."""
        return max(min(CHUNK_TOKENS, self.limits.max_input - opening.tokens - 200), 500)

    def call(
        self, what: str, opening: Preamble, text: str, ops: tuple[str, ...], answer: int,
        *, sessions: tuple[str, ...] = (), questions: tuple[Question, ...] = (), looks: bool = False,
        split: Callable[[], Sequence[PlannedCall]] | None = None,
    ) -> PlannedCall:  # fmt: skip
        """A call that says `text` behind an opening.

        Args:
            answer: tokens that are expected back beside verdicts.
            looks: whether the model may look at the graph. Each look sends the conversation again, so where all that a
                question rests on is shown it would only cost.
        """
        return PlannedCall(
            what=what,
            messages=(*opening.messages, Message("user", text)),
            ops=ops,
            tokens_in=opening.tokens + self.count(text) + self.fixed_tokens(ops, looks=looks),
            tokens_out=min(answer + VERDICT_TOKENS * len(questions), self.limits.max_output),
            sessions=sessions,
            questions=questions,
            looks=looks,
            split=split,
        )
