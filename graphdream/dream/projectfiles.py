"""A project as facts speak of it: the paths that a text names, the files that are there, the versions it rests on."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

_MOST_FILES = 200_000  # of a project; in one with more, what is not where a fact says may be anywhere
_NOT_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"})
_MOST_BYTES = 4 << 20  # of a manifest

_QUOTED = re.compile(r"`([^`\n]{1,300})`")
_BARE = re.compile(r"(?<![^\s(\[{\"'<,;])[\w.@-]+(?:[/\\][\w.@+-]+)+(?=[\s)\]}\"'>,;:!?.]|$)")
_LINE = re.compile(r"(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
# A name without a folder is a file's only with an ending that files of projects have: `os.path` is none.
_ENDINGS = frozenset(
    """bash bat c cc cfg conf cpp cs css csv dart env ex exs fish go gradle h hpp hs htm html ini ipynb java jl js json
    jsonl jsx kt less lock lua m md mdx mjs ml mm php pl proto ps1 py pyi r rb rs rst sass scala scss sh sql svelte
    swift tf toml ts tsx txt vue xml yaml yml zig zsh""".split()
)


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path in a text.

    Attributes:
        text: as it stands there, without the number of a line.
        parts: of the path, from the top of the project.
        sure: it can be nothing but a path; else it is one where its first folder is there.
    """

    text: str
    parts: tuple[str, ...]
    sure: bool


def paths_in(text: str) -> Iterator[NamedPath]:
    """The paths below a project that a text names, each once: in code quotes, or with a folder and an extension.

    Not URLs, patterns, absolute paths, and such as lead upwards.
    """
    found: dict[tuple[str, ...], NamedPath] = {}
    for quoted, name in (
        *((True, match[1].strip()) for match in _QUOTED.finditer(text)),
        *((False, match[0]) for match in _BARE.finditer(_QUOTED.sub(" ", text))),
    ):
        path = _path(name, quoted=quoted)
        if path is not None:
            found.setdefault(path.parts, path)
    yield from found.values()


def _path(name: str, *, quoted: bool) -> NamedPath | None:
    name = _LINE.sub("", name if quoted else name.rstrip("."))
    if re.search(r"[\s*?<>{}$|()=\"':,;]|//", name) or name.startswith(("/", "\\", "~")):
        return None
    whole = name.replace("\\", "/").removeprefix("./")
    parts = PurePosixPath(whole).parts
    ending = _EXTENSION.search(PurePosixPath(whole).suffix)
    if (
        not parts
        or not any(sign.isalpha() for sign in parts[-1])
        or ".." in parts
        or (not whole.endswith("/") and not ending and not (quoted and len(parts) > 1))
    ):
        return None
    if len(parts) == 1:
        known = ending is not None and ending[0][1:].lower() in _ENDINGS
        return NamedPath(name, parts, sure=True) if quoted and known else None
    if "." in parts[0].lstrip(".") or parts[0].startswith("@"):
        return None  # a host or a package: github.com/ada/lantern, @types/node
    return NamedPath(name, parts, sure=ending is not None)


class Project:
    """The folder of a project. Files are looked for by name; only its manifests are opened.

    Args:
        root: resolved.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def lacks(self, path: NamedPath) -> bool:
        """Whether a path is neither where the text says, nor below any folder of the project; False where that cannot
        be told."""
        place = self.root.joinpath(*path.parts)
        if not self._is_inside(place) or os.path.lexists(place):
            return False
        if not path.sure and not (self.root / path.parts[0]).is_dir():
            return False
        return not self.truncated and "/".join(path.parts) not in self._endings.get(path.parts[-1], "")

    def _is_inside(self, place: Path) -> bool:
        try:
            return place.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError, ValueError):
            return False

    @property
    def truncated(self) -> bool:
        """Whether there are more files than are looked at."""
        return self._walked[1]

    @property
    def _endings(self) -> dict[str, str]:
        return self._walked[0]

    @cached_property
    def _walked(self) -> tuple[dict[str, str], bool]:
        """Name of a file or folder -> the paths that end so, as lines; and whether that is not all."""
        found: dict[str, list[str]] = {}
        count = 0
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in _NOT_ENTERED]
            above = Path(folder).relative_to(self.root).as_posix()
            for name in (*folders, *files):
                found.setdefault(name, []).append(f"{above}/{name}")
            count += len(folders) + len(files)
            if count > _MOST_FILES:
                return {}, True
        return {name: "\n".join(paths) + "\n" for name, paths in found.items()}, False

    # ------------------------------------------------------------------ versions

    def other_versions(self, text: str) -> Iterator[tuple[str, str]]:
        """Packages with versions that a text names and a manifest states otherwise, and why."""
        if not self._stated or not any(sign.isdigit() for sign in text):
            return
        words = {_same_name(word) for word in re.findall(r"@?[A-Za-z][\w./-]*\w|[A-Za-z]", text)}
        for name, stated in self._stated.items():
            if name not in words:
                continue
            told = _versions_told(name, text)
            if told and not any(_agrees(version, spec) for version in told for spec, _ in stated):
                spec, manifest = stated[0]
                shown = spec.strip() or "no version"
                yield f"{name} {told[-1]}", f"{manifest} has {name} {shown}"

    @cached_property
    def _stated(self) -> dict[str, list[tuple[str, str]]]:
        """Package -> what manifests state of its version, and in which; in order."""
        found: dict[str, list[tuple[str, str]]] = {}
        for manifest, read in (
            ("pyproject.toml", _of_pyproject), ("package.json", _of_package), ("requirements.txt", _of_requirements)
        ):  # fmt: skip
            text = self._text_of(manifest)
            if text is None:
                continue
            try:
                stated = list(read(text))
            except (ValueError, AttributeError, TypeError, RecursionError):
                continue  # one that cannot be read states nothing
            for name, spec in stated:
                if isinstance(spec, str) and re.search(r"\d", spec):
                    found.setdefault(_same_name(name), []).append((spec, manifest))
        return found

    def _text_of(self, manifest: str) -> str | None:
        place = self.root / manifest
        try:
            if not self._is_inside(place) or not place.is_file() or place.stat().st_size > _MOST_BYTES:
                return None
            return place.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None


def _same_name(name: str) -> str:
    """A package's name as it is compared: case, and which of `-_.` stands between words, say nothing."""
    return re.sub(r"[-_.]+", "-", name).lower()


_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;#)]*)")


def _required(line: str) -> Iterator[tuple[str, str]]:
    if found := _REQUIREMENT.match(line):
        yield found[1], found[2].strip()


def _of_pyproject(text: str) -> Iterator[tuple[str, Any]]:
    told = tomllib.loads(text)
    project = told.get("project", {})
    yield project.get("name", ""), project.get("version")
    yield "python", project.get("requires-python")
    for lines in (
        project.get("dependencies", []),
        *project.get("optional-dependencies", {}).values(),
        *told.get("dependency-groups", {}).values(),
    ):
        for line in lines:
            if isinstance(line, str):
                yield from _required(line)
    poetry = told.get("tool", {}).get("poetry", {})
    yield poetry.get("name", ""), poetry.get("version")
    for name, spec in poetry.get("dependencies", {}).items():
        yield name, spec.get("version") if isinstance(spec, dict) else spec


def _of_package(text: str) -> Iterator[tuple[str, Any]]:
    told = json.loads(text)
    yield told.get("name", ""), told.get("version")
    yield "node", told.get("engines", {}).get("node")
    for group in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        yield from told.get(group, {}).items()


def _of_requirements(text: str) -> Iterator[tuple[str, Any]]:
    for line in text.splitlines():
        yield from _required(line)


Version = tuple[int, ...]


def _versions_told(name: str, text: str) -> list[str]:
    """The versions of a package that a text names: `react 18.2`, `react@18`, `react version 18`. None where it names a
    range."""
    letters = re.escape(name).replace(r"\-", "[-_.]+")
    told = re.compile(
        rf"(?i)(?<![\w.-]){letters}[`'\"*]*(?:\s*(?P<mark>==|@|\bversion\b|\bv(?=\d))|\s)\s*[`'\"*]*v?"
        r"(?P<version>\d+(?:\.\d+)*)(?P<after>\+|\.x|[\w-]|\s+or\s+(?:newer|later|higher|above))?"
    )
    return [
        found["version"]
        for found in told.finditer(text)
        if not found["after"] and (found["mark"] or "." in found["version"])
    ]


_CLAUSE = re.compile(r"(===?|~=|!=|>=|<=|>|<|\^|~|=)?\s*v?(\d+(?:\.\d+)*)(\.[x*])?[\w.+-]*")


def _agrees(told: str, spec: str) -> bool:
    """Whether a version may be one that a manifest states, as far as both say; what is not understood agrees."""
    if re.search(r"\|\||://|\s-\s", spec):
        return True
    version = _numbers(told)
    return all(
        _fits(version, match[1] or ("^" if match[3] else "=="), _numbers(match[2])) for match in _CLAUSE.finditer(spec)
    )


def _numbers(text: str) -> Version:
    return tuple(int(part[:9]) for part in text.split("."))


def _fits(version: Version, sign: str, stated: Version) -> bool:
    both = min(len(version), len(stated))
    known, limit = version[:both], stated[:both]
    if sign in ("==", "===", "="):
        return known == limit
    if sign in ("^", "~", "~="):
        if sign == "^":
            fixed = next((at for at, part in enumerate(stated) if part), len(stated) - 1) + 1
        else:
            fixed = max(1, len(stated) - 1 if sign == "~=" else min(2, len(stated)))
        return known[:fixed] == limit[:fixed] and known >= limit
    if sign == ">=" or (sign == ">" and len(version) < len(stated)):
        return known >= limit
    if sign == ">":
        return known >= limit and version != stated
    if sign in ("<=", "<"):
        return known < limit or (known == limit and (sign == "<=" or len(version) < len(stated)))
    return True
