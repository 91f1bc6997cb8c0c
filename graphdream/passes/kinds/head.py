"""Rebuild the head of MEMORY.md: what is durable, in few tokens, each line with its handle; the rest of the file is the
user's."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from graphdream.errors import GraphdreamError
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.categories import FOLDER, Place, category_of
from graphdream.passes.material import cut, newest_change
from graphdream.passes.protocol import PassKind, Plan, Scene, Sight, Skip

NAME = "head"
FILE = "MEMORY.md"
BEGIN, END = "<!-- graphdream:begin -->", "<!-- graphdream:end -->"
_MOST, _LONGEST = 400, 240  # lines that are weighed, characters of one


class HeadError(GraphdreamError):
    """The file, or its marks, cannot be made sense of; nothing is written."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """The file as it is: what stands before, within and behind the marks."""

    path: Path
    before: str
    within: str
    behind: str


def look(scene: Scene) -> Sight | Skip:
    """The file with its marks, where the memory or the block changed."""
    if scene.folder is None:
        return Skip("there is no folder of the agent's own")
    path = scene.folder / FILE
    if not path.is_file():
        return Skip(f"no {FILE} with the lines {BEGIN} and {END} is in {scene.folder}")
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise HeadError(
            f"{path} cannot be read: {getattr(fault, 'strerror', None) or 'it is no UTF-8 text'}"
        ) from fault
    if BEGIN not in text and END not in text:
        return Skip(f"no lines {BEGIN} and {END} are in {path}")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise HeadError(f"{path} should have {BEGIN} once and {END} once behind it", "nothing was written")
    before, _, rest = text.partition(BEGIN)
    within, _, behind = rest.partition(END)
    mark = _mark(scene, within)
    return Sight(mark, Shown(path, before, within, behind))


def _mark(scene: Scene, block: str) -> dict[str, Any]:
    return {
        "change": newest_change(scene.connection, NAME), "tokens": scene.settings.head_tokens,
        "block": blake2b(block.encode(), digest_size=8).hexdigest(),
    }  # fmt: skip


def local(scene: Scene, shown: Any) -> Plan:
    """The block anew; the file is touched only where it differs."""
    plan = Plan()
    lines, tokens = _lines(scene)
    block = "\n" + "".join(f"{line}\n" for line in lines)
    plan.figures.update(lines=len(lines), tokens=tokens)
    plan.mark = _mark(scene, block)
    if block != shown.within:
        plan.files[shown.path] = f"{shown.before}{BEGIN}{block}{END}{shown.behind}"
        plan.notes.append(f"{FILE}: {len(lines)} lines, {tokens} tokens")
    return plan


def _lines(scene: Scene) -> tuple[list[str], int]:
    """What is most durable, as far as the tokens reach: rules first, then what a person told, then by weight."""
    count = default_tokenizer().count
    rows = scene.connection.execute(
        "SELECT attribute.id, content, entity.type, entity.name, aspect.name, attribute.kind FROM attribute JOIN aspect"
        " ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id WHERE attribute.status = 'active' AND"
        " entity.status = 'active' AND entity.type NOT IN ('skill', 'agent') AND entity.name NOT IN ('reflections',"
        " 'candidates') ORDER BY attribute.kind = 'constraint' DESC, entity.name = 'user-preferences' DESC, entity.name"
        f" = 'anti-patterns' DESC, round(attribute.importance, 2) DESC, attribute.reinforcement DESC, attribute.id"
        f" LIMIT {_MOST}"
    ).fetchall()
    lines, used = list[str](), 0
    for number, content, kind, name, aspect, weight in rows:
        place = category_of(Place(kind, name, aspect))
        rule = " (rule)" if weight == "constraint" else ""
        told = place if kind == FOLDER else f"{name}, {aspect}"
        line = f"- {cut(' '.join(content.split()), _LONGEST)}{rule} [a{number}; {told}]".replace("<!--", "<! --")
        needed = count(line + "\n")
        if used + needed > scene.settings.head_tokens:
            continue
        lines.append(line)
        used += needed
    return lines, used


PASS = PassKind(
    NAME, 200, "memory", "rebuilds the head of MEMORY.md within its marked block", look, local,
)  # fmt: skip
