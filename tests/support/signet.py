"""A database as Signet makes it, small."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_SCRIPT = """
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT, canonical_name TEXT, entity_type TEXT, agent_id TEXT, mentions INT,
  pinned INT, created_at TEXT, status TEXT);
CREATE TABLE entity_aspects (id TEXT PRIMARY KEY, entity_id TEXT, agent_id TEXT, name TEXT, weight REAL);
CREATE TABLE entity_attributes (id TEXT PRIMARY KEY, aspect_id TEXT, memory_id TEXT, kind TEXT, content TEXT,
  confidence REAL, importance REAL, status TEXT, superseded_by TEXT, created_at TEXT, claim_key TEXT);
CREATE TABLE entity_dependencies (id TEXT PRIMARY KEY, source_entity_id TEXT, target_entity_id TEXT, dependency_type TEXT,
  strength REAL, created_at TEXT);
CREATE TABLE entity_aliases (id TEXT, entity_id TEXT, alias TEXT);
CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT, type TEXT, is_deleted INT, created_at TEXT);
INSERT INTO entities VALUES
  ('e1', 'Ada Nilsen', 'ada nilsen', 'person', 'default', 4, 0, '2026-03-01T10:00:00.000Z', 'active'),
  ('e2', 'Lantern', 'lantern', 'project', 'default', 2, 0, '2026-03-01T10:00:00.000Z', NULL),
  ('e3', 'Gone', 'gone', 'project', 'default', 2, 0, '2026-03-01T10:00:00.000Z', 'archived');
INSERT INTO entity_aspects VALUES ('p1', 'e1', 'default', 'home', 0.5), ('p2', 'e2', 'default', 'rules', 0.5);
INSERT INTO entity_attributes VALUES
  ('a1', 'p1', 'm1', 'attribute', 'Lives in Bergen', 0.8, 0.5, 'superseded', 'a2', '2026-03-01T10:00:00.000Z', 'home/city'),
  ('a2', 'p1', NULL, 'attribute', 'Lives in Oslo', 0.9, 0.5, 'active', NULL, '2026-05-01T10:00:00.000Z', 'home/city'),
  ('a3', 'p2', NULL, 'constraint', 'Never deploy on Fridays', 0.8, 0.9, 'active', NULL, '2026-03-02T10:00:00.000Z', NULL),
  ('a4', 'p2', NULL, 'attribute', 'Uses Postgres', 0.8, 0.5, 'deleted', NULL, '2026-03-02T10:00:00.000Z', NULL);
INSERT INTO entity_dependencies VALUES ('d1', 'e1', 'e2', 'owned_by', 0.5, '2026-03-02T10:00:00.000Z');
INSERT INTO entity_aliases VALUES ('x', 'e1', 'Ada');
INSERT INTO memories VALUES ('m1', 'Lives in Bergen', 'fact', 0, '2026-03-01T10:00:00.000Z'),
  ('m2', 'The office closes at six', 'fact', 0, '2026-03-03T10:00:00.000Z'),
  ('m3', 'forgotten', 'fact', 1, '2026-03-03T10:00:00.000Z');
"""


def signet(folder: Path) -> Path:
    """Make one in a folder."""
    path = folder / "memories.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_SCRIPT)
    return path
