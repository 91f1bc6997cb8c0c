"""What pages of a diary tell of what the lasting notes say: `Moved Grafana to port 3100`, under `memory 2026-07-11`.

A page is about its day, and facts are judged entity by entity, so the line that Grafana runs on port 3000 and the page
never meet. Each new line of a page that is about what a lasting line is about is therefore judged once more as if it
had been told there. Nothing is ended by that, since whoever wrote the page left the notes as they were: a person is
asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.judged import subjects_of
from graphdream.dreamers.reading.gist import gist_of, likeness
from graphdream.facts import Fact, Open, Subject, consolidate
from graphdream.facts.pairsjudged import TOLD_OVER

_PAGE = "a page of a diary"
"""The session of what was told by one."""


@dataclass(frozen=True, slots=True)
class DiaryLines:
    """Lines of pages as if they had been told where they are at home, and the lasting lines there of the same.

    Attributes:
        subjects: what they hang on.
        lasting, lines: facts; the ids are their own.
    """

    subjects: list[Subject]
    lasting: list[Fact]
    lines: list[Fact]

    def asked(self) -> Iterator[Open]:
        """The pairs of which a page may have replaced the lasting one, sure or not."""
        if not self.lasting:
            return
        found = consolidate([*self.lasting, *self.lines], self.subjects, most_rounds=1)
        pages = {line.id for line in self.lines}
        sure = [Open("replaces", old, new, TOLD_OVER) for old, new, _, _ in found.superseded]
        for one in (*sure, *found.open):
            if one.question == "replaces" and one.second in pages and one.first not in pages:
                yield one


def told_in_diary(view: Gathered, facts: Sequence[Fact]) -> DiaryLines:
    """What the new lines of pages tell of lasting places.

    Args:
        view: the graph.
        facts: its facts as they are judged.
    """
    judged = {fact.id: fact for fact in facts if fact.status == "active"}
    subjects = {subject.id: subject for subject in subjects_of(view)}
    lines: dict[int, list[Fact]] = defaultdict(list)
    for number, home in view.diary.items():
        line = judged.get(number)
        if line is not None and home.entity_id in subjects and line.entity != home.entity_id:
            there = replace(line, entity=home.entity_id, aspect=home.place.aspect, source="", session=_PAGE)
            lines[home.entity_id].append(there)
    lasting: dict[int, list[Fact]] = defaultdict(list)
    for fact in judged.values():
        if fact.entity in lines:
            lasting[fact.entity].append(fact)
    return DiaryLines(
        [subjects[entity] for entity in lines],
        [fact for entity, told in lines.items() for fact in _near(lasting[entity], told)],
        [line for told in lines.values() for line in told],
    )


def _near(lasting: Sequence[Fact], told: Sequence[Fact]) -> list[Fact]:
    """The lasting lines that are about what a page tells."""
    gists = [gist for gist in (gist_of(fact.content, None) for fact in told) if gist is not None]
    return [fact for fact in lasting if any(likeness(fact.content, gist) for gist in gists)]
