"""Where `serve` listens: what is no address or no port is told before anything is made."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from graphdream.errors import UsageError
from graphdream.interfaces.cli import main
from graphdream.interfaces.ports import confirm_port


@pytest.fixture
def database(tmp_path: Path) -> list[str]:
    """The words that name a memory which is there."""
    words = ["--db", str(tmp_path / "memory.db")]
    assert main(["remember", "Die Regentonne hält dicht.", *words]) == 0
    return words


@pytest.mark.parametrize("host", ["☃..x", "a" * 300, "\udcff", "a b", "192.0.2.1"])
def test_a_host_that_cannot_be_listened_on_is_told(
    host: str, database: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--no-schedule", "--host", host, "--port", "0", *database]) == 2
    assert "listened on" in (told := capsys.readouterr().err) or "no address of this machine" in told


@pytest.mark.parametrize("port", ["65536", "70000", "99999", "-1"])
def test_a_port_that_is_none_is_refused_instead_of_another_taken(
    port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "m.db"
    assert main(["serve", "--no-schedule", "--port", port, "--db", str(database)]) == 2
    assert f"--port {port} names no port" in capsys.readouterr().err
    assert not database.exists()


def test_ports_are_those_of_tcp() -> None:
    confirm_port(0, "--port 0", any_free=True)
    for port in (1, 65_535):
        confirm_port(port, f"--port {port}")
    for port in (0, -1, 65_536):
        with pytest.raises(UsageError, match="names no port"):
            confirm_port(port, f"--port {port}")


def test_a_port_that_is_taken_is_told(database: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--no-schedule", "--port", port, *database]) == 2
    assert f"127.0.0.1:{port} cannot be listened on" in capsys.readouterr().err
