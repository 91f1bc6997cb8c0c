"""When the cycle collector runs: never while a command loads, and afterwards as the process had it."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from graphdream.collector import begin_loading, end_loading


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_what_is_loaded_meanwhile_is_not_looked_through_and_what_comes_after_is() -> None:
    begin_loading()
    assert not gc.isenabled()
    end_loading()
    assert gc.isenabled() and gc.get_freeze_count() > 0


def test_who_works_without_the_collector_and_calls_a_command_goes_on_without_it() -> None:
    gc.disable()
    end_loading()
    assert not gc.isenabled()
    begin_loading()
    end_loading()
    assert not gc.isenabled()


def test_the_command_itself_begins_and_ends_it() -> None:
    seen = (
        "import gc, sys; from graphdream import __main__ as m; from graphdream import collector as c\n"
        "import graphdream.interfaces.cli as cli; ended = cli.end_loading\n"
        "cli.end_loading = lambda: (print(gc.isenabled()), ended(), print(gc.isenabled()))\n"
        "sys.argv = ['graphdream', 'status', '--db', 'of-nobody.db']; m.command()"
    )
    said = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[:2] == ["False", "True"]


def test_as_the_command_ends_nothing_is_looked_through_any_more() -> None:
    seen = (
        "import gc, sys; from graphdream import __main__ as m\n"
        "sys.argv = ['graphdream', 'status', '--db', 'of-nobody.db']; code = m.command()\n"
        "print(code, gc.isenabled(), gc.get_freeze_count() > 10_000)"
    )
    said = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1].endswith(" False True")
