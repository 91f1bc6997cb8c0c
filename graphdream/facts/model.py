"""What fact consolidation reads and what it finds: plain records, no database."""

from __future__ import annotations

from dataclasses import dataclass, field

_EXTRACTIONS = frozenset(("extraction", "signet"))


@dataclass(frozen=True, slots=True)
class Fact:
    """One attribute row, seen after its entity was resolved.

    Attributes:
        id: row id, not negative, unique among the facts of a call.
        entity: the surviving entity of its cluster.
        content: the sentence as it was stored.
        aspect: name of the aspect it hangs on.
        kind: `attribute` or `constraint`.
        known_at: ISO 8601 time at which it was learned.
        source: where it came from: `extraction`, or a format and a path (`file:PATH`); "" where it was told by itself.
        session: id of the session that said it, None for files.
        confidence: 0..1.
        protected: on a pinned entity, or a constraint: never the loser of a finding.
        status: only `active` facts are judged; others are history.
        last_at: ISO 8601 time at which it was said again last, "" when not told.
        successor: it has replaced another fact already; what it tells to be over is no longer looked for.
        own_entity: the row it hung on before entities were merged, 0 when not told.
        instead_of: id of the fact whose line of its file an edit put it in place of, None where nobody knows of one.
        authority: who told it; what a `user` told no pass takes away unasked.
    """

    id: int
    entity: int
    content: str
    aspect: str
    kind: str
    known_at: str
    source: str
    session: str | None
    confidence: float
    protected: bool
    status: str = "active"
    own_entity: int = 0
    last_at: str = ""
    successor: bool = False
    instead_of: int | None = None
    authority: str = "observed"

    @property
    def extracted(self) -> bool:
        """Whether a program cut it out of talk, and with it the name that it stands under."""
        return self.source.partition(":")[0] in _EXTRACTIONS


@dataclass(frozen=True, slots=True)
class Subject:
    """An entity after merging: every name it goes by, the best first."""

    id: int
    names: tuple[str, ...]
    type: str
    pinned: bool
    neighbors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Open:
    """A pair of facts that is neither sure enough to act on nor unlikely.

    Attributes:
        question: `same` (does `second` say all that `first` says) or `replaces` (did `second` replace `first`).
        first, second: the facts.
        probability: calibrated, 0..1, of yes.
        related: False of two that share no word and no value, and by what their words mean answer no question both: a
            model may tell, a person is not asked.
    """

    question: str
    first: int
    second: int
    probability: float
    related: bool = True


@dataclass(frozen=True, slots=True)
class FactFindings:
    """What consolidation proposes; nothing here has been applied.

    A fact is at most once a loser: in `duplicates`, `junk` or `superseded`. Chains are resolved: a survivor
    of a duplicate is never itself a loser of a duplicate or junk.

    Attributes:
        duplicates: (loser, survivor, how); the survivor says all the loser says.
        junk: (fact, why).
        superseded: (old, new, slot, why); both rows stay in the book, only the new one stays active.
        contradictions: (a, b, slot): one slot, two values, and time does not decide.
        slots: fact id -> slot key, for surviving facts whose slot is known.
        junk_subjects: (entity, why): names that name nothing, and hold no fact that would be lost.
        open: pairs that a model or a person may be asked about, likeliest first.
    """

    duplicates: list[tuple[int, int, str]] = field(default_factory=list)
    junk: list[tuple[int, str]] = field(default_factory=list)
    superseded: list[tuple[int, int, str, str]] = field(default_factory=list)
    contradictions: list[tuple[int, int, str]] = field(default_factory=list)
    slots: dict[int, str] = field(default_factory=dict)
    junk_subjects: list[tuple[int, str]] = field(default_factory=list)
    open: list[Open] = field(default_factory=list)
