"""The command that prints the key: one that is none is told as that, and nothing else comes to an end by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.interfaces.cli import main
from graphdream.sealing.keys import COMMAND_VARIABLE, KeyUnavailableError, current_key


@pytest.mark.parametrize("command", [" ", "\t \n", "'open", "# nothing"])
def test_a_command_that_is_none_gives_no_key(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMMAND_VARIABLE, command)
    with pytest.raises(KeyUnavailableError, match=rf"\${COMMAND_VARIABLE} gave no key"):
        current_key()


def test_a_memory_is_read_while_the_command_is_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--db", str(tmp_path / "m.db")]
    assert main(["remember", "Die Regentonne hält dicht.", *database]) == 0
    monkeypatch.setenv(COMMAND_VARIABLE, "   ")
    assert main(["recall", "Regentonne", *database]) == 0
    assert "Regentonne" in capsys.readouterr().out
    for words in (["verify"], ["doctor"], ["log"], ["trust"]):
        assert main([*words, *database]) in (0, 1, 3), words
