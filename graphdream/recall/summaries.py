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
_LOOKED_AT = 20  # of the summaries that turns stand for, the best: whether it is they that say so


def rank_summaries(connection: sqlite3.Connection, inquiry: Inquiry, matches: Matches) -> list[Hit]:
    """Rank the summaries that a question finds, best first; `matches` is what their index holds of its terms."""
    weights = inquiry.weights
    strength: defaultdict[int, float] = defaultdict(float)
    for weight, occurrences in zip(weights, matches.found, strict=True):
        for summary in occurrences:
            strength[summary] += weight
    candidates = sorted(strength, key=lambda summary: (-strength[summary], -summary))[:_MAX_CANDIDATES]
    hits, behind_turns = [], 0
    for summary, content, key, time, kind, has_turns in connection.execute(
        "SELECT json_each.value, summary.content, session.key,"
        " coalesce(session.started_at, session.ended_at, session.recorded_at), session.kind,"
        " EXISTS (SELECT 1 FROM turn WHERE turn.session_id = session.id)"
        " FROM json_each(?) LEFT JOIN summary ON summary.id = json_each.value"
        " LEFT JOIN session ON session.id = summary.session_id ORDER BY json_each.key",
        (json.dumps(candidates),),
    ):
        if kind == "session" and has_turns:
            behind_turns += 1
            if behind_turns > _LOOKED_AT:
                continue
        if kind != "session" or has_turns or (inquiry.as_of and time > inquiry.as_of):
            inquiry.passed_over.add(f"sum{summary}")
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
