"""`graphdream init`: other people's settings are merged with, shown, written whole, and given back to the last byte."""

from __future__ import annotations

import json
import os
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from graphdream.clock import utc_now
from graphdream.interfaces.cli import main
from graphdream.interfaces.hook import folder as place
from graphdream.interfaces.hook.state import State
from graphdream.interfaces.hosts import tools
from graphdream.interfaces.hosts.base import TIMEOUTS, is_ours
from graphdream.interfaces.hosts.ledger import BACKUP
from graphdream.paths import database_path

PROJECT = Path(__file__).resolve().parents[2]
CLAUDE = """\
{
    "model": "opus",
    "permissions": {
        "allow": [
            "Bash(ls:*)"
        ]
    },
    "hooks": {
        "Stop": [
            {
                "matcher": "",
                "hooks": [
                    {
                        "type": "command",
                        "command": "say 'fertig – ü'"
                    }
                ]
            }
        ]
    }
}
"""
CODEX = '# my own\nmodel = "gpt-5"  # the best\n\n[mcp_servers.other]\ncommand = "x"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with all four tools in it, each with settings of its owner."""
    home = tmp_path / "user"
    for folder in (".claude", ".codex", ".copilot", ".openclaw"):
        (home / folder).mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text(CLAUDE, encoding="utf-8")
    (home / ".claude.json").write_text('{"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}')
    (home / ".codex" / "config.toml").write_text(CODEX, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return home


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def commands(path: Path, event: str) -> list[str]:
    held = json.loads(path.read_text(encoding="utf-8"))
    return [hook["command"] for group in held["hooks"][event] for hook in group["hooks"]]


def test_every_tool_is_set_up_and_what_was_there_stays(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--yes"]) == 0
    told = capsys.readouterr().out
    settings = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert settings["model"] == "opus" and settings["permissions"] == {"allow": ["Bash(ls:*)"]}
    assert commands(home / ".claude" / "settings.json", "Stop")[0] == "say 'fertig – ü'"
    for event in TIMEOUTS:
        for path in (home / ".claude" / "settings.json", home / ".codex" / "hooks.json"):
            (ours,) = [one for one in commands(path, event) if is_ours(one)]
            assert os.path.isabs(ours.split()[0]) and f"--db {database_path()}" in ours
    copilot = json.loads((home / ".copilot" / "hooks" / "graphdream.json").read_text())
    assert copilot["version"] == 1 and "--event sessionStart" in copilot["hooks"]["sessionStart"][0]["bash"]
    assert (home / ".openclaw" / "hooks" / "graphdream" / "handler.ts").exists()
    assert "+" in told and "Codex: start Codex once and trust the new hooks" in told
    assert (home / ".claude" / f"settings.json{BACKUP}").read_text(encoding="utf-8") == CLAUDE


@pytest.mark.skipif(find_spec("mcp") is None, reason="NOT TESTED: the extra mcp is not installed")
def test_the_server_is_registered_beside_others(home: Path) -> None:
    main(["init", "--yes"])
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["other"] == {"command": "x"} and servers["graphdream"]["args"][-3:] == [
        "mcp",
        "--db",
        str(database_path()),
    ]
    config = (home / ".codex" / "config.toml").read_text()
    assert config.startswith(CODEX) and tomllib.loads(config)["mcp_servers"]["graphdream"]["args"][-1] == str(
        database_path()
    )
    copilot = json.loads((home / ".copilot" / "mcp-config.json").read_text())["mcpServers"]["graphdream"]
    assert (copilot["type"], copilot["tools"]) == ("local", ["*"])


def test_no_hook_waits_longer_than_its_host_allows() -> None:
    assert TIMEOUTS["SessionEnd"] <= 3  # Codex warns at every start where it is more
    assert TIMEOUTS["SessionEnd"] > 1.5  # Claude Code's own, which a settings file may raise
    assert all(seconds <= 60 for seconds in TIMEOUTS.values())  # seconds, not milliseconds


def test_twice_is_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init", "--yes"])
    once = contents(home)
    capsys.readouterr()
    assert main(["init", "--yes"]) == 0
    assert contents(home) == once
    assert "set up already, nothing to write" in capsys.readouterr().out


def test_undo_gives_the_old_bytes_back(home: Path) -> None:
    before, folders = contents(home), sorted(home.rglob("*"))
    main(["init", "--yes"])
    main(["init", "--yes", "--db", str(home / "other.db")])  # set up anew, for another memory
    assert main(["init", "--undo"]) == 0
    assert contents(home) == before and sorted(home.rglob("*")) == folders
    assert main(["init", "--undo"]) == 0


def test_undo_keeps_what_was_changed_since(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    main(["init", "--yes"])
    path.write_text(path.read_text(encoding="utf-8").replace('"opus"', '"haiku"'), encoding="utf-8")
    (home / ".codex" / "config.toml").open("a").write("\n[tui]\ntheme = 1\n")
    assert main(["init", "--undo"]) == 0
    assert path.read_text(encoding="utf-8") == CLAUDE.replace('"opus"', '"haiku"')
    assert tomllib.loads((home / ".codex" / "config.toml").read_text()) == tomllib.loads(CODEX + "\n[tui]\ntheme = 1\n")


def test_an_older_version_s_hook_is_replaced_and_not_doubled(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    old = {
        "hooks": {
            "Stop": [
                {
                    "hooks": [
                        {"type": "command", "command": "/old/bin/graphdream hook"},
                        {"type": "command", "command": "b"},
                    ]
                }
            ]
        }
    }
    path.write_text(json.dumps(old))
    main(["init", "--yes"])
    found = commands(path, "Stop")
    assert len(found) == 2 and found[1] == "b" and is_ours(found[0]) and not found[0].startswith("/old")


def test_a_dry_run_shows_and_writes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(home)
    assert main(["init", "--dry-run"]) == 0
    assert contents(home) == before
    told = capsys.readouterr().out
    assert '+        "SessionStart": [' in told and "dry run, nothing was written" in told
    assert main(["init", "--dry-run", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert {one["change"] for one in files} == {"new", "changed"} and contents(home) == before


def test_without_anybody_to_ask_nothing_is_written(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(home)
    assert main(["init"]) == 2
    assert contents(home) == before and "--yes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "it is no JSON"),
        ('{\n  // mine\n  "a": 1\n}', "it has comments, which would be lost"),
        ("[]", "it is no JSON object"),
        ('{"hooks": []}', "`hooks` in it is no object"),
        ('{"hooks": {"Stop": {}}}', "`Stop` in it is no list"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe{", "it is not UTF-8"),
    ],
)
def test_settings_that_cannot_be_used_are_left_and_so_are_all_others(
    home: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, said: str
) -> None:
    path = home / ".codex" / "hooks.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = contents(home)
    assert main(["init", "--yes"]) == 3
    told = capsys.readouterr().err
    assert said in told and "hooks.json" in told and "Traceback" not in told
    assert contents(home) == before


def test_a_broken_toml_is_left(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec("mcp") is None:
        pytest.skip("NOT TESTED: the extra mcp is not installed, so nothing is written there")
    (home / ".codex" / "config.toml").write_text("model = ")
    before = contents(home)
    assert main(["init", "--yes"]) == 3
    assert "it is no TOML" in capsys.readouterr().err and contents(home) == before


def test_a_read_only_file_is_left(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".claude" / "settings.json").chmod(0o444)
    before = contents(home)
    assert main(["init", "--yes"]) == 3
    assert "is read-only" in capsys.readouterr().err and contents(home) == before


def test_a_link_stays_a_link_and_its_rights_stay(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    path = home / ".claude" / "settings.json"
    path.rename(real)
    real.chmod(0o600)
    path.symlink_to(real)
    assert main(["init", "--yes"]) == 0
    assert path.is_symlink() and any(is_ours(one) for one in commands(real, "Stop"))
    assert real.stat().st_mode & 0o777 == 0o600
    assert main(["init", "--undo"]) == 0
    assert path.is_symlink() and real.read_text(encoding="utf-8") == CLAUDE


def test_a_link_to_nothing_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = home / ".claude" / "settings.json"
    path.unlink()
    path.symlink_to(home / "nowhere.json")
    assert main(["init", "--yes"]) == 3
    assert "is a link to" in capsys.readouterr().err


def test_a_disk_that_fails_half_way_leaves_everything_as_it_was(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from graphdream.interfaces.hosts import ledger

    before = contents(home)
    written: list[Path] = []
    real = ledger.put

    def failing(path: Path, content: bytes | None) -> None:
        if path.name == "graphdream.json" and content is not None:
            raise OSError(28, "No space left on device", str(path))
        written.append(path)
        real(path, content)

    monkeypatch.setattr(ledger, "put", failing)
    assert main(["init", "--yes"]) == 3
    assert written and "nothing was changed" in capsys.readouterr().err
    assert {name: text for name, text in contents(home).items() if not name.endswith(BACKUP)} == before


def test_line_ends_and_indentation_stay(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.write_bytes('\ufeff{\r\n\t"model": "opus"\r\n}'.encode())
    main(["init", "--yes"])
    text = path.read_bytes().decode()
    assert text.startswith('\ufeff{\r\n\t"model"') and not text.endswith("\n")
    assert "\n" not in text.replace("\r\n", "")


def test_a_project_has_its_own_settings(home: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    before = contents(home)
    assert main(["init", "--yes", "--tool", "claude-code", "--project", str(tmp_path / "work")]) == 0
    assert contents(home) == before
    assert any(map(is_ours, commands(tmp_path / "work" / ".claude" / "settings.local.json", "Stop")))
    assert main(["init", "--undo"]) == 0
    assert contents(tmp_path / "work") == {}


def test_check_says_whether_hooks_fired(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--check", "--tool", "claude-code"]) == 1
    assert "hooks are not in" in capsys.readouterr().out
    main(["init", "--yes", "--tool", "claude-code"])
    capsys.readouterr()
    assert main(["init", "--check", "--tool", "claude-code"]) == 1
    assert "no hook has fired yet" in capsys.readouterr().out
    folder = Path(place.folder_of(str(database_path())))
    folder.mkdir(parents=True)
    state = State()
    state.note_fired("claude-code", "session-end", "2026-04-01T09:30:00Z")
    state.write(folder)
    assert main(["init", "--check", "--tool", "claude-code"]) == 0
    assert "fired: session-end 2026-04-01 09:30; none in the last week" in capsys.readouterr().out
    state.note_fired("claude-code", "stop", utc_now())
    state.write(folder)
    assert main(["init", "--check", "--tool", "claude-code"]) == 0
    assert "none in the last week" not in capsys.readouterr().out


def test_a_check_tells_the_last_failure_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was told as Python writes a pair, with the log as its second half."""
    place.log_failure(place.folder_of(str(database_path())), "stop: ValueError: the payload is empty")
    main(["init", "--check", "--tool", "claude-code"])
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("the last failure: "))
    assert "Z stop: ValueError: the payload is empty (noted in /" in line and line.endswith(".log)")
    main(["init", "--check", "--tool", "claude-code", "--json"])
    assert json.loads(capsys.readouterr().out)["last_failure"][21:] == "stop: ValueError: the payload is empty"


def test_where_nothing_is_found_it_says_what_is_known(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(home / "empty"))
    monkeypatch.setenv("PATH", "")
    assert main(["init"]) == 6
    assert "Claude Code" in capsys.readouterr().err


def test_print_shows_what_belongs_where(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(home)
    assert main(["init", "--print", "--tool", "codex"]) == 0
    assert ".codex/hooks.json" in capsys.readouterr().out and contents(home) == before


def test_the_plugin_says_what_init_writes() -> None:
    plugin = PROJECT / "plugin"
    held = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert {event: group[0]["hooks"][0]["timeout"] for event, group in held.items()} == TIMEOUTS
    assert all(is_ours(group[0]["hooks"][0]["command"]) for group in held.values())
    assert json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["graphdream"]["args"] == ["mcp"]
    manifest = json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())
    market = json.loads((PROJECT / ".claude-plugin" / "marketplace.json").read_text())
    (entry,) = market["plugins"]
    assert (entry["name"], entry["source"]) == (manifest["name"], "./plugin")
    assert manifest["version"] == __import__("graphdream").__version__


def test_every_tool_is_declared_by_its_own_module() -> None:
    assert [tool.name for tool in tools()] == ["claude-code", "codex", "copilot", "openclaw"]
