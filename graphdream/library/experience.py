"""What an agent lives through and asks: sessions, facts, recall, what goes into a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import graphdream
from graphdream.given import confirm_text
from graphdream.library.base import Memory

if TYPE_CHECKING:
    from graphdream.dream.vectors import Vectors


class Experience(Memory):
    """Record, remember, recall."""

    def record_session(
        self, session_id: str, *, summary: str = "",
        transcript: graphdream.Transcript | str | Path | Iterable[Mapping[str, Any]] | None = None,
        started_at: str | None = None, ended_at: str | None = None,
        observations: Iterable[graphdream.Observation | Mapping[str, Any] | str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> graphdream.Recorded:  # fmt: skip
        """Record what happened; telling the same twice is one event. See `graphdream.events.record.record`."""
        from graphdream.events.record import record

        return record(
            self.store, session_id, summary=summary, transcript=transcript, started_at=started_at, ended_at=ended_at,
            observations=observations, metadata=metadata, clock=self.clock,
        )  # fmt: skip

    def remember(
        self, text: str, *, category: str = "", tags: Iterable[str] = (), session: str = "", at: str = "",
        valid_from: str = "", valid_to: str = "", occurred_at: str = "", review_after: str = "",
        by: graphdream.Teller = "user", again: bool = False,
    ) -> graphdream.Remembered:  # fmt: skip
        """Add one fact now, or reinforce the one that says it already. See `graphdream.dream.remember.remember`.

        Args:
            valid_from, valid_to: since and until when it holds: a year, a month (2026-03), a day or a time.
            occurred_at: when it happened. Where none of these is given, the time that the text tells, if it tells one.
            review_after: when to look whether it still holds.
            by: "user" (no pass archives, rewords or replaces what a person told) or "agent" (an observation).
            again: also what a person has removed or purged, which only the user may say anew.
        """
        from graphdream.dream.remember import remember

        return remember(
            self.store, text, category=category, tags=tags, session=session, at=at, valid_from=valid_from,
            valid_to=valid_to, occurred_at=occurred_at, review_after=review_after, by=by, again=again, clock=self.clock,
        )  # fmt: skip

    def recall(
        self, query: str, *, k: int = 5, as_of: str | None = None, include_superseded: bool = False,
        vectors: bool = False, budget_words: int | None = None, explain: bool = False,
    ) -> list[graphdream.Hit]:  # fmt: skip
        """What is known about a question, best first. See `graphdream.recall.search.recall`.

        Args:
            vectors: search by meaning too, where `make_vectors` made vectors. Where an endpoint does not answer, words
                alone do; `graph.vectors().meanings.fault` says why.
            budget_words: stop before the texts have more words; None: no bound.
            explain: each hit also says in `details` what its score is made of, term by term.
        """
        from graphdream.recall.search import recall

        meanings = self.vectors().meanings if vectors else None
        return recall(
            self.store, query, k=k, as_of=as_of, include_superseded=include_superseded, explain=explain,
            budget_words=budget_words, meanings=meanings,
        )  # fmt: skip

    def vectors(self) -> graphdream.Vectors:
        """Vectors of the endpoint that the settings name, else those of the extra; see `graphdream.dream.vectors`."""
        from graphdream.dream.vectors import Vectors

        held: Vectors | None = getattr(self._own, "vectors", None)
        if held is None:
            held = self._own.vectors = Vectors(self._connected, self.settings(), self.clock)
            self._billed.append(held)
        return held

    def make_vectors(self, limit: int = 10_000) -> int:
        """Make vectors of facts and turns that have none, newest first; for a background job. Returns how many."""
        return self.vectors().make(limit)

    def working(self, namespace: str) -> graphdream.WorkingMemory:
        """Short-lived notes of one namespace of two segments, such as `session/s1`."""
        from graphdream.dream.later import in_turn
        from graphdream.views.working import WorkingMemory

        confirm_text("a namespace", namespace)
        return WorkingMemory(lambda: self.store, namespace, writing=in_turn)

    def context(
        self, session: str, message: str, *, budget_tokens: int = 1500, turns: int = 0, mark: bool = True
    ) -> graphdream.Injection:
        """What to inject into the next prompt of a session: what it has not seen yet, constraints always.

        Args:
            turns: how many of the session's own last turns come along, where the prompt does not hold them any more.
            mark: remember what was given, so that this session is not given it again.
        """
        from graphdream.recall.injection import context
        from graphdream.views.working import namespace_of_session

        confirm_text("the session's id", session)
        confirm_text("the message", message)
        notes = self.working(namespace_of_session(session)).inventory()
        given = context(
            self.store, session, message, budget_tokens=budget_tokens, working=notes, turns=turns, mark=mark,
            clock=self.clock,
        )  # fmt: skip
        if given.unmarked is not None:
            from graphdream.dream.later import put_off_call

            put_off_call(self.store.path, "seen", session=session, turn=given.turn, handles=list(given.unmarked))
        return given
