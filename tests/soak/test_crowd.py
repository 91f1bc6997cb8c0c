"""Many programs at once on one memory: nothing is lost, nobody sees an error, the token counter stays exact."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.crowd import Sizes, gather

PROGRAM = (sys.executable, "-m", "graphdream")
FEW = Sizes(sessions=2, recorders=1, servers=0, readers=1, clients=0)


@pytest.mark.soak
@pytest.mark.parametrize(("sizes", "seconds"), [(FEW, 3), (Sizes.of(12), 10)], ids=["few", "12"])
def test_a_crowd_loses_nothing_and_sees_no_error(fixtures: Path, sizes: Sizes, seconds: float) -> None:
    if sizes.servers:
        pytest.importorskip("mcp", reason="NOT TESTED: the extra mcp is not installed; pip install 'graphdream[mcp]'")
    seen = gather(fixtures / "imports" / "claude-memory", PROGRAM, sizes, seconds, pause=0.1)
    assert seen.wrong == {}
    kinds = {call.kind for call in seen.calls}
    assert {"hook session-end", "record", "export", "backup of the file"} <= kinds
    assert seen.told and seen.passes
