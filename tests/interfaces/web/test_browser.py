"""The dashboard in a real browser: an accessibility engine on every page, the keyboard, narrow screens, no script."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import browser as driver
from support.serving import PAGES, Server

AXE = Path(__file__).with_name("axe") / "axe.min.js"


@pytest.fixture(scope="session")
def chromium() -> Iterator[driver.Browser]:
    if driver.found() is None:
        warnings.warn("no Chromium here: NOTHING WAS LOOKED AT IN A BROWSER", stacklevel=1)
        pytest.skip("no Chromium; install one, or name it in $GRAPHDREAM_BROWSER")
    with driver.browser() as opened:
        yield opened


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_engine_finds_nothing_to_mend(
    chromium: driver.Browser, reading: Server, places: dict[str, str], dark: bool
) -> None:
    engine, wrong = AXE.read_text(encoding="utf-8"), []
    for width in (1280, 400):
        chromium.look(width=width, dark=dark)
        for path in PAGES:
            chromium.open(reading.url.rstrip("/") + path.format(**places))
            chromium.run(engine)
            found = json.loads(chromium.run("axe.run().then((told) => JSON.stringify(told.violations.map((one) => [one.id, one.help, one.nodes.map((node) => node.html).slice(0, 3)])))"))  # fmt: skip
            wrong += [(path, width, one) for one in found]
    assert not wrong


def test_no_page_is_wider_than_its_window(chromium: driver.Browser, reading: Server, places: dict[str, str]) -> None:
    chromium.look(width=400)
    for path in PAGES:
        chromium.open(reading.url.rstrip("/") + path.format(**places))
        assert chromium.run("document.documentElement.scrollWidth") <= 400, path


def test_nothing_is_forbidden_by_the_policy_and_no_script_fails(
    chromium: driver.Browser, reading: Server, places: dict[str, str]
) -> None:
    chromium.look(width=1280)
    chromium.said.clear()
    for path in PAGES:
        chromium.open(reading.url.rstrip("/") + path.format(**places))
    assert chromium.said == []


def test_all_is_reached_and_done_by_keyboard(chromium: driver.Browser, reading: Server) -> None:
    chromium.look(width=1280)
    chromium.open(reading.url + "passes/4")
    reached = []
    for _ in range(60):
        chromium.press("Tab", 9)
        reached.append(chromium.run("document.activeElement.outerHTML.slice(0, 120)"))
    assert "skip" in reached[0]
    assert any('class="group' in one for one in reached), "the drawing's groups"
    assert any("<summary" in one for one in reached)
    outline = chromium.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "what has the focus is to be seen"


def test_a_dream_is_followed_live(chromium: driver.Browser, serving: Callable[..., Server]) -> None:
    server = serving()
    chromium.look(width=1280)
    chromium.open(server.url)
    chromium.follow("document.querySelector('form[action=\"/dream\"] button').click()")
    steps = set()
    until = time.monotonic() + 60
    while time.monotonic() < until:
        step = chromium.run("document.querySelector('#progress .step')?.textContent ?? ''")
        steps.add(step)
        if "The last one ended" in chromium.run("document.querySelector('#progress').textContent"):
            break
        time.sleep(0.05)
    assert len(steps - {""}) >= 2, steps


def test_without_a_script_a_pass_is_undone_all_the_same(
    chromium: driver.Browser, serving: Callable[..., Server]
) -> None:
    server = serving()
    chromium.scripts(False)
    try:
        chromium.open(server.url + "passes/4")
        chromium.run("document.querySelector('form[action$=\"/undo\"]').submit()")
        time.sleep(1.5)
        assert "Taken back" in chromium.run("document.body.textContent")
    finally:
        chromium.scripts(True)
