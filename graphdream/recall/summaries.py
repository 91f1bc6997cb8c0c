"""Ranking summaries, of sessions whose turns are not on record; where they are, the turns are the better answer."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict

from graphdream.recall.hit import Hit
from graphdream.recall.inquiry import Inquiry
from graphdream.recall.postings import Matches
from graphdream.recall.talk import IN_WINDOW, K1, B
from graphdream.recall.when import within

_MAX_CANDIDATES = 100


def rank_summaries(connection: sqlite3.Connection, inquiry: Inquiry, matches: Matches) -> list[Hit]:
    """Rank the summaries that a question finds, best first; `matches` is what their index holds of its terms."""
    weights = inquiry.weights
    strength: defaultdict[int, float] = defaultdict(float)
    for weight, occurrences in zip(weights, matches.found, strict=True):
        for summary in occurrences:
            strength[summary] += weight
    candidates = sorted(strength, key=lambda summary: (-strength[summary], -summary))[:_MAX_CANDIDATES]
    hits = []
    for summary, content, key, time in connection.execute(
        "SELECT summary.id, summary.content, session.key,"
        " coalesce(session.started_at, session.ended_at, session.recorded_at)"
        " FROM json_each(?) JOIN summary ON summary.id = json_each.value"
        " JOIN session ON session.id = summary.session_id"
        " WHERE session.kind = 'session'"
        " AND NOT EXISTS (SELECT 1 FROM session_shape WHERE session_shape.session_id = session.id)",
        (json.dumps(candidates),),
    ):
        if inquiry.as_of and time > inquiry.as_of:
            continue
        discount = K1 * (1 - B + B * len(content.split()) / matches.mean_length)
        parts = {
            "words": sum(
                weight * occurrences[summary] * (K1 + 1) / (occurrences[summary] + discount)
                for weight, occurrences in zip(weights, matches.found, strict=True)
                if summary in occurrences
            ),
            "time": inquiry.mass * IN_WINDOW * within(inquiry.question.windows, time),
        }
        parts = {name: value for name, value in parts.items() if value}
        hits.append(
            Hit(
                kind="summary", handle=f"sum{summary}", text=content, category="", score=sum(parts.values()),
                parts=parts, time=time, session=key,
            )
        )  # fmt: skip
    return sorted(hits, key=lambda hit: (-hit.score, hit.handle))
