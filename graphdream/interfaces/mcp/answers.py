"""What the tools of the server return: typed, so that a client gets structured content with its schema."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, Field

from graphdream.dream.report import DreamReport
from graphdream.dream.trigger import Status
from graphdream.recall.hit import Hit


class Found(BaseModel):
    """One thing that is remembered."""

    handle: str = Field(
        description="its handle: a12 is a fact, t5 a turn, sum3 a summary; `forget` and `explain` take it"
    )
    kind: str = Field(description="fact, turn or summary")
    text: str
    category: str = Field(default="", description="path of a fact, such as user-preferences/timezone")
    time: str = Field(default="", description="when it was said or became known, UTC")
    session: str = ""
    status: str = Field(default="active", description="superseded: another fact has taken its place")
    authority: str = Field(
        default="", description="of a fact: user where a person told it, else observed, inferred or imported"
    )
    constraint: bool = Field(default=False, description="a rule that always holds")
    contradicted_by: list[str] = Field(default_factory=list, description="facts that say otherwise, unresolved")
    score: float = Field(description="higher is better, within one answer")

    @classmethod
    def of(cls, hit: Hit) -> Self:
        """A hit of recall."""
        return cls(
            handle=hit.handle, kind=hit.kind, text=hit.text, category=hit.category, time=hit.time, session=hit.session,
            status=hit.status, authority=hit.authority, constraint=hit.constraint, score=round(hit.score, 4),
            contradicted_by=[f"[{other.handle}] {other.text}" for other in hit.contradicts],
        )  # fmt: skip


class Recalled(BaseModel):
    """What is remembered about a question, best first; `warnings` where the memory was changed behind graphdream's
    back, for the user to know, or where there is none yet."""

    results: list[Found]
    warnings: list[str] = []


class Remembered(BaseModel):
    """What became of a fact that was told."""

    handle: str = Field(description="its handle; empty where it is kept until another program has done with writing")
    known: bool = Field(description="a fact said so already and was reinforced")
    pass_id: int | None = Field(description="`undo` takes it back by this number; null where it is only kept so far")
    message: str


class Forgotten(BaseModel):
    """What was archived."""

    handle: str
    pass_id: int | None = Field(description="`undo` takes it back by this number; null where it was archived already")
    message: str


class Context(BaseModel):
    """What belongs into the next prompt of a session."""

    text: str = Field(description="to be put before the model as it is; empty where there is nothing")
    tokens: int = Field(description="of the text, estimated")
    left_out: list[str] = Field(description="handles that the budget had no room for")


class Dreamt(BaseModel):
    """What a pass did."""

    status: str = Field(description="applied, nothing, dry-run, refused")
    pass_id: int | None = Field(description="`undo` takes it back by this number")
    mode: str
    summary: str
    counts: dict[str, Any]
    left: list[str] = Field(description="what is left for the next pass")
    seconds: float

    @classmethod
    def of(cls, report: DreamReport) -> Self:
        """The report of a pass."""
        return cls(
            status=report.status, pass_id=report.pass_id, mode=report.mode, summary=report.summary,
            counts=dict(report.counts), left=list(report.left), seconds=round(report.seconds, 3),
        )  # fmt: skip


class Standing(BaseModel):
    """How the memory stands."""

    database: str
    entities: int
    facts: int
    due: bool = Field(description="whether a pass would run now by itself")
    why: str = Field(description="what makes it due, or what stands in the way and what opens it")
    running: bool
    unread_sessions: int
    unread_tokens: int
    last_pass: int | None
    failures_in_a_row: int

    @classmethod
    def of(cls, database: str, entities: int, facts: int, status: Status) -> Self:
        """What the gates say."""
        closed = status.closed
        why = f"{status.due.mode}: {status.due.trigger}" if status.due else ""
        return cls(
            database=database, entities=entities, facts=facts, due=status.due is not None,
            why=why or (f"{closed.detail}; {closed.opens}" if closed else ""), running=status.holder is not None,
            unread_sessions=status.backlog.sessions, unread_tokens=status.backlog.tokens,
            last_pass=status.state.last_pass_id, failures_in_a_row=status.state.consecutive_failures,
        )  # fmt: skip


class Explained(BaseModel):
    """Why something is as it is; `warnings` where the memory was changed behind graphdream's back."""

    about: str
    text: str
    warnings: list[str] = []


class Undone(BaseModel):
    """What an undo took back."""

    pass_id: int = Field(description="the undo is a pass itself")
    undone: list[int]
    text: str
