"""Which entities an incremental pass is shown beside one that changed."""

from __future__ import annotations

from pathlib import Path

from graphdream.dream.gather import gather, note_looked
from graphdream.graph.nameindex import MOST_SIMILAR, similar_entities
from graphdream.graph.names import canonical
from graphdream.graph.rows import insert
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY
from graphdream.journal.passes import PassHeader, open_pass

NOW = "2026-03-01T00:00:00Z"


def _named(store: Store, *names: str) -> list[int]:
    with open_pass(store, PassHeader("import")):
        return [insert(store, ENTITY, name=name, canonical=canonical(name)) for name in names]


def _looked(store: Store) -> None:
    with store.writing():
        note_looked(store.connection, store.connection.execute("SELECT max(id) FROM pass").fetchone()[0])


def test_names_that_share_a_syllable_by_chance_are_not_near(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        ada, initial, _, _, robert, bob = _named(
            store, "Ada Quillfeather", "A. Quillfeather", "Quilted Blanket", "Otter", "Robert Zimt", "Bob Zimt"
        )
        assert similar_entities(store.connection, ada) == [initial]
        assert similar_entities(store.connection, bob) == [robert]


def test_however_many_bear_a_name_near_only_so_many_are_shown(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        first, *_ = _named(store, *(f"Heron Station {number}" for number in range(3 * MOST_SIMILAR)))
        _looked(store)
        assert len(similar_entities(store.connection, first)) <= MOST_SIMILAR


def test_a_graph_of_which_little_changed_is_read_in_part_and_one_that_is_mostly_new_whole(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        _named(store, *(f"{letter}{letter}{letter}{letter}" for letter in "abcdefghij"))
        assert len(gather(store, mode="incremental", now=NOW).entities) == 10
        _looked(store)
        assert gather(store, mode="incremental", now=NOW).entities == ()
        _named(store, "zzzz")
        assert [entity.name for entity in gather(store, mode="incremental", now=NOW).entities] == ["zzzz"]
        _named(store, "wwww", "xxxx", "yyyy")
        shown = gather(store, mode="incremental", now=NOW).entities
        assert len(shown) == 14
        assert sum(entity.changed for entity in shown) == 4
