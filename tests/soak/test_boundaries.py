"""Law 3, place by place: a command that is killed, or refused a write, at any of its writes leaves all or nothing, and
called again it gets to where it would have got."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.crashing import SCENES, Fault, spread, trial, undisturbed

PLACES = {"in-ci": 2, "soak": 60}
HOWS = ("KILL", "KILL", "EIO", "KILL", "ENOSPC+")
REFUSED_ON_A_FULL_DISK = ("pwrite64", "ftruncate")


def works() -> bool:
    """Whether `strace` is here, and may trace."""
    return (
        bool(shutil.which("strace")) and subprocess.run(["strace", "-qq", "true"], capture_output=True).returncode == 0
    )


if not works():
    pytest.skip("NOT TESTED: strace is not installed, or may not trace here", allow_module_level=True)


@pytest.mark.parametrize("size", ["in-ci", pytest.param("soak", marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", SCENES)
def test_whatever_happens_at_a_write_the_memory_is_whole_and_the_next_call_goes_on(
    name: str, size: str, tmp_path: Path
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    SCENES[name].prepare(before)
    course = undisturbed(SCENES[name], before, tmp_path)
    assert (course.calls["pwrite64"] > 10 and course.before != course.whole) or name in ("migration", "new key")
    for at, (call, number) in enumerate(spread(course.calls, PLACES[size])):
        how = HOWS[at % len(HOWS)]
        if call in ("write", "unlink") or (how == "ENOSPC+" and call not in REFUSED_ON_A_FULL_DISK):
            how = "KILL"
        assert trial(name, Fault(call, number, how), before, course, tmp_path) == []
