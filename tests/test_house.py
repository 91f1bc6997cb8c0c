"""Imports go one way, and what says so would notice if they did not."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

import house

PACKAGE = Path(__file__).resolve().parent.parent / "graphdream"


@pytest.fixture
def build(tmp_path):
    """Make a package of modules, given as text by path; missing __init__ files are empty."""

    def _build(**modules: str) -> list[str]:
        package = tmp_path / "graphdream"
        for dotted, text in {"__init__": "", **modules}.items():
            file = package / (dotted.replace("__slash__", "/") + ".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            (file.parent / "__init__.py").touch()
            file.write_text(textwrap.dedent(text))
        return house.faults(package)

    return _build


def test_this_house_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    found = house.faults(PACKAGE)
    assert found == []
    monkeypatch.setattr(house, "faults", lambda package: found if package == PACKAGE else ["another package"])
    assert house.main([]) == 0


# Names of papers that the authors had beside them, and numbers in these: a reader of the repository has none of it.
ELSEWHERE = re.compile(r"\b(?:FEATURES|DESIGN|PACKAGES)\b|\breference/|\bissue \d|\blaws? \d|\([A-HJRSW]\d{1,2}[),;]")


@pytest.mark.parametrize("room", sorted(PACKAGE.iterdir()), ids=lambda path: path.name)
def test_a_comment_rests_on_nothing_that_is_not_in_the_repository(room: Path) -> None:
    files = [room] if room.suffix == ".py" else sorted(room.rglob("*.py"))
    found = [
        f"{file.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if ELSEWHERE.search(line)
    ]
    assert found == []


def test_a_test_names_no_issue_and_no_paper_either() -> None:
    named = re.compile(r"(?i)\breference/\w|[\"'(#] ?issue \d")
    tests = sorted(Path(__file__).parent.rglob("*.py"))
    found = [file.name for file in tests if file != Path(__file__) and named.search(file.read_text(encoding="utf-8"))]
    assert found == []


def test_every_room_has_a_storey():
    rooms = {folder.parent.name for folder in PACKAGE.glob("*/__init__.py")} - {"library"}  # a front door
    assert rooms == {room for storey in house.STOREYS for room in storey}


@pytest.mark.parametrize(
    ("importer", "text", "words"),
    [
        ("graph__slash__store", "from graphdream.journal import passes", "graph is not above journal"),
        ("journal__slash__undo", "import graphdream.mutations.applier", "journal is not above mutations"),
        ("graph__slash__store", "from graphdream.events import tokens", "graph is not above events"),
        ("entities__slash__score", "from ..recall import fusion", "entities is not above recall"),
        ("dream__slash__plan", "def f():\n    from graphdream.interfaces import cli", "dream is not above interfaces"),
        ("errors", "from graphdream.graph import store", "below the rooms"),
        ("journal__slash__undo", "import graphdream", "through the front door"),
        ("journal__slash__undo", "from graphdream import open", "through the front door"),
        ("dream__slash__runner", "from graphdream.library import Graph", "through the front door"),
        ("errors", "import graphdream.library", "through the front door"),
        ("dreamers__slash__model", "import litellm", "imported while the module loads"),
        ("dreamers__slash__model", "try:\n    from litellm.utils import x\nexcept ImportError:\n    x = 1", "while"),
    ],
)
def test_an_import_upwards_or_aside_is_named_with_its_line(build, importer, text, words):
    (fault,) = build(**{importer: text})
    assert words in fault
    assert f"{importer.replace('__slash__', '/')}.py:{text.count(chr(10), 0, text.rfind('import')) + 1}:" in fault


@pytest.mark.parametrize(
    ("importer", "text"),
    [
        ("dream__slash__runner", "from graphdream.graph import store\nfrom graphdream.dreamers.local import dream"),
        ("graph__slash__store", "from graphdream.graph import rows\nfrom . import names\nfrom .rows import Row"),
        ("interfaces__slash__cli", "import graphdream.config"),
        ("__main__", "from graphdream.interfaces import cli"),
        ("library", "from graphdream.graph import store\nfrom graphdream.interfaces import importers"),
        ("interfaces__slash__cli", "import graphdream\nfrom graphdream import library"),
        ("dreamers__slash__model", "def ask():\n    import litellm"),
        ("dreamers__slash__model", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import litellm"),
        ("graph__slash__store", "import graphdreamer.journal"),
    ],
)
def test_an_import_downwards_is_fine(build, importer, text):
    assert build(**{importer: text}) == []


def test_graph_stands_only_on_ground_that_stands_on_nothing(build):
    found = build(
        errors="", config="from graphdream import errors", graph__slash__store="from graphdream import errors"
    )
    assert found == []
    (fault,) = build(graph__slash__rows="import graphdream.config")
    assert "which imports more of ours" in fault
