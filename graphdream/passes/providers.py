"""Where current values are read: a file or an HTTP endpoint, named in `refresh.yaml` of the agent's folder.

A provider gets the names of the entities it is asked about and returns values by name. Another kind of provider is one
function, put on record by `register`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphdream.errors import GraphdreamError

FILE = "refresh.yaml"
MOST_BYTES = 4 * 1024 * 1024
_LONGEST_VALUE = 500  # characters

Fetch = Callable[["Source", Collection[str], float], Mapping[str, Any]]


class ProviderFaultError(GraphdreamError):
    """A provider gave no values; the message says why."""


class RefreshFileError(GraphdreamError):
    """`refresh.yaml` is not what it should be."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of `refresh.yaml`.

    Attributes:
        type: of the entities whose values these are.
        aspect: under which the current value hangs.
        max_age_hours: after which a value is read anew.
        kind: name of the provider: `file`, `url`, or a registered one.
        where: the path or the address.
    """

    type: str
    aspect: str
    max_age_hours: float
    kind: str
    where: str
    folder: Path


_providers: dict[str, Fetch] = {}


def register(kind: str, fetch: Fetch) -> None:
    """Add a kind of provider: `kind: where` in `refresh.yaml` names it."""
    _providers[kind] = fetch


def sources_in(folder: Path | None) -> list[Source]:
    """What the agent's `refresh.yaml` names; [] where there is none.

    Raises:
        RefreshFileError: it is not what it should be; the message names the entry.
    """
    import yaml

    path = folder / FILE if folder is not None else None
    if folder is None or path is None or not path.is_file():
        return []
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise RefreshFileError(f"{path} cannot be read: {str(fault).splitlines()[0]}") from fault
    if found is None:
        return []
    if not isinstance(found, list):
        raise RefreshFileError(f"{path} should be a list of sources")
    return [_source(path, at, item, folder) for at, item in enumerate(found, 1)]


def _source(path: Path, at: int, item: Any, folder: Path) -> Source:
    kinds = [kind for kind in _providers if isinstance(item, dict) and kind in item]
    if len(kinds) != 1:
        raise RefreshFileError(f"{path}: source {at} should have one of {', '.join(sorted(_providers))}")
    known = {"type", "aspect", "maxAgeHours", kinds[0]}
    if unknown := sorted(set(map(str, item)) - known):
        raise RefreshFileError(f"{path}: source {at} has {', '.join(unknown)}, which is no setting of it")
    age = item.get("maxAgeHours", 24)
    texts = [item.get("type"), item.get("aspect"), item[kinds[0]]]
    if not all(isinstance(text, str) and text.strip() for text in texts) or type(age) not in (int, float) or age < 0:
        raise RefreshFileError(
            f"{path}: source {at} needs type, aspect and {kinds[0]} as text, and maxAgeHours as a number"
        )
    return Source(texts[0].strip(), texts[1].strip(), float(age), kinds[0], texts[2].strip(), folder)


def fetch(source: Source, names: Collection[str], seconds: float) -> dict[str, str]:
    """The values of some names, as text; names that the provider does not know are left out.

    Raises:
        ProviderFaultError: it raised, took too long, or returned what is no object of names and plain values.
    """
    caught: list[Any] = []

    def run() -> None:
        try:
            caught.append(_providers[source.kind](source, names, seconds))
        except Exception as fault:
            caught.append(fault)

    worker = threading.Thread(target=run, name=f"refresh {source.aspect}", daemon=True)
    worker.start()
    worker.join(seconds)
    if not caught:
        raise ProviderFaultError(f"{source.kind} {source.where} gave no answer within {seconds:g} seconds")
    values = caught[0]
    if isinstance(values, Exception):
        raise ProviderFaultError(f"{source.kind} {source.where}: {type(values).__name__}: {values}"[:300]) from values
    if not isinstance(values, Mapping):
        raise ProviderFaultError(f"{source.kind} {source.where} gave {type(values).__name__} instead of values by name")
    wanted = {name.casefold(): name for name in names}
    return {
        wanted[str(name).casefold()]: " ".join(str(value).split())[:_LONGEST_VALUE]
        for name, value in values.items()
        if str(name).casefold() in wanted and type(value) in (str, int, float) and str(value).strip()
    }


def _parsed(data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        raise ValueError(f"longer than {MOST_BYTES // 1024**2} MiB")
    return json.loads(data.decode("utf-8-sig"))


def _from_file(source: Source, names: Collection[str], seconds: float) -> Any:
    path = source.folder / source.where
    with open(path, "rb") as file:
        return _parsed(file.read(MOST_BYTES + 1))


def _from_url(source: Source, names: Collection[str], seconds: float) -> Any:
    from urllib.request import Request, urlopen

    if not source.where.startswith(("http://", "https://")):
        raise ValueError("an address begins with http:// or https://")
    with urlopen(Request(source.where, headers={"Accept": "application/json"}), timeout=seconds) as answer:
        return _parsed(answer.read(MOST_BYTES + 1))


register("file", _from_file)
register("url", _from_url)
