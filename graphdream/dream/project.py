"""Facts held against the project that they are about: paths that are not there, versions that a manifest denies.

What does not agree is flagged for a person, with the reason, and nothing is changed: a fact may tell of what was, of
another branch, of what is to come. A flag goes when a later check finds that it agrees, or when a person says that the
fact holds all the same. URLs are not looked up, for that would need the network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dream.flags import KIND, Flag, Said, digest_of, fingerprint_of, flagged_facts, note, standing
from graphdream.dream.projectfiles import Project, paths_in
from graphdream.errors import NotFoundError
from graphdream.graph.rows import handle
from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.paths import expanded


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """What a check found.

    Attributes:
        root: the folder of the project.
        facts: how many facts were looked at.
        pass_id: the pass that flagged or took flags away; None where all was so already.
        flagged: how many flags are new.
        settled: how many are gone, because it agrees now, or the fact does not hold any more.
        flags: all that stand for this project.
        truncated: the project has more files than are looked at, so no path is flagged.
    """

    root: str
    facts: int
    pass_id: int | None
    flagged: int
    settled: int
    flags: tuple[Flag, ...]
    truncated: bool = False

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)


def check_project(store: Store, root: str | Path, *, clock: Clock = utc_now) -> ProjectReport:
    """Hold every active fact against a project, and flag those that do not agree; nothing else is changed.

    Looked at are paths below `root`, which are never opened, and the versions in its pyproject.toml, package.json and
    requirements.txt. What leads out of `root` is passed over.

    Raises:
        NotFoundError: there is no such folder.
        UsageError: there is no such user.
        IntegrityError: the file is not as it was sealed, so that nothing is written to it.
    """
    folder = expanded(root)
    if not str(root) or not folder.is_dir():  # an empty one would be the folder that happens to be the present one
        raise NotFoundError(f"there is no folder {str(root)!r}", "give that of the project: --root DIR")
    project = Project(folder.resolve())
    place = str(project.root)
    with store.reading():
        facts = _facts(store)
        before = {key: said for key, said in standing(store).items() if said.root == place}
    now = {
        fingerprint_of(place, fact, names): Said(place, fact, names, why, "deferred", digest=digest_of(text))
        for fact, text in facts
        for names, why in _disagreements(project, text)
    }
    new = {key: said for key, said in now.items() if _is_news(said, before.get(key))}
    flagged = [key for key in new if key not in before or before[key].disposition != "deferred"]
    looked_at = {fact for fact, _ in facts}
    gone = {key: said for key, said in before.items() if key not in now and _is_over(said, looked_at)}
    pass_id = None
    if new or gone:
        header = PassHeader(KIND, trigger="person", options={"root": place}, inputs={"now": clock()})
        with open_pass(store, header, clock=clock) as current:
            note(store.connection, current.id, new, "deferred", clock())
            note(store.connection, current.id, gone, "done", clock())
            current.summary = f"{len(flagged):,} flagged, {len(gone):,} settled of {len(now):,} against {place}"
            pass_id = current.id
    flags = tuple(flag for flag in flagged_facts(store) if flag.root == place)
    return ProjectReport(place, len(facts), pass_id, len(flagged), len(gone), flags, project.truncated)


def _is_news(said: Said, before: Said | None) -> bool:
    """Whether a disagreement is not on record: what a person has looked at is news where the project, or the fact, says
    something else by now."""
    if before is None or before.disposition == "done" or said.why != before.why:
        return True
    return before.disposition == "declined" and said.digest != before.digest


def _is_over(said: Said, looked_at: Collection[int]) -> bool:
    """Whether what agrees, or is not looked at any more, settles what is on record. A person's word outlasts that the
    fact is away for a while."""
    return said.disposition == "deferred" or (said.disposition == "declined" and said.fact in looked_at)


def _facts(store: Store) -> list[tuple[int, str]]:
    rows = store.connection.execute(
        "SELECT attribute.id, content FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id WHERE attribute.status = 'active' AND entity.status = 'active'"
        " ORDER BY attribute.id"
    ).fetchall()
    return [(row[0], row[1]) for row in sound(store, rows, lambda row: (handle(ATTRIBUTE, row[0]),))]


def _disagreements(project: Project, text: str) -> Iterator[tuple[str, str]]:
    """What a text names that is not so in the project, and why, each once."""
    for path in paths_in(text):
        if project.lacks(path):
            yield path.text, f"{path.text} is not there"
    yield from project.other_versions(text)
