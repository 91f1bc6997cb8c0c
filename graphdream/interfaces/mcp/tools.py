"""The tools: each a function whose docstring and whose fields are what a model reads of it.

What a client tells is an observation unless it says that the user said it, and a client is bound by pins, constraints
and what a person told, like any agent. Passes that a person made are a person's to take back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from graphdream.dream.later import put_off
from graphdream.dream.teller import Teller
from graphdream.errors import ConflictError, NotFoundError, UsageError
from graphdream.events.patience import PATIENCE_SECONDS
from graphdream.graph.rows import are_facts, row_number
from graphdream.interfaces.damage import Damage
from graphdream.interfaces.mcp import answers
from graphdream.interfaces.mcp.answering import Answering
from graphdream.interfaces.output import json_text
from graphdream.library import Graph
from graphdream.shown import values_shown

_MAX_RESULTS = 50
_PEOPLE = ("import", "purge", "undo", "unmerge")  # kinds of pass that are only made because a person asked

_PUT_OFF = "another program is writing: the fact is kept beside the memory, and remembered as soon as that has ended"

_READS = {"readOnlyHint": True, "openWorldHint": False}
_ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_GIVES = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
_CHANGES = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False}


def tools_of(answering: Answering) -> dict[str, tuple[Callable[..., Any], str, dict[str, bool]]]:
    """Every tool: its function, whose docstring is its description, its title, its hints."""

    async def recall(
        question: Annotated[str, Field(description="what to look for, in any words and any language")],
        k: Annotated[int, Field(ge=1, le=_MAX_RESULTS, description="at most so many results")] = 5,
        as_of: Annotated[str, Field(description="what was known and held true at this date, such as 2026-04-01")] = "",
        superseded: Annotated[bool, Field(description="also facts that others have replaced")] = False,
    ) -> answers.Recalled:
        """Find what is remembered about a question: facts, what was said, and summaries of sessions, best first."""

        def work(graph: Graph) -> answers.Recalled:
            damage = Damage(graph.store)
            hits = graph.recall(question, k=k, as_of=as_of or None, include_superseded=superseded)
            return answers.Recalled(results=[answers.Found.of(hit) for hit in hits], warnings=damage.words())

        return await answering.ask(work, without=lambda why: answers.Recalled(results=[], warnings=[why]))

    async def remember(
        fact: Annotated[str, Field(description="one fact in one sentence, with names instead of pronouns")],
        category: Annotated[
            str,
            Field(
                description="where it belongs: user-preferences/timezone, person/Ada/work; empty: by the names in it"
            ),
        ] = "",
        told_by_user: Annotated[
            bool, Field(description="the user said it, or asked for it to be remembered; else it is an observation")
        ] = False,
        session: Annotated[str, Field(description="the session it was said in")] = "",
    ) -> answers.Remembered:
        """Keep a fact for later sessions. What is known already, also in other words, is reinforced, not doubled."""
        if not fact.strip():  # before a memory is made for it
            raise ToolError("there is nothing to remember: the text is blank")
        by: Teller = "user" if told_by_user else "agent"

        def work(graph: Graph) -> answers.Remembered:
            return _remember(graph, fact, category=category, session=session, by=by)

        return await answering.ask(work, makes=True)

    async def forget(
        handle: Annotated[str, Field(description="handle of a fact (a12) or an entity (e3), as recall gives it")],
        reason: Annotated[str, Field(description="why, for the journal")] = "",
    ) -> answers.Forgotten:
        """Archive a fact or an entity that is wrong or not wanted any more; it can be brought back. What a person told,
        pinned things and constraints are a person's to forget."""

        def work(graph: Graph) -> answers.Forgotten:
            return _forget(graph, handle.strip().strip("[]"), reason)

        return await answering.ask(work)

    async def context(
        session: Annotated[str, Field(description="the id of this session")],
        message: Annotated[str, Field(description="what the user says")],
        budget_tokens: Annotated[int, Field(ge=1, le=100_000, description="of the text")] = 1_500,
    ) -> answers.Context:
        """What belongs before the next prompt of a session: constraints always, then what is relevant and was not given
        to this session before."""

        def work(graph: Graph) -> answers.Context:
            given = graph.context(session, message, budget_tokens=budget_tokens)
            return answers.Context(text=given.text, tokens=given.tokens, left_out=list(given.left_out))

        return await answering.ask(work, without=lambda why: answers.Context(text="", tokens=0, left_out=[]))

    async def dream(
        dry_run: Annotated[bool, Field(description="say what would change, and change nothing")] = False,
        compact: Annotated[bool, Field(description="go through the whole graph, not only what is new")] = False,
    ) -> answers.Dreamt:
        """Consolidate the memory now: duplicates are folded, stale facts retired, names that mean one thing merged.
        It may take minutes, and can be undone."""
        report = await answering.ask(lambda graph: graph.dream(dry_run=dry_run, compact=compact or None), long=True)
        return answers.Dreamt.of(report)

    async def status() -> answers.Standing:
        """How the memory stands: its size, whether a pass is due or running, and what stands in the way."""
        return await answering.ask(_standing)

    async def explain(
        what: Annotated[str, Field(description="a fact (a12), an entity (e3 or its name), or a pass (pass 7)")],
        other: Annotated[
            str, Field(description="a second fact or entity: why the two are, or are not, taken for one")
        ] = "",
    ) -> answers.Explained:
        """Why something is as it is: where a fact comes from and what replaced it, what is known of an entity, what
        a pass changed, or why two things were taken for one."""
        first, second = (one.strip().strip("[]") for one in (what, other))

        def work(graph: Graph) -> answers.Explained:
            damage = Damage(graph.store)
            found = _explain(graph, first, second)
            return found.model_copy(update={"warnings": damage.words()})

        return await answering.ask(work)

    async def undo(
        pass_id: Annotated[int, Field(description="number of a pass, as dream, remember and forget return it")],
    ) -> answers.Undone:
        """Take a pass back: a dream, or what an agent changed. The undo is a pass itself. What a person did is a
        person's to take back."""
        return await answering.ask(lambda graph: _undo(graph, pass_id))

    tools: dict[str, tuple[Callable[..., Any], str, dict[str, bool]]] = {
        "recall": (recall, "Recall", _READS),
        "remember": (remember, "Remember", _ADDS),
        "forget": (forget, "Forget", _CHANGES),
        "context": (context, "Context for a prompt", _GIVES),
        "dream": (dream, "Dream", _CHANGES),
        "status": (status, "Status", _READS),
        "explain": (explain, "Explain", _READS),
        "undo": (undo, "Undo", _CHANGES),
    }
    return {name: (_as_shown(tool), title, hints) for name, (tool, title, hints) in tools.items()}


def _as_shown(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool with its answer as a model should read it: nothing in it is hidden or turned around."""

    @wraps(tool)
    async def answer(*args: Any, **kwargs: Any) -> BaseModel:
        told: BaseModel = await tool(*args, **kwargs)
        return type(told).model_validate(values_shown(told.model_dump()))

    return answer


def _remember(graph: Graph, fact: str, **how: Any) -> answers.Remembered:
    """Remember a fact, or keep it beside the file where another program writes for longer than an agent should wait."""
    try:
        with graph.store.patience(PATIENCE_SECONDS):
            done = graph.remember(fact, **how)
    except sqlite3.OperationalError as fault:
        if "locked" not in str(fault):
            raise
        put_off(graph.store.path, fact, **how)
        return answers.Remembered(handle="", known=False, pass_id=None, message=_PUT_OFF)
    return answers.Remembered(handle=done.handle, known=done.known, pass_id=done.pass_id, message=done.message)


def _forget(graph: Graph, handle: str, reason: str) -> answers.Forgotten:
    from graphdream.mutations.model import DeleteAttribute, DeleteEntity

    if handle[:1] not in ("a", "e") or row_number(handle[1:]) is None:
        raise UsageError(
            f"{handle!r} is no handle of a fact or an entity", "call recall, which gives handles such as a12"
        )
    mutation = (
        DeleteEntity(name=handle, reason=reason) if handle[0] == "e" else DeleteAttribute(content=handle, reason=reason)
    )
    done = graph.edit(mutation, by="agent")
    said = done.outcomes[0].message if done.outcomes else ""
    return answers.Forgotten(handle=handle, pass_id=done.pass_id, message=said or "archived; undo brings it back")


def _standing(graph: Graph) -> answers.Standing:
    connection = graph.store.connection
    entities, facts = connection.execute(
        "SELECT (SELECT count(*) FROM entity WHERE status = 'active'),"
        " (SELECT count(*) FROM attribute WHERE status = 'active')"
    ).fetchone()
    return answers.Standing.of(str(graph.store.path), entities, facts, graph.status())


def _explain(graph: Graph, what: str, other: str) -> answers.Explained:
    if other:
        pair = graph.explain_facts(what, other) if are_facts(what, other) else graph.explain(what, other)
        return answers.Explained(about=f"{what} and {other}", text="\n".join(pair.lines()))
    pass_id = row_number(what.lower().removeprefix("pass").strip())
    if pass_id is not None:
        return answers.Explained(about=f"pass {pass_id}", text=pass_text(graph, pass_id))
    fact = row_number(what[1:])
    if what[:1] == "a" and fact is not None:
        return answers.Explained(about=what, text=_fact_text(graph, fact, what))
    return answers.Explained(about=what, text=graph.entity(what, history=True).text())


def _fact_text(graph: Graph, fact: int, handle: str) -> str:
    row = graph.store.connection.execute(
        "SELECT entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id WHERE attribute.id = ?", (fact,)
    ).fetchone()
    if row is None:
        raise NotFoundError(f"there is no fact {handle}", "call recall, which gives handles such as a12")
    page = graph.entity(f"e{row[0]}", history=True).as_json()
    return json_text(_held_by(page, handle), indent=1)


def _held_by(page: Any, handle: str) -> Any:
    """The part of a page that has a handle, whatever the page looks like around it; None where no part has."""
    if isinstance(page, dict):
        if page.get("handle") == handle:
            return page
        page = list(page.values())
    if isinstance(page, list | tuple):
        return next((found for one in page if (found := _held_by(one, handle)) is not None), None)
    return None


def pass_text(graph: Graph, number: int) -> str:
    """What a pass was and what it changed, as lines."""
    from graphdream.interfaces.overview_text import examples, headline

    record = graph.pass_record(number)
    taken = f", taken back by pass {record.undone_by}" if record.undone_by else ""
    lead = f"pass {number} ({record.kind}{f' {record.mode}' if record.mode else ''}, {record.status}{taken}):"
    if record.status != "applied":
        return f"{lead} {record.summary or record.error}"
    found = graph.overview(number)
    read = len(record.inputs.get("sessions", ()))
    return "\n".join([*headline(found, lead, sessions=read), *(f"  {line}" for line in examples(found))])


def _undo(graph: Graph, number: int) -> answers.Undone:
    record = graph.pass_record(number)
    by_agent = record.options.get("by") == "agent"
    if record.kind in _PEOPLE or (record.kind in ("edit", "remember") and not by_agent):
        raise ConflictError(
            f"pass {number} ({record.kind}) was made by a person", f"ask the user to run: graphdream undo {number}"
        )
    from graphdream.interfaces.undo_text import undo_text

    report = graph.undo(number)
    return answers.Undone(pass_id=report.pass_id, undone=list(report.undone), text=undo_text(graph.store, report))
