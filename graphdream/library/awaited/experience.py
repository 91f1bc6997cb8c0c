"""Methods of `graphdream.library.experience`, to be awaited. `tools/awaited.py` writes this from those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import graphdream
from graphdream.library.awaited.base import Memory


class Experience(Memory):
    """The methods of `Experience` with the same parameters; each runs on the memory's own thread."""

    async def record_session(
        self,
        session_id: str,
        *,
        summary: str = "",
        transcript: graphdream.Transcript | str | Path | Iterable[Mapping[str, Any]] | None = None,
        started_at: str | None = None,
        ended_at: str | None = None,
        observations: Iterable[graphdream.Observation | Mapping[str, Any] | str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> graphdream.Recorded:
        """Record what happened; telling the same twice is one event. See `graphdream.events.record.record`."""
        return await self.call(
            lambda graph: graph.record_session(
                session_id,
                summary=summary,
                transcript=transcript,
                started_at=started_at,
                ended_at=ended_at,
                observations=observations,
                metadata=metadata,
            )
        )

    async def remember(
        self,
        text: str,
        *,
        category: str = "",
        tags: Iterable[str] = (),
        session: str = "",
        at: str = "",
        valid_from: str = "",
        valid_to: str = "",
        occurred_at: str = "",
        review_after: str = "",
        by: graphdream.Teller = "user",
        again: bool = False,
    ) -> graphdream.Remembered:
        """Add one fact now, or reinforce the one that says it already. See `graphdream.dream.remember.remember`.

        Args:
            valid_from, valid_to: since and until when it holds: a year, a month (2026-03), a day or a time.
            occurred_at: when it happened. Where none of these is given, the time that the text tells, if it tells one.
            review_after: when to look whether it still holds.
            by: "user" (no pass archives, rewords or replaces what a person told) or "agent" (an observation).
            again: also what a person has removed or purged, which only the user may say anew.
        """
        return await self.call(
            lambda graph: graph.remember(
                text,
                category=category,
                tags=tags,
                session=session,
                at=at,
                valid_from=valid_from,
                valid_to=valid_to,
                occurred_at=occurred_at,
                review_after=review_after,
                by=by,
                again=again,
            )
        )

    async def recall(
        self,
        query: str,
        *,
        k: int = 5,
        as_of: str | None = None,
        include_superseded: bool = False,
        vectors: bool = False,
        budget_words: int | None = None,
        explain: bool = False,
    ) -> list[graphdream.Hit]:
        """What is known about a question, best first. See `graphdream.recall.search.recall`.

        Args:
            vectors: search by meaning too, where `make_vectors` made vectors. Where an endpoint does not answer, words
                alone do; `graph.vectors().meanings.fault` says why.
            budget_words: stop before the texts have more words; None: no bound.
            explain: each hit also says in `details` what its score is made of, term by term.
        """
        return await self.call(
            lambda graph: graph.recall(
                query,
                k=k,
                as_of=as_of,
                include_superseded=include_superseded,
                vectors=vectors,
                budget_words=budget_words,
                explain=explain,
            )
        )

    async def vectors(self) -> graphdream.Vectors:
        """Vectors of the endpoint that the settings name, else those of the extra; see `graphdream.dream.vectors`."""
        return await self.call(lambda graph: graph.vectors())

    async def make_vectors(self, limit: int = 10000) -> int:
        """Make vectors of facts and turns that have none, newest first; for a background job. Returns how many."""
        return await self.call(lambda graph: graph.make_vectors(limit))

    async def working(self, namespace: str) -> graphdream.AwaitedWorkingMemory:
        """Short-lived notes of one namespace of two segments, such as `session/s1`."""
        return graphdream.AwaitedWorkingMemory(self, await self.call(lambda graph: graph.working(namespace)))

    async def context(
        self, session: str, message: str, *, budget_tokens: int = 1500, turns: int = 0, mark: bool = True
    ) -> graphdream.Injection:
        """What to inject into the next prompt of a session: what it has not seen yet, constraints always.

        Args:
            turns: how many of the session's own last turns come along, where the prompt does not hold them any more.
            mark: remember what was given, so that this session is not given it again.
        """
        return await self.call(
            lambda graph: graph.context(session, message, budget_tokens=budget_tokens, turns=turns, mark=mark)
        )
