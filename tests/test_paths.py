"""Where an agent's files are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.errors import UsageError
from graphdream.paths import data_home, database_path, home, settings_path

pytestmark = pytest.mark.wheel


def test_each_agent_has_a_folder_under_the_configured_home(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path))
    assert home() == home("") == tmp_path / "agents" / "default"
    assert home("Ada") == tmp_path / "agents" / "Ada"
    assert database_path(None, "Ada") == tmp_path / "agents" / "Ada" / "memory.db"


def test_a_named_database_needs_no_home(monkeypatch):
    monkeypatch.delenv("GRAPHDREAM_HOME")
    assert database_path("some/agent.db", None) == Path("some/agent.db")
    assert database_path("~/agent.db", None) == Path.home() / "agent.db"


@pytest.mark.parametrize("path", ["/", "//", "/.", ".", "./"])
def test_a_path_that_no_file_can_have_is_refused(path):
    with pytest.raises(UsageError, match="is a folder"):
        database_path(path)


def test_a_link_to_such_a_path_is_refused_too(tmp_path):
    (tmp_path / "m.db").symlink_to("/")
    with pytest.raises(UsageError, match="is a folder"):
        database_path(tmp_path / "m.db")


def test_without_a_configured_home_the_platform_says_where(monkeypatch):
    monkeypatch.delenv("GRAPHDREAM_HOME")
    assert data_home().is_absolute() and data_home().name == "graphdream"


def test_relative_home_does_not_move_with_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHDREAM_HOME", "here")
    assert data_home() == tmp_path / "here"


@pytest.mark.parametrize("name", ["..", ".", "../x", "a/b", "a\\b", "/etc", ".hidden", "a.", "CON", "nul.txt", "a\0b",
                                  " ", "a b", "x" * 64, "-rf", "a\n"])  # fmt: skip
def test_name_that_could_leave_the_home_is_refused(name):
    with pytest.raises(UsageError) as refused:
        home(name)
    assert refused.value.exit_code == 2 and refused.value.hint


@pytest.mark.parametrize("name", ["Ada", "ada-2", "müller", "小明", "a.b", "_x", "x" * 63])
def test_ordinary_name_is_a_folder_of_its_own(name):
    assert home(name).parent == data_home() / "agents"


def test_two_spellings_of_one_accent_are_one_agent():
    assert home("mu\u0308ller") == home("m\u00fcller")


def test_own_settings_go_before_shared_ones():
    assert settings_path("Ada") is None
    data_home().mkdir(parents=True)
    shared = data_home() / "agent.yaml"
    shared.write_text("")
    assert settings_path("Ada") == shared
    home("Ada").mkdir(parents=True)
    own = home("Ada") / "agent.yaml"
    own.write_text("")
    assert settings_path("Ada") == own
    assert settings_path("Bo") == shared


def test_paths_load_nothing_heavy():
    script = "import sys; import graphdream.paths as p; p.database_path(None, None); print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "yaml", "numpy", "litellm", "tiktoken", "click", "platformdirs"} & set(loaded)
