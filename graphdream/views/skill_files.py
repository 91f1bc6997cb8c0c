"""Skills as folders: one a skill, with a `SKILL.md` that begins with its name and description (agentskills.io)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from unicodedata import normalize

from graphdream.bounded import whole_file
from graphdream.errors import ImportRefusedError, NotFoundError, UsageError
from graphdream.outputs import confirm_not_ours, write_text
from graphdream.shown import printable, shown, without_hidden
from graphdream.views.skills import Skill

FILE = "SKILL.md"
LONGEST = 1_000_000  # bytes
_HEAD = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n?(.*)\Z", re.DOTALL)
_LESSONS = "\n\n## Lessons\n\n"


def write_folder(folder: Path, skills: Sequence[Skill], *, force: bool = False) -> list[Path]:
    """Write each skill to `folder/NAME/SKILL.md`; a slash in its name becomes a folder in between.

    No folder's name has a sign that steers a terminal, turns the writing around or is not seen: such signs are left
    out, and a mark that is made of the name stands for them. No two skills are written to one folder.

    Args:
        force: replace files that are there and say something else.

    Raises:
        UsageError: a name leads out of the folder, a file that is there says something else, or the folder cannot be
            written.
    """
    import yaml

    files = list[Path]()
    taken = set[str]()
    for skill in skills:
        head: dict[str, object] = {"name": skill.name, "description": skill.summary}
        more = {"see_also": list(skill.see_also), "triggers": list(skill.triggers)}
        if told := {name: value for name, value in more.items() if value}:
            head["metadata"] = told
        body = skill.content
        if skill.lessons:
            body += _LESSONS + "\n".join(f"- {' '.join(lesson.split())}" for lesson in skill.lessons)
        path = folder / _place(skill.name, taken) / FILE
        confirm_not_ours(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000)
            text = shown(f"---\n{front}---\n\n{body}\n")  # a model reads it
            if not (path.is_file() and path.read_bytes() == text.encode()):
                write_text(path, text, force=force)
        except OSError as fault:
            raise UsageError(f"{path} cannot be written: {fault.strerror}") from fault
        files.append(path)
    return files


def _place(name: str, taken: set[str]) -> Path:
    """The folder of a skill, which is taken from then on. Raises UsageError where its name leads out of the folder."""
    parts = [part.strip() for part in name.split("/")]
    if any(part in ("", ".", "..") or "\\" in part or part.startswith("~") for part in parts):
        raise UsageError(f"the skill {name!r} has no name that a folder can bear", "rename it first")
    place = "/".join(map(_harmless, parts))
    # Of some file systems, capitals and composed letters tell no two names apart.
    while (key := normalize("NFC", place).casefold()) in taken:
        place += _mark(name)
    taken.add(key)
    return Path(place)


def _harmless(part: str) -> str:
    """A part of a name as a folder's name: itself, where no sign of it does any harm."""
    seen = " ".join(without_hidden(part).split()) if printable(part) != part else part
    return part if seen == part else f"{seen.lstrip('.~') or 'skill'}{_mark(part)}"


def _mark(name: str) -> str:
    """What tells a name from others that look like it."""
    return "-" + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def read_folder(folder: Path) -> list[Skill]:
    """Every skill below a folder, by name.

    Raises:
        NotFoundError: there is none.
        ImportRefusedError: one cannot be read; each fault is told with its file.
    """
    files = (
        sorted(folder.rglob(FILE)) if folder.is_dir() else [folder] if folder.name == FILE and folder.is_file() else []
    )
    if not files:
        raise NotFoundError(f"there is no {FILE} below {folder}", "each skill is a folder that holds one")
    skills, faults = list[Skill](), list[str]()
    for file in files:
        try:
            skills.append(_read(file))
        except (OSError, UnicodeDecodeError, ValueError) as fault:
            faults.append(f"{file}: {getattr(fault, 'strerror', None) or fault}")
    names = [skill.name.casefold() for skill in skills]
    faults += [
        f"{name}: there are several skills of that name" for name in sorted({n for n in names if names.count(n) > 1})
    ]
    if faults:
        raise ImportRefusedError(f"{len(faults)} of {len(files)} skills cannot be read; none was taken", faults)
    return sorted(skills, key=lambda skill: skill.name)


def _read(file: Path) -> Skill:
    """One skill. Raises ValueError where the file says none, and OSError as `whole_file`."""
    import yaml

    found = _HEAD.match(whole_file(file, LONGEST).decode("utf-8-sig").replace("\r\n", "\n"))
    if found is None:
        raise ValueError("begins with no head between two lines of ---")
    try:
        head = yaml.safe_load(found[1])
    except yaml.YAMLError as fault:
        raise ValueError(f"its head is no YAML: {str(fault).splitlines()[0]}") from None
    if not isinstance(head, dict) or not isinstance(head.get("name"), str) or not head["name"].strip():
        raise ValueError("its head has no name")
    more = head.get("metadata") if isinstance(head.get("metadata"), dict) else {}
    content, _, lessons = found[2].strip("\r\n").partition(_LESSONS)
    summary = " ".join(str(head.get("description") or "").split())
    if not content.strip() and not summary:
        raise ValueError("says nothing")
    return Skill(
        head["name"].strip(), summary, content.strip(),
        tuple(line.removeprefix("- ").strip() for line in lessons.splitlines() if line.strip()),
        _texts(more, "triggers"), _texts(more, "see_also"),
    )  # fmt: skip


def _texts(more: object, name: str) -> tuple[str, ...]:
    value = more.get(name) if isinstance(more, dict) else None
    return tuple(str(item).strip() for item in value if str(item).strip()) if isinstance(value, list) else ()
