"""The triggers that write the journal: the migration says what the tables say."""

from __future__ import annotations

import subprocess
import sys

from graphdream.graph.schema import migration_files


def test_the_migration_is_what_the_command_writes() -> None:
    """A column that is in `tables` but not in the triggers would change without its journal entry."""
    made = subprocess.run(
        [sys.executable, "-m", "graphdream.graph.capture"], capture_output=True, encoding="utf-8", check=True
    )
    [migration] = [file for file in migration_files() if file.stem == "0002_capture"]
    head, _, triggers = migration.read_text(encoding="utf-8").partition("\n\n")
    assert head.startswith("-- ") and triggers.rstrip() == made.stdout.rstrip()
