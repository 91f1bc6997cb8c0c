"""What every call of a pass begins with: who the agent is, its task, the form of the answer, and what past passes did.

Stable parts come first, so that a provider's cache of prefixes holds them from call to call and from pass to pass
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphdream.dreamers.client.base import Message
from graphdream.dreamers.client.fencing import FENCE_RULE
from graphdream.dreamers.prompt.answer_form import op_lines
from graphdream.dreamers.prompt.directive import Directive, IdentityFile
from graphdream.dreamers.prompt.graph_text import LEGEND
from graphdream.dreamers.prompt.history import PastPass, history_text
from graphdream.dreamers.prompt.session_text import section

HISTORY_TOKENS = 450
IDENTITY_SHARE = 0.2  # of a call's input; Signet caps each file instead, and cuts it

TASKS: dict[str, str] = {
    "sessions": (
        "Your sessions since your last dream follow, with what your memory already holds on what they speak of and with"
        " questions about it. Bring your memory up to date."
    ),
    "questions": (
        "This is a tidying of your memory; there are no sessions to read. What is certain was already tidied. Decide"
        " the questions: each shows the entities it is about, with some of their facts."
    ),
    "walk": (
        "This is a tidying of your whole memory, of which you see one part after another; likely duplicates are always"
        " in one part. Find what is one, what is junk, what is stale and what stands in the wrong place in this part."
    ),
    "across": (
        "These pairs lie in different parts of your memory that you have seen one by one. Decide for each whether the"
        " two are the same."
    ),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """What a pass brings along whatever it asks.

    Attributes:
        identity: the agent's identity files, in their configured order.
        past: what past passes did.
    """

    directive: Directive
    identity: Sequence[IdentityFile] = ()
    past: Sequence[PastPass] = ()


@dataclass(frozen=True, slots=True)
class Preamble:
    """The messages that calls of one task begin with, their tokens, and what did not fit into them, in words."""

    messages: tuple[Message, ...]
    tokens: int
    left: tuple[str, ...] = ()


def preamble(
    standing: Standing, task: str, ops: Sequence[str], count: Callable[[str], int], max_input_tokens: int
) -> Preamble:
    """Put together what calls of a task begin with.

    Args:
        task: a key of `TASKS`.
        ops: operations that the answer may hold.
        max_input_tokens: of one call; identity files that need more than their share of it are left out and named.
    """
    files, left = _fitting(standing.identity, count, round(max_input_tokens * IDENTITY_SHARE))
    identity = "".join(f"# {file.name}\n\n{file.text}\n\n" for file in files)
    system = "\n".join(part for part in (identity, standing.directive.text, _form(ops)) if part)
    history, missing = history_text(standing.past, count, HISTORY_TOKENS)
    if missing:
        left.append(f"{missing} older passes")
    opening = TASKS[task] + "\n"
    if history:
        opening = "Your latest dreams:\n" + section("history", history) + "\n" + opening
    messages = (Message("system", system, cache=True), Message("user", opening, cache=True))
    return Preamble(messages, sum(count(message.content) for message in messages), tuple(left))


def _form(ops: Sequence[str]) -> str:
    return (
        "# The form of your answer\n\n"
        'One JSON object: {"same"?, "different"?, "first"?, "second"?, "both"?: [numbers of questions], "mutations":'
        ' [...], "summary": "...", "deferred"?: [{"question", "blocker"}]}. These mutations can be proposed here; `?`'
        " marks a field that may be left out:"
        "\n\n"
        f"{op_lines(ops)}\n\n"
        f"The graph is written so: {LEGEND}.\n\n"
        f"{FENCE_RULE}\n"
    )


def _fitting(
    files: Sequence[IdentityFile], count: Callable[[str], int], most: int
) -> tuple[list[IdentityFile], list[str]]:
    chosen, left, room = list[IdentityFile](), list[str](), most
    for file in files:
        tokens = count(file.text)
        if tokens <= room:
            chosen.append(file)
            room -= tokens
        else:
            left.append(f"{file.name} ({tokens:,} tokens)")
    return chosen, left
