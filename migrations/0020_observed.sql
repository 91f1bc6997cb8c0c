-- migrations/0020_observed.sql: what happened beside the talk, and how far each pass of the cycle has read.

-- One row an event: feedback, a use of a skill, a recorded execution, a call of a tool, a reading of a provider. What is
-- asked for all day has a column; the rest of what was told is `body`.
CREATE TABLE observed (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,                 -- the host's own id, or a digest of what was told: told twice is one event
    kind TEXT NOT NULL,                       -- graphdream/events/observed.py
    session_key TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL DEFAULT '',            -- of the skill, the tool, the execution; the kind of feedback
    ok INTEGER CHECK (ok IN (0, 1)),          -- NULL where nobody said how it went
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    body TEXT NOT NULL DEFAULT '{}',          -- JSON
    digest TEXT NOT NULL                      -- of everything told: another text under a known id is refused
) STRICT;
CREATE INDEX observed_by_kind ON observed (kind, id);
CREATE INDEX observed_by_time ON observed (kind, at);
CREATE INDEX observed_by_session ON observed (session_key);

CREATE TRIGGER observed_is_an_event BEFORE UPDATE OF kind, session_key, name, ok, at ON observed
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- How each pass of the cycle stands. `cursor` is what the last run that ended well had read: it moves in the transaction
-- of that run, and stays where it is when the run is undone, because what a person took back is not done anew.
CREATE TABLE cycle_pass (
    name TEXT PRIMARY KEY,
    cursor TEXT NOT NULL DEFAULT '{}',        -- JSON
    last_run_at TEXT,                         -- of the last run that ended well
    last_pass_id INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,      -- in a row
    last_failure_at TEXT,
    last_error TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- The dream log: one row a cycle in which anything was done.
CREATE TABLE cycle_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    trigger TEXT NOT NULL,
    processed INTEGER NOT NULL,               -- entries and events that its passes read
    summary TEXT NOT NULL,
    passes TEXT NOT NULL                      -- JSON: what each pass did, or why not
) STRICT;

-- What the scheduler knows of itself, so that a restart goes on where it was.
CREATE TABLE schedule (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    first_started_at TEXT,
    last_cycle_at TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at TEXT
) STRICT;
INSERT INTO schedule (id) VALUES (1);
