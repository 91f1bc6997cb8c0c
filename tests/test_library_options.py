"""Every option of every command is something that a program can say too: a table tells how, and a new option needs a line."""

from __future__ import annotations

import inspect
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.interfaces.cli import COMMANDS, CommandParser
from graphdream.journal.purge import UNFINISHED
from graphdream.mutations.registry import op_named
from graphdream.sealing.keys import current_key
from tests.support.attacks import shell
from tests.support.dreamers import Scripted
from tests.support.models import ScriptedClient, said

# What only says how a command prints, asks or writes its own files.
PRINTING = {
    "init": {"--dry-run", "--undo", "--check", "--print", "--yes", "--tool", "--project", "--no-mcp"},
    "mcp": {"--simple", "--http"},
    "hook": {"--host", "--event"},
    "serve": {"--host", "--port", "--allow-host", "--token", "--no-schedule", "--no-http", "--cycles"},
    "demo": {"--keep"},
    "calibrate": {"--out", "--force"},
    "export": {"--force"},  # a method replaces the file
    "diff": {"--all", "--force"},
    "show": {"--all", "--not-applied"},
    "plan": {"--all"},
    "context": {"--explain"},
    "recall": {"--batch"},
    "cycle": {"--schema"},
    "explain": {"--verbose"},
    "purge": {"--yes"},
    "remember": {"--wait"},  # a method does it at once
}
# Option -> the parameter of a method, `method()` where it is one of its own, `Type.method()` of what a method gives back.
METHODS: dict[str, dict[str, str]] = {
    "import": {"--format": "import_file.format", "--dry-run": "import_file.dry_run", "--skip-bad": "import_file.skip_bad",
               "--trust": "import_file.trust", "--at": "import_file.at"},
    "export": {"--out": "export.path", "--format": "export.format", "--at": "export.at", "--accept-damage": "open.accept_damage"},
    "record": {"--session": "record_session.session_id", "--session-id": "record_session.session_id",
               "--summary": "record_session.summary", "--transcript": "record_session.transcript",
               "--observation": "record_session.observations", "--started-at": "record_session.started_at",
               "--ended-at": "record_session.ended_at", "--metadata": "record_session.metadata"},
    "remember": {"--category": "remember.category", "--tag": "remember.tags", "--session": "remember.session", "--at": "remember.at",
                 "--valid-from": "remember.valid_from", "--valid-to": "remember.valid_to",
                 "--occurred-at": "remember.occurred_at", "--review-after": "remember.review_after", "--by": "remember.by",
                 "--again": "remember.again"},
    "recall": {"--as-of": "recall.as_of", "--superseded": "recall.include_superseded", "--budget": "recall.budget_words",
               "--explain": "recall.explain", "--vectors": "make_vectors()"},
    "context": {"--session": "context.session", "--message": "context.message", "--budget": "context.budget_tokens",
                "--turns": "context.turns", "--mark": "context.mark"},
    "working": {"--namespace": "working.namespace", "--ttl": "WorkingMemory.put()", "--category": "WorkingMemory.put()",
                "--tag": "WorkingMemory.put()", "--prefix": "WorkingMemory.list()"},
    "feedback": {"--kind": "observe()", "--skill": "observe()", "--at": "observe()", "--session": "feedback.session",
                 "--note": "feedback.note"},
    "dream": {"--compact": "dream.compact", "--incremental": "dream.compact", "--trigger": "dream.trigger", "--if-due": "dream_due()",
              "--status": "status()", "--again": "dream.again", "--dry-run": "dream.dry_run",
              "--accept-damage": "open.accept_damage", "--model": "dream.model", "--budget": "dream.budget",
              "--thorough": "dream.thorough", "--review": "dream.review", "--estimate": "estimate()",
              "--max-false-merge-rate": "dream.max_false_merge_rate", "--loss-cap": "dream.loss_cap",
              "--started-by": "dream.trigger"},
    "cycle": {"--only": "cycle.only", "--list": "cycle_passes()", "--dry-run": "cycle.dry_run", "--model": "cycle.model",
              "--budget": "cycle.budget", "--again": "cycle.again", "--accept-damage": "open.accept_damage",
              "--started-by": "cycle.trigger"},
    "plan": {"--clusters": "plan_clusters()", "--accept-damage": "open.accept_damage"},
    "review": {"--root": "check_project.root", "--holds": "facts_hold()"},
    "fleet": {f"--{name}": "dream_fleet()" for name in (
        "jobs", "executor", "resume", "requests-per-minute", "tokens-per-minute", "compact", "incremental", "if-due", "dry-run",
        "review", "again", "model", "budget", "max-false-merge-rate", "loss-cap",
    )},
    "doctor": {"--mend-schema": "mend_schema()"},
    "resolve": {"--max-false-merge-rate": "resolve.max_false_merge_rate", "--best-f1": "resolve.best_f1"},
    "calibrate": {"--max-false-merge-rate": "calibrate.max_false_merge_rate"},
    "skills": {"--session": "Skills.use()", "--outcome": "Skills.use()", "--detail": "Skills.use()", "--force": "Skills.export()"},
    "show": {"--transcript": "conversations()", "--prompt": "conversations()", "--cost": "cost_sheet()",
             **{f"--{name}": "overview()" for name in (
                 "merges", "replaced", "contradictions", "duplicates", "archived", "changed", "added", "taken-out",
             )}},
    "diff": {"--svg": "GraphDiff.svg()"},
    "undo": {"--cascade": "undo.cascade", "--wrong": "undo.wrong", "--all-wrong": "undo.all_wrong",
             "--accept-damage": "open.accept_damage"},
    "unmerge": {"--wrong": "unmerge.wrong", "--accept-damage": "open.accept_damage"},
    "replay": {"--level": "replay.level", "--model": "ask_again.model"},
    "trust": {"--reason": "trust.reason", "--rotate-key": "trust.rotate_key", "--add-key": "add_key()"},
    "entity": {"--history": "entity.history"},
    "edit": {"--by": "edit.by"},
    "purge": {"--finish": "finish_purge()", "--session": "purge.session", "--accept-damage": "open.accept_damage"},
    "explain": {"--max-false-merge-rate": "explain.max_false_merge_rate"},
}  # fmt: skip
# Commands that are an op of `edit`: option -> its field.
OPS: dict[str, tuple[str, dict[str, str]]] = {
    "pin": ("pin", {}), "unpin": ("unpin", {}), "rename": ("rename_entity", {}), "alias": ("add_alias", {}),
    "retype": ("retype_entity", {}), "link": ("link", {}), "unlink": ("unlink", {}), "restore": ("restore", {}),
    "forget": ("delete_attribute", {}), "same": ("merge_entities", {}), "distinct": ("mark_distinct", {}),
    "replace": ("supersede_attribute", {}), "merge": ("merge_entities", {"--into": "target"}),
    "constraint": ("mark_constraint", {"--off": "constraint"}),
    "split": ("split_entity", {"--name": "name", "--type": "type", "--fact": "attributes", "--link": "links",
                               "--alias": "aliases"}),
    "date": ("date_attribute", {"--valid-from": "valid_from", "--valid-to": "valid_to", "--occurred-at": "occurred_at",
                                "--review-after": "review_after", "--precision": "precision", "--clear": "clear"}),
}  # fmt: skip


def options_of(command: str) -> set[str]:
    """The long options that a command's own module declares."""
    module = import_module(f"graphdream.interfaces.cli.{COMMANDS[command].module}")
    parser = CommandParser(prog=command)
    parser.set_defaults(command=command)
    module.add_arguments(parser)
    return {option for one in _actions(parser) for option in one.option_strings if option.startswith("--")} - {"--help"}


def _actions(parser: ArgumentParser) -> Iterator[Any]:
    for action in parser._actions:
        yield action
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from _actions(below)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_of_a_command_is_told_in_the_library_or_is_about_printing(command: str) -> None:
    op, fields = OPS.get(command, ("", {}))
    of_edits = {"--reason": "reason", "--by": "by"} if op else {}
    told = {**METHODS.get(command, {}), **fields, **of_edits}
    if command == "entity":
        told["--reason"] = "of no use"  # it comes with every command of that module
    assert options_of(command) == set(told) | PRINTING.get(command, set())
    if op:
        assert {*fields.values(), "reason"} <= set(op_named(op).kind.model_fields)


@pytest.mark.parametrize("place", sorted({place for told in METHODS.values() for place in told.values()}))
def test_every_place_in_the_table_is_there(place: str) -> None:
    owner: Any = graphdream.Graph
    if place.endswith("()"):
        name, _, method = place.removesuffix("()").rpartition(".")
        assert callable(
            getattr(getattr(graphdream, name) if name else owner, method, None) or getattr(graphdream, method)
        )
        return
    method, _, parameter = place.partition(".")
    takes = inspect.signature(getattr(owner, method, None) or getattr(graphdream, method)).parameters
    assert parameter in takes
    if method == "open":
        assert parameter in inspect.signature(graphdream.AsyncGraph).parameters


# ---------------------------------------------------------------------- what the library could not say


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A memory of two facts, one of which somebody has changed behind graphdream's back."""
    path = tmp_path / "memory.db"
    with graphdream.open(path) as graph:
        graph.remember("likes tea", category="person/Ada/tastes")
        graph.remember("likes coffee", category="person/Bo/tastes")
    with shell(path) as connection:
        connection.execute("UPDATE attribute SET content = 'likes gin' WHERE id = 1")
    return path


def test_who_knows_what_is_wrong_with_a_memory_goes_on_by_a_word_in_every_thread(damaged: Path) -> None:
    with graphdream.open(damaged) as graph, pytest.raises(graphdream.IntegrityError):
        graph.undo(1)
    with graphdream.open(damaged, accept_damage=True) as graph, ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: graph.undo(1)).result()
        assert done.undone == (1,)
        assert not graph.verify().ok, "it stays broken until somebody decides"
    with graphdream.open(damaged) as graph:
        graph.trust("the fact was changed by a script of mine")
        assert "attribute 1 was changed" in str(graph.pass_record(done.pass_id).inputs["damage"])


def test_a_missing_key_is_added(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        before = current_key().id
        kept = graph.add_key("a passphrase of some length")
        assert kept != before and graph.add_key("a passphrase of some length") == kept
        with pytest.raises(graphdream.KeyUnavailableError):
            graph.add_key("short")


def test_nothing_is_finished_where_no_purge_was_ended(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.remember("likes tea", category="person/Ada/tastes")
        assert graph.finish_purge() is False
        with graph.store.writing():
            graph.store.connection.execute("INSERT INTO meta VALUES (?, '1')", (UNFINISHED,))
        assert graph.finish_purge() is True and graph.finish_purge() is False


def test_a_plan_is_told_in_clusters_that_are_approved(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        for name in ("Nerissa Quayle", "N. Quayle", "Quayle"):
            graph.edit({"op": "create_entity", "name": name})
        bodies = [{"op": "merge_entities", "source": [source], "target": "e1"} for source in ("e2", "e3")]
        plan = graph.dream(compact=True, dreamer=Scripted(*bodies), review=True).pass_id
        assert plan is not None
        (cluster,) = graph.plan_clusters(plan)
        assert (cluster.positions, cluster.open, cluster.title) == ([0, 1], 2, "Nerissa Quayle")
        graph.approve(plan, cluster.positions)
        assert graph.plan_clusters(plan)[0].open == 0


def test_what_was_said_with_a_model_and_its_price_can_be_had(tmp_path: Path) -> None:
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.record_session("s1", summary="Avery Felts lives in Oslo.")
        done = graph.dream(compact=False, client=ScriptedClient([said()]))
        assert done.pass_id is not None
        (one,) = graph.conversations(done.pass_id)
        assert "Avery Felts lives in Oslo." in one.prompt and "[assistant]" in one.transcript
        sheet = graph.cost_sheet(done.pass_id)
        assert len(sheet["calls"]) == 1 and sheet["applied"] == 0
        for call in (graph.conversations, graph.cost_sheet):
            with pytest.raises(graphdream.NotFoundError):
                call(99)
