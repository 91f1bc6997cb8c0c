"""A note: a file in Markdown, what it says, and where each of its statements goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graphdream.graph.names import canonical, canonical_text
from graphdream.interfaces.importers.known import uid_of
from graphdream.interfaces.importers.notes_text import CutText, Statement, day_of, own_day, plain_heading

LONGEST_NAME = 200
"""Characters of a name; a longer heading is cut there."""
_SEVERAL = 3  # titles: a file of so many is a collection, and each is an entity


@dataclass(slots=True)
class Note:
    """One file: its whole path, how it is called, what it says."""

    path: str
    file: Path
    lines: int
    digest: str
    cut: CutText

    @property
    def source(self) -> str:
        """What its facts name as their source."""
        return f"file:{self.path}"

    @property
    def titles(self) -> list[str]:
        """The titles that each are an entity; none where the file is one entity."""
        return self.cut.titles if len(self.cut.titles) >= _SEVERAL else []

    def title_of(self, one: Statement) -> str:
        """The title of the entity of a statement; "" for that of the whole file."""
        return one.headings[0][1] if self.titles and one.headings and one.headings[0][0] == 1 else ""

    def place_of(self, one: Statement) -> list[str]:
        """Under which headings it stands: the file's own title is left out, so that it may be changed."""
        return [canonical(text) for level, text in one.headings if level > 1 or text != self._first_title]

    def aspect_of(self, one: Statement) -> str:
        """The name of the aspect that it goes into."""
        parts = (text for level, text in one.headings if level > 1 or (text != self._first_title and not self.titles))
        return " / ".join(plain_heading(text) or text for text in parts)[: 2 * LONGEST_NAME] or "general"

    def fact_of(self, one: Statement) -> str:
        """The id of the fact that a statement is, the same at every import."""
        return uid_of("att", self.path, *self.place_of(one), canonical_text(one.text))

    def day_of(self, one: Statement) -> str:
        """The day that its heading or the name of the file gives, or ""."""
        return one.day or day_of(self.file.stem)

    def day_about(self, one: Statement) -> str:
        """The day that it says itself it is about, else the one on which it was told."""
        return own_day(one.text) or self.day_of(one)

    @property
    def _first_title(self) -> str | None:
        return self.cut.titles[0] if self.cut.titles else None
