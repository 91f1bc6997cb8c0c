"""What a pass is shown: a frozen view of the graph (or of its changed part) and of the sessions not read yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphdream.graph.categories import Place
from graphdream.language.filedays import day_of_file


@dataclass(frozen=True, slots=True)
class SeenEntity:
    """An active entity. `neighbors` are ids of entities it is linked with; `changed`: since the last pass."""

    id: int
    name: str
    type: str
    pinned: bool
    aliases: tuple[str, ...] = ()
    neighbors: tuple[int, ...] = ()
    sessions: tuple[str, ...] = ()
    first_seen: str = ""
    changed: bool = True


@dataclass(frozen=True, slots=True)
class SeenFact:
    """An active fact and where it hangs. `known_at`, `last_at`: when it was said first and last, ISO 8601 or "".

    `successor`: it has replaced another fact. `instead_of`: id of the fact whose line of its file an edit put it in
    place of; None where nobody knows of one.
    """

    id: int
    entity_id: int
    aspect: str
    content: str
    kind: str
    confidence: float
    known_at: str
    source: str
    session: str
    authority: str
    last_at: str = ""
    successor: bool = False
    instead_of: int | None = None


@dataclass(frozen=True, slots=True)
class SeenPast:
    """A fact that is history: superseded, absorbed or archived, as it was then.

    Attributes:
        fact: its row; it hangs where the facts of its entity went.
        status: "superseded", "absorbed" or "archived".
        by: id of the fact that superseded or absorbed it; None where nothing stands for it.
        filed: the aspect that it hangs in is active.
    """

    fact: SeenFact
    status: str
    by: int | None
    filed: bool = True


@dataclass(frozen=True, slots=True)
class SeenLink:
    """An active link; `target_id` is None where it points at nothing."""

    id: int
    source_id: int
    target_id: int | None
    type: str


@dataclass(frozen=True, slots=True)
class SeenAspect:
    """An active aspect; `facts` counts facts of every status in it."""

    id: int
    entity_id: int
    name: str
    facts: int


@dataclass(frozen=True, slots=True)
class SeenObservation:
    """A fact that arrived ready-made with a session."""

    id: int
    speaker: str
    content: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeenTurn:
    """One turn of a transcript."""

    uid: str
    speaker: str
    content: str


@dataclass(frozen=True, slots=True)
class SeenSession:
    """A session with something unread.

    Attributes:
        summaries: (id, text).
        turns: the whole transcript.
        told: unread turns of people, where nobody has summed the session up; they stand in for a summary.
    """

    key: str
    kind: str
    at: str
    summaries: tuple[tuple[int, str], ...]
    observations: tuple[SeenObservation, ...] = ()
    turns: tuple[SeenTurn, ...] = ()
    told: tuple[SeenTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """How the texts of a memory write a word: times without a capital, and times with one where none is owed."""

    lower: int
    inside: int


@dataclass(frozen=True, slots=True)
class Topic:
    """What opens a sentence that names nobody, and may be what it is about.

    Attributes:
        text: as it stands there, `the next dive`.
        bare: without what leads in to it, `next dive`.
        tells: how many of its words tell something.
        ends: what goes on behind it is no part of it: a mark, a value, or a function word.
        rest: what else the sentence tells, folded.
        small_goes_on: a word in small letters may be a part of it, as an English noun may.
        changes: the sentence tells a change of it, and it is no name.
    """

    text: str
    bare: str
    tells: int
    ends: bool = True
    rest: frozenset[str] = frozenset()
    small_goes_on: bool = True
    changes: bool = False

    @property
    def is_led_in(self) -> bool:
        """Whether something leads in to it, as an article does to a noun."""
        return self.text != self.bare


@dataclass(frozen=True, slots=True)
class Gist:
    """What a whole sentence tells that names nobody, whatever opens it: `We enabled harmonics_v2 in prod`.

    Attributes:
        words: those that tell something, folded.
        signs: those of them that hardly anything else has: identifiers, and words that no dictionary knows.
        name: what opens it and is a name by the evidence, folded; else "".
        names: words that are written as names; only where a change is told.
        is_vague: a pronoun opens it, and who or what that is stands in another sentence; or it was said in passing.
    """

    words: frozenset[str]
    signs: frozenset[str] = frozenset()
    name: str = ""
    names: frozenset[str] = frozenset()
    is_vague: bool = False


Clue = Topic | Gist
"""What a sentence that names nobody may be about, for finding where the memory speaks of that."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where facts hang, and the id of the entity there."""

    entity_id: int
    place: Place

    @property
    def is_page(self) -> bool:
        """Whether it is a page of a diary, or an entry in one: it is named after its day, and tells of that."""
        return bool(day_of_file(self.place.entity) or day_of_file(self.place.aspect))


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that a dreamer may read.

    Attributes:
        mode: "compact" (the whole graph) or "incremental" (what changed, and what could be the same).
        seen_version: the newest pass when this was read.
        facts: the active facts.
        past: the facts that are history; how this memory puts things is learned from them too, and none is judged.
        now: the pass's clock, read once.
        distinct: pairs of entity ids (low, high) that were judged not to be the same.
        contradictions: pairs of fact ids (low, high) that are on record.
        both_hold: those of them that were settled: both are right, so neither is the other and neither replaces it.
        declined: fingerprints of questions that were answered or left alone, and stay closed.
        summaries: texts of past sessions, for telling what was cut out of them.
        sessions: those with something unread, in time order.
        known_names: canonical name or alias -> ids of the active entities that bear it, for names in those sessions.
        whole_names: first word of names of several, in canonical form -> ids and names of the active entities that bear
            such a one, for words in those sessions that nobody bears alone; two are enough to tell that it is not one.
        usage: word in lower case -> how the memory writes it, for words that open sentences of those sessions.
        around: the entities that those names lead to, each with its newest facts; None where no session is unread.
        homes: what sentences of those sessions that name nobody may be about -> the one place where the memory speaks
            of it.
        diary: id of a new line of a page of a diary -> the lasting place where the memory speaks of what it is about.
        settling: what was read in this pass is in it; a model had its turn when it read that, and is not asked again.
        partial: it is one part of a graph that is looked at in parts.
    """

    mode: str
    seen_version: int
    now: str
    entities: tuple[SeenEntity, ...] = ()
    facts: tuple[SeenFact, ...] = ()
    past: tuple[SeenPast, ...] = ()
    links: tuple[SeenLink, ...] = ()
    aspects: tuple[SeenAspect, ...] = ()
    distinct: frozenset[tuple[int, int]] = frozenset()
    contradictions: frozenset[tuple[int, int]] = frozenset()
    both_hold: frozenset[tuple[int, int]] = frozenset()
    declined: frozenset[str] = frozenset()
    summaries: tuple[str, ...] = ()
    sessions: tuple[SeenSession, ...] = ()
    known_names: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    whole_names: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    usage: Mapping[str, Usage] = field(default_factory=dict)
    around: Gathered | None = None
    homes: Mapping[Clue, Home] = field(default_factory=dict)
    diary: Mapping[int, Home] = field(default_factory=dict)
    settling: bool = False
    partial: bool = False

    @property
    def lived(self) -> tuple[SeenSession, ...]:
        """The sessions that were lived through, in time order; dreams are left out, as the history tells of them."""
        return tuple(session for session in self.sessions if session.kind == "session")
