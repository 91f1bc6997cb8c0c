"""A purge: what it erases is nowhere in the file, never comes back, and the journal still verifies."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from graphdream.config import Settings
from graphdream.dream import lease
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.purge import purge
from graphdream.dream.remember import remember
from graphdream.dream.replay import replay
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.local import LocalDreamer
from graphdream.dreamers.openpairs import OPEN
from graphdream.errors import BusyError, ConflictError, NotFoundError, UndoConflictError
from graphdream.events.record import record
from graphdream.graph.mending import mend
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.exporters import export_graph
from graphdream.interfaces.importers import import_graph, import_lines
from graphdream.journal.passes import list_passes
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from tests.laws.plans import FIRST_GRAPH, addressed, plans
from tests.support.graphs import NOW, apply, clock, dump, entity, facts_of
from tests.support.models import ScriptedClient, said

SECRET = "keeps the Zquarvix ledger under the floor"
MARK = b"zquarvix"


def bytes_of(store: Store) -> bytes:
    """Everything that lies in the file and beside it, in lower case."""
    return b"".join(path.read_bytes() for path in store.path.parent.glob(store.path.name + "*")).lower()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1: a1 the secret, a2 likes tea), Bo (e2: a3 plays chess); s1 told the secret, s2 did not."""
    with Store.open(tmp_path / "memory.db") as store:
        record(store, "s1", summary=f"Ada {SECRET}. Bo plays chess.", transcript=[{"role": "user", "content": SECRET}])
        record(store, "s2", summary="Bo plays chess.")
        told = {"op": "create_entity", "name": "Ada", "type": "person", "aspects": [
            {"name": "general", "attributes": [{"content": SECRET, "session": "s1", "quote": SECRET}]},
            {"name": "taste", "attributes": [{"content": "likes tea"}]},
        ]}  # fmt: skip
        chess = {"op": "reinforce_attribute", "attribute": "a3", "session": "s1", "quote": "Bo plays chess"}
        assert [one.status for one in apply(store, [told, entity("Bo", general=["plays chess"]), chess])] == [
            "applied"
        ] * 3
        yield store


def fact(store: Store, words: str = SECRET) -> str:
    return f"a{store.connection.execute('SELECT id FROM attribute WHERE content = ?', (words,)).fetchone()[0]}"


# ---------------------------------------------------------------------- gone


def test_a_purged_fact_is_nowhere_in_the_file(store: Store) -> None:
    assert MARK in bytes_of(store)
    report = purge(store, fact(store), clock=clock)
    assert report.cleared and MARK not in bytes_of(store)
    assert report.rows == {"attribute": 1, "evidence": 1}
    assert report.events == {"summaries": 1, "turns": 1}
    assert verify(store).faults == ()
    assert facts_of(store, "Ada") == {"likes tea"} and facts_of(store, "Bo") == {"plays chess"}
    left = store.connection.execute("SELECT content FROM summary WHERE id = 1").fetchone()[0]
    assert left == "Ada [purged]. Bo plays chess."


def test_what_a_dream_asked_about_goes_with_it(store: Store) -> None:
    """The questions that nobody could decide were on record in the pass that left them open, names and texts."""
    told = {"2026-01-02": "Zquarvix macht immer die Frühschicht", "2026-03-02": "Zquarvix macht jetzt die Spätschicht"}
    for day, content in told.items():
        remember(store, content, category="person/Zquarvix/arbeit", at=day, clock=clock)
    remember(store, "mag keinen Koriander", category="person/Zquarvix/essen", at="2026-03-02", clock=clock)
    remember(store, "mag keinen Kümmel", category="project/Zquarvix/essen", at="2026-03-02", clock=clock)
    report = dream(store, LocalDreamer(), PassOptions(mode="incremental"), clock=clock)
    assert report.status == "applied", "it has read the sessions"
    figures = report.figures
    assert MARK in json.dumps([figures.get(name) for name in OPEN]).lower().encode(), "a question has the words"
    purge(store, fact(store), clock=clock)
    owners = store.connection.execute("SELECT id FROM entity WHERE name = 'Zquarvix' AND status = 'active'").fetchall()
    for (owner,) in owners:
        purge(store, f"e{owner}", clock=clock)
    assert MARK not in bytes_of(store) and verify(store).ok


def test_a_purged_entity_goes_with_all_that_hangs_on_it(store: Store) -> None:
    apply(store, [{"op": "link", "source": "e1", "target": "e2", "type": "knows"}])
    apply(store, [{"op": "mark_distinct", "first": "e1", "second": "e2"}])
    record(store, "s3", summary="Ada called.")
    report = purge(store, "e1", clock=clock)
    assert report.rows == {
        "entity": 1, "aspect": 2, "attribute": 2, "link": 1, "evidence": 1, "distinct_pair": 1,
    }  # fmt: skip
    assert report.still_told == ("s1", "s3")
    assert MARK not in bytes_of(store) and verify(store).ok
    assert [row[0] for row in store.connection.execute("SELECT name FROM entity")] == ["Bo"]


def test_a_purged_session_takes_with_it_what_rests_on_it_alone(store: Store) -> None:
    apply(store, [{"op": "reinforce_attribute", "attribute": "a3", "session": "s2", "quote": "Bo plays chess."}])
    report = purge(store, "s1", clock=clock)
    assert report.rows == {"attribute": 1, "evidence": 2} and report.events["sessions"] == 1
    assert MARK not in bytes_of(store) and verify(store).ok
    assert facts_of(store, "Bo") == {"plays chess"}
    assert store.connection.execute("SELECT count(*) FROM evidence").fetchone()[0] == 1
    assert record(store, "s1", summary=SECRET).purged
    assert [row[0] for row in store.connection.execute("SELECT key FROM session")] == ["s2"]


def test_what_was_absorbed_and_what_was_superseded_goes_too(store: Store) -> None:
    apply(store, [{"op": "create_attribute", "entity": "e1", "aspect": "taste", "content": f"{SECRET.capitalize()}."}])
    apply(store, [{"op": "create_attribute", "entity": "e1", "aspect": "hiding", "content": f"{SECRET}, in oak"}])
    apply(store, [{"op": "supersede_attribute", "old": "a1", "new": "a4"}])
    assert purge(store, "a4", clock=clock).rows["attribute"] == 2
    assert MARK not in bytes_of(store) and verify(store).ok


def test_what_an_undo_has_deleted_can_be_purged_from_the_journal(store: Store) -> None:
    undo(store, 1, clock=clock)
    report = purge(store, "e1", clock=clock)
    assert report.rows["entity"] == 1 and MARK not in bytes_of(store) and verify(store).ok
    assert dump(store)["entity"] == []


def test_a_reader_keeps_the_old_pages_until_it_closes(store: Store) -> None:
    with Store.open(store.path) as other, other.reading():
        assert facts_of(other, "Ada") >= {SECRET}
        report = purge(store, fact(store), clock=clock)
        assert not report.cleared and SECRET in facts_of(other, "Ada")
    path = store.path
    store.close()
    assert not path.with_name(path.name + "-wal").exists() and MARK not in path.read_bytes().lower()


# ---------------------------------------------------------------------- and stays gone


def test_no_undo_and_no_replay_brings_it_back(store: Store) -> None:
    purged = purge(store, fact(store), clock=clock).pass_id
    with pytest.raises(ConflictError, match="gone for good"):
        undo(store, purged, clock=clock)
    with pytest.raises(ConflictError, match="purged"):
        replay(store, 1)
    back = undo(store, 1, clock=clock)
    undo(store, back.pass_id, clock=clock)
    assert facts_of(store, "Ada") == {"likes tea"} and verify(store).ok
    assert MARK not in bytes_of(store)


def test_an_undo_that_needs_what_was_purged_says_so(store: Store) -> None:
    apply(store, [{"op": "move_attribute", "attribute": "a2", "entity": "e2"}])
    purge(store, "e1", clock=clock)
    with pytest.raises(ConflictError, match="needs what pass 3 purged"):
        undo(store, 2, cascade=True, clock=clock)
    assert verify(store).ok and facts_of(store, "Bo") == {"plays chess", "likes tea"}


def test_no_pass_and_no_import_brings_it_back(store: Store, tmp_path: Path) -> None:
    exported = tmp_path / "graph.jsonl"
    with exported.open("w") as out:
        export_graph(store.connection, out)
    purge(store, "e1", clock=clock)
    outcomes = apply(
        store,
        [
            entity("ADA", general=["is back"]),
            {"op": "create_attribute", "entity": "e2", "content": SECRET.upper()},
            {"op": "restore", "row": "a1"},
        ],
    )
    assert [outcome.code for outcome in outcomes] == ["purged", "purged", "not_found"]
    with Store.open(tmp_path / "other.db") as other:
        import_graph(other, exported)
        assert "Ada" in {row[0] for row in other.connection.execute("SELECT name FROM entity")}
    lines = [json.loads(line) for line in exported.read_text().splitlines()]
    [ada] = [line["id"] for line in lines if line.get("name") == "Ada"]
    hers = [line for line in lines if ada in (line.get("id"), line.get("entity_id"))]
    another = {"kind": "entity", "id": "cy", "name": "Cy"}
    report = import_lines(store, [*hers, another], source="again")
    assert report.purged == len(hers) == 5 and report.rows == {"entity": 1}
    assert MARK not in bytes_of(store) and verify(store).ok


def test_a_session_told_again_is_the_one_on_record(store: Store) -> None:
    purge(store, fact(store), clock=clock)
    again = record(
        store, "s1", summary=f"Ada {SECRET}. Bo plays chess.", transcript=[{"role": "user", "content": SECRET}]
    )
    assert not again.anything
    dream(store, LocalDreamer(), PassOptions(mode="incremental"), clock=clock)
    assert MARK not in bytes_of(store) and verify(store).ok


def test_a_person_may_say_it_anew(store: Store) -> None:
    purge(store, fact(store), clock=clock)
    told = apply(store, [{"op": "create_attribute", "entity": "e1", "content": SECRET}], actor="person")
    assert told[0].status == "applied"


# ---------------------------------------------------------------------- on record


def test_an_entry_that_vanishes_without_a_purge_is_found(store: Store) -> None:
    purge(store, fact(store), clock=clock)
    other = sqlite3.connect(store.path)
    other.create_function("gd_seal", 4, lambda *_: None)
    other.execute(
        "INSERT INTO erasure SELECT pass_id, 'mutation', position, zeroblob(32), 2 FROM mutation WHERE position = 1"
    )
    other.execute("UPDATE mutation SET body = '{}', message = 'purged' WHERE position = 1")
    other.commit()
    other.close()
    assert {fault.check for fault in verify(store).faults} >= {"purge", "chain"}


def test_a_purge_waits_for_no_pass(store: Store) -> None:
    with lease.hold(store), pytest.raises(BusyError):
        purge(store, "e1", clock=clock)


def test_what_could_be_a_row_or_a_session_is_asked_back(store: Store) -> None:
    record(store, "a1", summary="Bo rested.")
    with pytest.raises(ConflictError):
        purge(store, "a1", clock=clock)
    assert purge(store, "a1", session=True, clock=clock).events == {"sessions": 1, "summaries": 1}
    assert purge(store, "a1", clock=clock).rows["attribute"] == 1


@pytest.mark.parametrize("target", ["e99", "a99", "nobody", ""])
def test_what_is_not_there_is_not_found(store: Store, target: str) -> None:
    before = bytes_of(store)
    with pytest.raises(NotFoundError):
        purge(store, target, clock=clock)
    assert len(list_passes(store.connection)) == 1 and MARK in before


def test_the_command_asks_for_a_yes(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["purge", fact(store), "--db", str(store.path)]
    assert main(words) == 2 and MARK in bytes_of(store)
    assert main([*words, "--yes"]) == 0
    assert "erased 1 fact" in capsys.readouterr().out
    assert main([*words, "--yes"]) == 6


# ---------------------------------------------------------------------- whatever happened before


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("purge") / "blank.db"
    Store.open(path).close()
    return path


steps = st.lists(st.one_of(plans, plans, st.integers(0, 20), st.just("remember"), st.just("dream")), max_size=6)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(before=steps, after=steps, whole=st.booleans())
def test_after_any_history_nothing_is_left_and_nothing_comes_back(
    blank: Path, before: list[Any], after: list[Any], whole: bool
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        shutil.copy(blank, path)
        with Store.open(path) as store:
            import_lines(store, FIRST_GRAPH, source="first graph", clock=clock)
            told = {"name": "hiding", "attributes": [{"content": SECRET, "session": "s1", "quote": SECRET}]}
            record(store, "s1", summary=f"Quillon {SECRET}.")
            apply(store, [{"op": "create_entity", "name": "Quillon", "type": "person", "aspects": [told]}])
            live(store, before)
            erase_all(store, whole)
            assert MARK not in bytes_of(store)
            assert verify(store).ok, verify(store).as_text()
            live(store, after)
            assert MARK not in bytes_of(store)
            assert verify(store).ok, verify(store).as_text()


def live(store: Store, steps: list[Any]) -> None:
    """Passes as a dreamer or an attacker proposes them, undos of any pass with all that stands in the way, dreams."""
    for step in steps:
        if isinstance(step, list):
            bodies = [body for body in addressed(store.connection, step) if isinstance(body, dict)]
            apply(store, bodies)
        elif step == "remember":
            remember(store, "Quillon sails on Sundays", clock=clock)
        elif step == "dream":
            dream(store, LocalDreamer(), PassOptions(mode="compact"), clock=lambda: NOW)
        else:
            standing = [one["id"] for one in list_passes(store.connection) if one["undone_by"] is None]
            try:
                undo(store, standing[step % len(standing)], cascade=True, clock=clock)
            except (ConflictError, UndoConflictError) as refused:
                note(str(refused))


def erase_all(store: Store, whole: bool) -> None:
    """The secret under whatever handles it has got by now, also where only the journal knows it."""
    for _ in range(50):
        told = [
            row[0]
            for row in store.connection.execute(
                "SELECT 'a' || row_id FROM change WHERE kind = 4 AND diff LIKE '%zquarvix%'"
                " UNION SELECT 'e' || row_id FROM change WHERE kind = 1 AND diff LIKE '%zquarvix%'"
                " ORDER BY 1"
            )
        ]
        if not told:
            break
        purge(store, told[0], clock=clock)
    if whole:
        purge(store, "s1", session=True, clock=clock)


# ---------------------------------------------------------------------- what was said with models


def test_what_was_said_with_a_model_goes_and_what_it_took_stays(store: Store) -> None:
    record(store, "s9", summary=f"Bo {SECRET}, he told Ada.", clock=clock)
    told = {
        "op": "create_attribute", "entity": "Bo", "aspect": "home", "content": f"Bo {SECRET}",
        "session": "s9", "quote": f"Bo {SECRET}",
    }  # fmt: skip
    dreamer = open_hybrid(
        store, ScriptedClient([said(told, summary=f"Noted: Bo {SECRET}.")]), Wish("scripted/model", 0.005), Settings(),
        None, clock=clock,
    )  # fmt: skip
    dream(store, dreamer, PassOptions(mode="incremental", loss_cap=1.0), clock=clock)
    spent = store.connection.execute("SELECT sum(tokens_in) FROM exchange").fetchone()[0]
    assert MARK in store.connection.execute("SELECT messages FROM exchange").fetchone()[0].lower().encode()
    purge(store, fact(store), clock=clock)
    report = purge(store, fact(store, f"Bo {SECRET}"), clock=clock)
    assert report.cleared and MARK not in bytes_of(store)
    assert store.connection.execute("SELECT sum(tokens_in), max(messages) FROM exchange").fetchone()[:] == (spent, "[]")
    assert verify(store).faults == ()


def test_a_conversation_that_no_pass_took_over_is_not_taken_up_after_a_purge(store: Store) -> None:
    with store.writing():
        store.connection.execute(
            "INSERT INTO exchange (digest, what, model, held_at, messages, prompt_messages, items, ended, attempts,"
            " tokens_in, tokens_out, tokens_cached) VALUES ('d', 'chunk 1', 'm', '', '[[\"user\", \"x\"]]', 1, '[]',"
            " 'answered', 1, 5, 5, 0)"
        )
    purge(store, fact(store), clock=clock)
    assert store.connection.execute("SELECT ended, messages FROM exchange").fetchone()[:] == ("failed", "[]")


# ---------------------------------------------------------------------- what is left to do


def test_a_purge_that_was_ended_is_finished_by_the_next_pass_and_told_by_the_doctor(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(store: Store) -> bool:
        raise BusyError("another program writes")

    with monkeypatch.context() as broken:
        broken.setattr(Store, "clear_deleted", fails)
        report = purge(store, fact(store), clock=clock)
    assert report.why_not_cleared and not report.cleared and MARK in bytes_of(store)
    assert main(["doctor", "--db", str(store.path)]) == 1
    assert "graphdream purge --finish" in capsys.readouterr().out
    dream(store, LocalDreamer(), PassOptions(mode="compact"), clock=clock)
    store.close()
    assert MARK not in bytes_of(store)
    assert main(["purge", "--finish", "--db", str(store.path)]) == 0
    assert "no purge is unfinished" in capsys.readouterr().out


def test_the_backups_beside_the_file_lose_it_too(store: Store) -> None:
    backups = [store.path.with_name(f"memory.db.{name}.backup") for name in ("schema50", "unmended2026", "damaged")]
    for backup in backups[:2]:
        with sqlite3.connect(backup) as kept:
            store.connection.backup(kept)
        kept.close()
    backups[2].write_bytes(b"no database, and zquarvix in it")
    report = purge(store, fact(store), clock=clock)
    assert report.backups_purged == [one.name for one in backups[:2]] and report.backups == (backups[2].name,)
    for backup in backups[:2]:
        assert MARK not in backup.read_bytes().lower()
        with Store.open(backup) as kept_store:
            assert verify(kept_store).ok and "likes tea" in facts_of(kept_store, "Ada")
    assert sorted(store.path.parent.glob("*.backup")) == sorted(backups)


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE INDEX planted ON entity (name)",
        "CREATE TRIGGER planted AFTER DELETE ON attribute BEGIN INSERT INTO meta VALUES (old.id, old.content); END",
    ],
    ids=["index", "trigger"],
)
def test_a_backup_of_a_file_whose_schema_was_mended_loses_it_too(store: Store, planted: str) -> None:
    """Nothing is written to a file with a foreign schema, so what was purged stayed in the copy from before mending."""
    target, path = fact(store), store.path
    store.connection.execute(planted)
    backup = mend(path, NOW).backup
    assert backup is not None and MARK in backup.read_bytes().lower()
    with Store.open(path) as mended:
        report = purge(mended, target, clock=clock)
    assert report.backups_purged == [backup.name] and report.backups == ()
    assert MARK not in backup.read_bytes().lower()
    assert list(path.parent.glob("*.backup")) == [backup]


def test_a_backup_that_is_older_than_what_is_purged_stays_as_it_is(store: Store) -> None:
    backup = store.path.with_name("memory.db.schema50.backup")
    with sqlite3.connect(backup) as kept:
        store.connection.backup(kept)
    kept.close()
    before = backup.read_bytes()
    later = remember(store, "Ada keeps bees", clock=clock).handle
    assert purge(store, later, clock=clock).backups_purged == [backup.name]
    assert backup.read_bytes() == before
