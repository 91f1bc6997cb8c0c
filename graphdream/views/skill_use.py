"""How skills are used: counts, what is used together, what went wrong, what says too little. Counted, never told."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from graphdream.clock import seconds_between, shifted
from graphdream.events.observed import Observed, observed
from graphdream.graph.names import canonical
from graphdream.views.skills import Skill

_DAY = 86_400
_MOST_USES, _MOST_FEEDBACK = 10_000, 1_000
POOR = ("poor", "fair")  # grades of a session's summary: the host's own words, compared whole


@dataclass(slots=True)
class Uses:
    """What is known of the use of one skill in a window of days."""

    uses: int = 0
    ok: int = 0
    failed: int = 0
    last_used_at: str = ""
    beside: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class SkillTable:
    """Skills with their use.

    Attributes:
        uses: name of a skill -> what is known of its use.
        pairs: names of two skills -> sessions that used both, most first.
        clusters: what stands before the slash -> names, largest first.
        at_risk: name -> what went wrong in sessions that used it, oldest first.
        sparse: names of skills that say little and are not new.
        unknown: names that were used and are no skill -> how often.
    """

    skills: Sequence[Skill]
    uses: dict[str, Uses]
    pairs: list[tuple[tuple[str, str], int]]
    clusters: list[tuple[str, list[str]]]
    at_risk: dict[str, list[str]]
    sparse: list[str]
    unknown: dict[str, int]

    @property
    def covered(self) -> float:
        """Share of the uses that went to a skill that is there, 0..1; 1.0 where there was none."""
        known, lost = sum(one.uses for one in self.uses.values()), sum(self.unknown.values())
        return known / (known + lost) if known + lost else 1.0


def skill_table(
    connection: sqlite3.Connection, skills: Sequence[Skill], now: str, *, days: float = 30, sparse_chars: int = 200,
    sparse_days: float = 7, most_pairs: int = 10,
    left_out: Callable[[list[str]], Collection[str]] = lambda rows: (),
) -> SkillTable:  # fmt: skip
    """Count the use of skills in the last days.

    Args:
        left_out: which of some events are not counted (`graphdream.graph.served.unsound`).
    """
    start = shifted(now, -days * _DAY)
    by_name = {canonical(name): skill.name for skill in skills for name in (*skill.aliases, skill.name)}
    uses, unknown = {skill.name: Uses() for skill in skills}, Counter[str]()
    in_session: dict[str, list[str]] = defaultdict(list)
    for use in observed(connection, "skill-use", since=start, limit=_MOST_USES, newest=True, left_out=left_out):
        name = by_name.get(canonical(use.name))
        if name is None:
            unknown[use.name] += 1
            continue
        one = uses[name]
        one.uses += 1
        one.ok += use.ok is True
        one.failed += use.ok is False
        one.last_used_at = max(one.last_used_at, use.at)
        if use.session and name not in in_session[use.session]:
            in_session[use.session].append(name)
    together = Counter(pair for names in in_session.values() for pair in combinations(sorted(names), 2))
    for (first, second), number in together.items():
        uses[first].beside[second] += number
        uses[second].beside[first] += number
    feedback = observed(connection, "feedback", since=start, limit=_MOST_FEEDBACK, newest=True, left_out=left_out)
    prefixes = defaultdict(list)
    for skill in skills:
        if skill.prefix:
            prefixes[skill.prefix].append(skill.name)
    return SkillTable(
        skills, uses,
        sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))[:most_pairs],
        sorted(((name, names) for name, names in prefixes.items() if len(names) > 1), key=lambda c: (-len(c[1]), c[0])),
        _at_risk(feedback, in_session, by_name),
        [skill.name for skill in skills if is_sparse(skill, now, sparse_chars, sparse_days)],
        dict(unknown.most_common()),
    )  # fmt: skip


def is_sparse(skill: Skill, now: str, chars: int, days: float) -> bool:
    """Whether a skill says little and has had its time to grow."""
    old = not skill.created_at or seconds_between(skill.created_at, now) > days * _DAY
    return len(skill.content) < chars and old


def went_wrong(event: Observed) -> bool:
    """Whether feedback says that a session went wrong: a correction, a thumb down, a tool that failed, or a poor or
    fair summary. The grade is a whole word: a session that was treated "unfairly" is not graded."""
    if event.name == "summary":
        return any(word.strip(".,;:!()") in POOR for word in event.text("content").casefold().split())
    return event.name in ("correction", "thumbs-down")


def _at_risk(
    feedback: Sequence[Observed], in_session: dict[str, list[str]], by_name: dict[str, str]
) -> dict[str, list[str]]:
    risk: dict[str, list[str]] = defaultdict(list)
    for event in feedback:
        if not went_wrong(event):
            continue
        about = by_name.get(canonical(event.text("skill")))
        for name in [about] if about else in_session.get(event.session, []):
            said = " ".join(filter(None, (event.text("content"), event.text("detail"))))
            risk[name].append(f"{event.name} in {event.session or 'a session'} on {event.at[:10]}: {said}".rstrip(": "))
    return dict(risk)
