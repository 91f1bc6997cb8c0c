"""Facts are held against a project: what is not so is flagged with its reason, and nothing else is changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.projectfiles import Project, paths_in
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from support.attacks import shell
from support.graphs import apply, entity

FACTS = (
    "The parser is in `src/parser.py`.",
    "The lexer is in src/old/lexer.py:40 today.",
    "Settings are in `settings.toml`, tests in `tests/unit`.",
    "The service rests on fastapi 0.95 and on Redis.",
    "The page uses react@17.",
    "See https://example.com/src/gone.py and github.com/ada/gone.py for more.",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src" / "parser.py").touch()
    (root / "pyproject.toml").write_text(
        '[project]\nname = "lantern"\nversion = "2.1.0"\nrequires-python = ">=3.11"\ndependencies = ["FastAPI>=0.110,<1"]\n'
    )
    (root / "package.json").write_text('{"dependencies": {"react": "^18.2.0"}}')
    return root


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Lantern", "project", code=list(FACTS))], actor="person")
    return path


def test_what_is_not_so_is_flagged_once_and_settled_when_it_is(
    database: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with graphdream.open(database) as graph:
        before = graph.store.connection.execute("SELECT * FROM attribute ORDER BY id").fetchall()
        report = graph.check_project(root)
        assert [(flag.fact, flag.why) for flag in report.flags] == [
            ("a2", "src/old/lexer.py is not there"),
            ("a3", "settings.toml is not there"),
            ("a3", "tests/unit is not there"),
            ("a4", "pyproject.toml has fastapi >=0.110,<1"),
            ("a5", "package.json has react ^18.2.0"),
        ]
        assert (report.flagged, report.settled, report.facts) == (5, 0, 6)
        again = graph.check_project(root)
        assert (again.pass_id, again.flagged, again.flags) == (None, 0, report.flags)
        assert graph.store.connection.execute("SELECT * FROM attribute ORDER BY id").fetchall() == before
        (root / "src" / "old").mkdir()
        (root / "src" / "old" / "lexer.py").touch()
        (root / "package.json").write_text('{"dependencies": {"react": "17.0.2"}}')
        later = graph.check_project(root)
        assert (later.flagged, later.settled) == (0, 2)
        assert [flag.fact for flag in graph.flagged_facts()] == ["a3", "a3", "a4"]
        (root / "src" / "old" / "lexer.py").unlink()
        assert [flag.fact for flag in graph.check_project(root).flags] == ["a2", "a3", "a3", "a4"]
        graph.edit({"op": "delete_attribute", "content": "a3", "reason": "wrong"})
        assert [flag.fact for flag in graph.flagged_facts()] == ["a2", "a4"]
        assert graph.dream(compact=True).status in ("nothing", "applied")
        assert [flag.fact for flag in graph.flagged_facts()] == ["a2", "a4"]
        assert graph.verify().ok
    assert main(["review", "--db", str(database)]) == 0
    assert "a2  The lexer is in src/old/lexer.py:40 today.\n" in capsys.readouterr().out


def test_the_command_says_what_it_found(database: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(database)]
    assert main(["review", *db]) == 0
    assert "no fact is flagged against a project" in capsys.readouterr().out
    assert main(["review", "--root", str(root), *db]) == 0
    out = capsys.readouterr().out
    assert "6 facts held against" in out and "5 newly flagged" in out
    assert "Lantern: package.json has react ^18.2.0" in out
    assert main(["review", "--json", *db]) == 0
    assert [flag["names"] for flag in json.loads(capsys.readouterr().out)][-1] == "react 17"
    assert main(["review", "--root", "", *db]) == 6  # a variable of a shell that is not set: not the folder one is in
    assert main(["review", "--root", str(root / "nowhere"), *db]) == 6
    assert "there is no folder" in capsys.readouterr().err


def test_an_undo_takes_back_what_a_check_has_flagged(
    database: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with graphdream.open(database) as graph:
        report = graph.check_project(root)
        assert report.pass_id
        undone = graph.undo(report.pass_id)
        assert graph.flagged_facts() == [] and not undone.held
        graph.undo(undone.pass_id)
        assert tuple(graph.flagged_facts()) == report.flags
        (root / "settings.toml").touch()
        (root / "package.json").write_text('{"dependencies": {"react": "^19"}}')
        later = graph.check_project(root)
        assert later.pass_id and (later.flagged, later.settled) == (0, 1)
        graph.undo(later.pass_id)  # what it settled is flagged again, and for the reason that it was flagged for
        assert tuple(graph.flagged_facts()) == report.flags
        again = graph.check_project(root)
        assert again.flags == later.flags  # what was taken back is flagged where somebody asks for a check
        graph.undo(report.pass_id)
        (flag,) = graph.flagged_facts()  # the reason that the later check gave stands
        assert flag.why == again.flags[-1].why
        assert graph.verify().ok
    assert main(["undo", str(again.pass_id), "--db", str(database)]) == 0
    assert "held" not in capsys.readouterr().out
    assert main(["review", "--db", str(database)]) == 0
    assert "no fact is flagged" in capsys.readouterr().out


def test_what_a_person_has_looked_at_is_not_listed_again(
    database: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(database)]
    assert main(["review", "--root", str(root), *db]) == 0
    assert "right all the same: graphdream review --holds FACT" in capsys.readouterr().out
    assert main(["review", "--holds", "a3", "a5", *db]) == 0
    out = capsys.readouterr().out
    assert "pass 3: a3, a5 looked at" in out and "\na3" not in out and "\na2" in out
    with graphdream.open(database) as graph:
        assert [flag.fact for flag in graph.check_project(root).flags] == ["a2", "a4"]
        (root / "package.json").write_text('{"dependencies": {"react": "^19"}}')  # that is new
        assert [flag.fact for flag in graph.check_project(root).flags] == ["a2", "a4", "a5"]
        (root / "settings.toml").touch()  # it agrees now, so that what comes after is new
        assert graph.check_project(root).settled == 1
        (root / "settings.toml").unlink()
        assert [flag.names for flag in graph.check_project(root).flags] == [
            "src/old/lexer.py", "settings.toml", "fastapi 0.95", "react 17",
        ]  # fmt: skip
        held = graph.facts_hold("a2", "a2")
        assert held and "a2" not in {flag.fact for flag in graph.flagged_facts()}
        graph.undo(held)
        assert "a2" in {flag.fact for flag in graph.flagged_facts()}
        assert graph.facts_hold() is None
        for wrong, error in (
            ("a1", graphdream.NotFoundError),
            ("a999", graphdream.NotFoundError),
            ("e1", graphdream.UsageError),
        ):
            with pytest.raises(error):
                graph.facts_hold("a2", wrong)
        assert "a2" in {flag.fact for flag in graph.flagged_facts()}
        assert graph.verify().ok


def test_a_fact_that_was_looked_at_and_reads_otherwise_is_flagged_again(database: Path, root: Path) -> None:
    with graphdream.open(database) as graph:
        graph.check_project(root)
        graph.facts_hold("a2")
        said = "The parser is in `src/parser.py`. The lexer is in src/old/lexer.py:40 today."
        (outcome,) = graph.edit({"op": "merge_attributes", "source": ["a1"], "target": "a2", "content": said}).outcomes
        assert outcome.status == "applied", outcome
        assert "a2" in {flag.fact for flag in graph.check_project(root).flags}


def test_what_was_flagged_of_a_purged_fact_goes_with_it(database: Path, root: Path) -> None:
    with graphdream.open(database) as graph:
        graph.check_project(root)
        graph.purge("a2")
        assert "lexer" not in str([tuple(row) for row in graph.store.connection.execute("SELECT * FROM finding")])
        assert graph.verify().ok
    assert b"old/lexer" not in database.read_bytes()


def test_projects_do_not_settle_each_others_flags(database: Path, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "src" / "old").mkdir(parents=True)
    (other / "src" / "old" / "lexer.py").touch()
    with graphdream.open(database) as graph:
        first = graph.check_project(root).flags
        graph.check_project(other)
        assert [flag for flag in graph.flagged_facts() if flag.root == str(root.resolve())] == list(first)


@pytest.mark.parametrize(
    "text",
    ["`../secret.py`", "`/etc/passwd.conf`", "`~/notes.md`", "src/../../secret.py", "`src/*.py`", "and/or", "`os.path`",
     "`application/json`", "1.5/2.0", "`origin/main`", "https://a.b/src/c.py", "`@types/node.d`", "a 3/4.", "`a.b()`", "`.md`", "`src/1`"],
)  # fmt: skip
def test_what_is_no_path_of_the_project_is_flagged_for_nothing(root: Path, text: str) -> None:
    project = Project(root.resolve())
    assert [path for path in paths_in(f"See {text} for that.") if project.lacks(path)] == []


def test_what_leads_out_of_the_project_is_not_looked_at(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "linked").symlink_to(outside)
    (outside / "requirements.txt").write_text("httpx==0.1\n")
    (root / "requirements.txt").symlink_to(outside / "requirements.txt")
    project = Project(root.resolve())
    assert not any(project.lacks(path) for path in paths_in("It is in `linked/gone.py`."))
    assert list(project.other_versions("It rests on httpx 0.27.")) == []


def test_a_path_below_any_folder_is_there(root: Path) -> None:
    (root / "packages" / "web" / "src").mkdir(parents=True)
    (root / "packages" / "web" / "src" / "app.ts").touch()
    project = Project(root.resolve())
    there, gone = paths_in("`src/app.ts`, `src/app2.ts`")
    assert not project.lacks(there) and project.lacks(gone)


@pytest.mark.parametrize(
    ("spec", "told", "agrees"),
    [
        ("==2.0.1", "2.0.1", True), ("==2.0.1", "2.0", True), ("==2.0.1", "2.0.2", False), ("^1.4", "1.9", True),
        ("^1.4", "2.0", False), ("^0.4.1", "0.5", False), ("~1.4.2", "1.4.9", True), ("~1.4.2", "1.5", False),
        ("~=1.4", "1.9", True), (">=2,<3", "2.31", True), (">=2,<3", "3.1", False), (">1.0", "1.0", False),
        ("1.x", "1.5", True), ("1.x", "2.5", False), ("1.0 || 2.0", "3.0", True), ("latest", "3.0", True),
    ],
)  # fmt: skip
def test_a_version_is_held_against_what_a_manifest_states(root: Path, spec: str, told: str, agrees: bool) -> None:
    (root / "package.json").write_text(json.dumps({"dependencies": {"lib-one": spec}}))
    found = list(Project(root.resolve()).other_versions(f"It rests on lib-one {told} now."))
    assert (found == []) is agrees


@pytest.mark.parametrize(
    "text",
    ["It moved from react 17.0 to react 18.2.", "react 17.0+ is enough", "react 17 times", "preact 17.0",
     "react 17.0 or newer"],
)  # fmt: skip
def test_what_states_no_version_is_flagged_for_none(root: Path, text: str) -> None:
    assert list(Project(root.resolve()).other_versions(text)) == []


@pytest.mark.parametrize("manifest", ["pyproject.toml", "package.json", "requirements.txt"])
@pytest.mark.parametrize("content", [b"\xff\x00{", b"[1]", b"[[[", b"{" * 5_000, b""])
def test_a_manifest_that_cannot_be_read_states_nothing(root: Path, manifest: str, content: bytes) -> None:
    for name in ("pyproject.toml", "package.json"):
        os.remove(root / name)
    (root / manifest).write_bytes(content)
    assert list(Project(root.resolve()).other_versions("react 17.0 and fastapi 0.1")) == []


def test_a_fact_that_was_forged_is_not_looked_at(database: Path, root: Path) -> None:
    with shell(database) as c:
        c.execute("UPDATE attribute SET content = 'It is in `src/forged.py`.' WHERE id = 1")
    with graphdream.open(database) as graph:
        assert "a1" not in {flag.fact for flag in graph.check_project(root).flags}
        assert graph.store.seal.left_out == {"a1"}


def test_a_flag_that_was_forged_is_left_out(database: Path, root: Path) -> None:
    with graphdream.open(database) as graph:
        graph.check_project(root)
    with shell(database) as c:
        c.execute("UPDATE finding SET blocker = replace(blocker, 'lexer', 'Mallory')")
    with graphdream.open(database) as graph:
        assert not [flag for flag in graph.flagged_facts() if "Mallory" in flag.why]
        assert "a flag of a2" in graph.store.seal.left_out
