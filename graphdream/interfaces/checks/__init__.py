"""What `graphdream doctor` looks at, one module a subject. None of the checks writes, and none takes long.

Each module has `look(scene) -> Iterator[Finding]`; it is listed in `SUBJECTS`, and its findings in docs/doctor.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from graphdream.interfaces.checks.base import FAULT, NOTE, OK, Finding, Scene

__all__ = ["FAULT", "NOTE", "OK", "SUBJECTS", "Finding", "Scene", "look_at_all"]

SUBJECTS = ("installation", "settings", "place", "database", "seal", "dreaming", "waiting", "hooks")


def look_at_all(scene: Scene) -> Iterator[Finding]:
    """Everything that was found, in the order of the subjects."""
    for subject in SUBJECTS:
        yield from import_module(f"{__name__}.{subject}").look(scene)
