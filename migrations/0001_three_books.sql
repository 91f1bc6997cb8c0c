-- migrations/0001_three_books.sql: events, graph and journal in one file.
-- Times are UTC, ISO 8601 with a Z. Reals have at most six decimals, so that their text form is exact.
-- `version` is the id of the pass that last changed the row: one monotonic counter for the whole file.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------- the journal

CREATE TABLE pass (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,                       -- import, dream, edit, undo, ...
    mode TEXT NOT NULL DEFAULT '',            -- compact, incremental, ...
    trigger TEXT NOT NULL DEFAULT '',         -- what started it: threshold, manual, ...
    status TEXT NOT NULL CHECK (status IN ('open', 'applied', 'planned', 'refused', 'failed')),
    started_at TEXT NOT NULL,
    finished_at TEXT,
    dreamer TEXT NOT NULL DEFAULT '',         -- local, model, recorded; '' where no dreamer took part
    model TEXT NOT NULL DEFAULT '',
    options TEXT NOT NULL DEFAULT '{}',       -- JSON
    inputs TEXT NOT NULL DEFAULT '{}',        -- JSON: what the pass was shown
    directive_hash TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL DEFAULT '',          -- raw answers of a model
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    tokens_cached INTEGER NOT NULL DEFAULT 0,
    cost REAL,                                -- US dollars; NULL means the price is not known
    duration_ms INTEGER NOT NULL DEFAULT 0,
    counts TEXT NOT NULL DEFAULT '{}',        -- JSON: outcomes and row changes
    summary TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    undoes TEXT NOT NULL DEFAULT '[]',        -- JSON: ids of the passes that this one takes back
    first_change INTEGER NOT NULL DEFAULT 1,  -- its changes have the ids from this one
    last_change INTEGER NOT NULL DEFAULT 0,   -- to this one; none where that is less
    undone_by INTEGER REFERENCES pass (id),
    hash_before TEXT NOT NULL,
    hash_after TEXT NOT NULL,
    chain TEXT NOT NULL DEFAULT ''            -- hash over this pass, its changes, and the chain before it
) STRICT;

-- `cost` lies behind the answers in a row; what was spent is asked for all day.
CREATE INDEX pass_cost ON pass (cost) WHERE cost IS NULL OR cost <> 0;

CREATE TABLE mutation (
    pass_id INTEGER NOT NULL REFERENCES pass (id),
    position INTEGER NOT NULL,
    op TEXT NOT NULL,
    body TEXT NOT NULL,                       -- JSON, as proposed
    status TEXT NOT NULL CHECK (status IN ('applied', 'skipped', 'failed')),
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (pass_id, position)
) STRICT, WITHOUT ROWID;

-- `diff` is the row (an array in column order, without version and without what holds at its end what a bare row
-- holds) where a row is made (op +) or deleted (op -), and {"place of the column": [before, after], ...} where it is
-- changed (op ~); null where it was purged.
CREATE TABLE change (
    id INTEGER PRIMARY KEY,                   -- append-only, so ids grow; AUTOINCREMENT would write twice a change
    pass_id INTEGER NOT NULL,                 -- `pass.first_change` and `last_change` say the same of all of them
    kind INTEGER NOT NULL,                    -- which table: graphdream/graph/tables.py
    row_id INTEGER NOT NULL,
    op TEXT NOT NULL CHECK (op = '+' OR op = '~' OR op = '-'),  -- for IN, SQLite would make a table at every change
    diff TEXT NOT NULL
) STRICT;
CREATE INDEX change_by_row ON change (kind, row_id);

-- Verdicts outlive what they were given on: an undone merge stays rejected. They are no part of the graph.
CREATE TABLE rejection (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pass_id INTEGER NOT NULL REFERENCES pass (id),      -- the undo that rejected
    merged_by INTEGER NOT NULL REFERENCES pass (id),    -- the pass that had merged
    first_id INTEGER NOT NULL,
    second_id INTEGER NOT NULL,
    revoked_by INTEGER REFERENCES pass (id),            -- the undo was itself undone
    CHECK (first_id < second_id)
) STRICT;
CREATE INDEX rejection_by_pair ON rejection (first_id, second_id);

-- What a person has purged from the journal: the text is gone, its digest keeps the chain whole.
CREATE TABLE erasure (
    pass_id INTEGER NOT NULL REFERENCES pass (id),
    book TEXT NOT NULL CHECK (book IN ('change', 'mutation', 'answer', 'summary', 'error')),
    place INTEGER NOT NULL,                   -- id of the change, position of the mutation, 0 for a text of the pass
    digest BLOB NOT NULL,                     -- of the entry as it was sealed
    purged_by INTEGER NOT NULL REFERENCES pass (id),
    PRIMARY KEY (pass_id, book, place)
) STRICT, WITHOUT ROWID;

-- What was purged is known by its digest when it comes again; it is no part of the graph.
CREATE TABLE tombstone (
    kind TEXT NOT NULL CHECK (kind IN ('fact', 'entity', 'uid', 'session', 'words')),
    digest TEXT NOT NULL,
    becomes TEXT NOT NULL DEFAULT '',         -- kind 'words': what is left of an event's text
    purged_by INTEGER NOT NULL REFERENCES pass (id),
    PRIMARY KEY (kind, digest)
) STRICT, WITHOUT ROWID;

-- ------------------------------------------------------------------ the events

CREATE TABLE session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,                 -- the host's own session id
    kind TEXT NOT NULL DEFAULT 'session' CHECK (kind IN ('session', 'dream')),
    started_at TEXT,
    ended_at TEXT,
    recorded_at TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}'
) STRICT;

CREATE TABLE summary (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES session (id),
    content TEXT NOT NULL,
    digest TEXT NOT NULL,                     -- a summary told twice is one event
    recorded_at TEXT NOT NULL,
    tokens INTEGER,                           -- NULL until counted: the hook path loads no tokenizer
    tokenizer TEXT,
    read_by INTEGER REFERENCES pass (id),     -- the cursor: NULL means no pass has read it
    UNIQUE (session_id, digest)
) STRICT;
CREATE INDEX summary_unread ON summary (id) WHERE read_by IS NULL;
CREATE INDEX summary_uncounted ON summary (id) WHERE tokens IS NULL;

CREATE TABLE turn (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES session (id),
    position INTEGER NOT NULL,                -- from 0, in the order spoken
    uid TEXT,                                 -- the transcript's own id of the turn
    speaker TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL,
    said_at TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    UNIQUE (session_id, position)
) STRICT;
CREATE INDEX turn_by_uid ON turn (uid) WHERE uid IS NOT NULL;

CREATE TABLE observation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES session (id),
    position INTEGER NOT NULL,
    speaker TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL,
    evidence TEXT NOT NULL DEFAULT '[]',      -- JSON: uids of turns
    read_by INTEGER REFERENCES pass (id),
    UNIQUE (session_id, content)
) STRICT;
CREATE INDEX observation_unread ON observation (id) WHERE read_by IS NULL;

CREATE TRIGGER summary_is_an_event BEFORE UPDATE OF session_id, content, digest, recorded_at ON summary
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;
CREATE TRIGGER turn_is_an_event BEFORE UPDATE OF session_id, position, speaker, content ON turn
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- ------------------------------------------------------------------- the dream

CREATE TABLE dream_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_pass_id INTEGER,
    last_pass_at TEXT,
    last_mode TEXT,
    last_checked_at TEXT,                     -- the last time a pass found nothing to do
    consecutive_failures INTEGER NOT NULL DEFAULT 0,
    last_failure_at TEXT,
    last_error TEXT
) STRICT;
INSERT INTO dream_state (id) VALUES (1);

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,                      -- host, process id and a nonce
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    acquired_at TEXT NOT NULL,
    heartbeat_at TEXT NOT NULL,
    deadline_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was judged stays judged until its content changes, so that a second pass over an unchanged graph changes nothing.
CREATE TABLE finding (
    fingerprint TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    disposition TEXT NOT NULL CHECK (disposition IN ('done', 'declined', 'deferred')),
    blocker TEXT NOT NULL DEFAULT '',
    pass_id INTEGER NOT NULL REFERENCES pass (id),
    times INTEGER NOT NULL DEFAULT 1,
    decided_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- ------------------------------------------------------------------- the graph

CREATE TABLE entity (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,                 -- id in imports and exports
    name TEXT NOT NULL,
    canonical TEXT NOT NULL,                  -- not unique: two people may be called Alex
    type TEXT NOT NULL DEFAULT 'unknown',
    first_seen TEXT,
    last_seen TEXT,
    sessions TEXT NOT NULL DEFAULT '[]',      -- JSON: keys of the sessions it was seen in
    mentions INTEGER NOT NULL DEFAULT 0,
    importance REAL NOT NULL DEFAULT 0.5,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    derived INTEGER NOT NULL DEFAULT 0 CHECK (derived IN (0, 1)),
    metadata TEXT NOT NULL DEFAULT '{}',
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'absorbed', 'archived')),
    absorbed_into INTEGER REFERENCES entity (id),
    status_reason TEXT NOT NULL DEFAULT '',
    version INTEGER NOT NULL,
    CHECK ((status = 'absorbed') = (absorbed_into IS NOT NULL))
) STRICT;
CREATE INDEX entity_by_canonical ON entity (canonical);
CREATE INDEX entity_absorbed ON entity (absorbed_into) WHERE absorbed_into IS NOT NULL;

CREATE TABLE alias (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id INTEGER NOT NULL REFERENCES entity (id),
    name TEXT NOT NULL,
    canonical TEXT NOT NULL,
    source TEXT NOT NULL DEFAULT '',          -- merge, person, import, ...
    version INTEGER NOT NULL,
    UNIQUE (entity_id, name)
) STRICT;
CREATE INDEX alias_by_canonical ON alias (canonical);

CREATE TABLE aspect (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    entity_id INTEGER NOT NULL REFERENCES entity (id),
    name TEXT NOT NULL,
    canonical TEXT NOT NULL,
    first_seen TEXT,
    weight REAL NOT NULL DEFAULT 0.5,
    metadata TEXT NOT NULL DEFAULT '{}',
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'absorbed', 'archived')),
    absorbed_into INTEGER REFERENCES aspect (id),
    status_reason TEXT NOT NULL DEFAULT '',
    version INTEGER NOT NULL,
    CHECK ((status = 'absorbed') = (absorbed_into IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX aspect_name ON aspect (entity_id, canonical) WHERE status = 'active';
CREATE INDEX aspect_by_entity ON aspect (entity_id);
CREATE INDEX aspect_absorbed ON aspect (absorbed_into) WHERE absorbed_into IS NOT NULL;

CREATE TABLE attribute (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    aspect_id INTEGER NOT NULL REFERENCES aspect (id),
    content TEXT NOT NULL,
    digest INTEGER NOT NULL,                  -- 64 bits of the canonical text: equal for exact copies
    confidence REAL NOT NULL DEFAULT 0.8,
    authority TEXT NOT NULL DEFAULT 'observed' CHECK (authority IN ('user', 'observed', 'inferred', 'imported')),
    first_seen TEXT,
    last_seen TEXT,
    session_key TEXT,
    source TEXT NOT NULL DEFAULT '',
    importance REAL NOT NULL DEFAULT 0.5,
    tags TEXT NOT NULL DEFAULT '[]',          -- JSON
    metadata TEXT NOT NULL DEFAULT '{}',      -- JSON
    reinforcement INTEGER NOT NULL DEFAULT 1, -- times this was seen
    kind TEXT NOT NULL DEFAULT 'attribute' CHECK (kind IN ('attribute', 'constraint')),
    derived INTEGER NOT NULL DEFAULT 0 CHECK (derived IN (0, 1)),
    slot TEXT,                                -- facts of one aspect that answer the same question
    valid_from TEXT,
    valid_to TEXT,
    occurred_at TEXT,
    time_precision TEXT,
    review_after TEXT,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'superseded', 'absorbed', 'archived')),
    superseded_by INTEGER REFERENCES attribute (id),   -- NULL also where the successor is not known
    absorbed_into INTEGER REFERENCES attribute (id),
    status_reason TEXT NOT NULL DEFAULT '',
    version INTEGER NOT NULL,
    CHECK ((status = 'absorbed') = (absorbed_into IS NOT NULL)),
    CHECK (superseded_by IS NULL OR status = 'superseded')
) STRICT;
CREATE INDEX attribute_by_aspect ON attribute (aspect_id);
CREATE INDEX attribute_by_digest ON attribute (digest);
CREATE INDEX attribute_absorbed ON attribute (absorbed_into) WHERE absorbed_into IS NOT NULL;
CREATE INDEX attribute_superseded ON attribute (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE link (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    source_id INTEGER NOT NULL REFERENCES entity (id),
    target_id INTEGER REFERENCES entity (id), -- NULL where the import named nobody: dangling
    type TEXT NOT NULL,
    confidence REAL NOT NULL DEFAULT 0.8,
    strength REAL NOT NULL DEFAULT 0.5,
    first_seen TEXT,
    last_seen TEXT,
    session_key TEXT,
    reason TEXT NOT NULL DEFAULT '',
    metadata TEXT NOT NULL DEFAULT '{}',
    reinforcement INTEGER NOT NULL DEFAULT 1,
    derived INTEGER NOT NULL DEFAULT 0 CHECK (derived IN (0, 1)),
    target_ref TEXT NOT NULL DEFAULT '',      -- what a dangling link pointed at
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'absorbed', 'archived')),
    absorbed_into INTEGER REFERENCES link (id),
    status_reason TEXT NOT NULL DEFAULT '',
    version INTEGER NOT NULL,
    CHECK ((status = 'absorbed') = (absorbed_into IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX link_once ON link (source_id, target_id, target_ref, type) WHERE status = 'active' AND target_id IS NOT NULL;
CREATE INDEX link_by_source ON link (source_id);
CREATE INDEX link_by_target ON link (target_id);
CREATE INDEX link_absorbed ON link (absorbed_into) WHERE absorbed_into IS NOT NULL;

CREATE TABLE mention (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    attribute_id INTEGER NOT NULL REFERENCES attribute (id),
    entity_id INTEGER NOT NULL REFERENCES entity (id),
    version INTEGER NOT NULL,
    UNIQUE (attribute_id, entity_id)
) STRICT;
CREATE INDEX mention_by_entity ON mention (entity_id);

CREATE TABLE evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    attribute_id INTEGER NOT NULL REFERENCES attribute (id),
    session_key TEXT NOT NULL,
    turn_uid TEXT NOT NULL DEFAULT '',
    quote TEXT NOT NULL DEFAULT '',
    seen_at TEXT,
    version INTEGER NOT NULL,
    UNIQUE (attribute_id, session_key, turn_uid)
) STRICT;

CREATE TABLE distinct_pair (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    first_id INTEGER NOT NULL REFERENCES entity (id),
    second_id INTEGER NOT NULL REFERENCES entity (id),
    reason TEXT NOT NULL DEFAULT '',
    version INTEGER NOT NULL,
    UNIQUE (first_id, second_id),
    CHECK (first_id < second_id)
) STRICT;
CREATE INDEX distinct_pair_by_second ON distinct_pair (second_id);

CREATE TABLE contradiction (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    first_id INTEGER NOT NULL REFERENCES attribute (id),
    second_id INTEGER NOT NULL REFERENCES attribute (id),
    slot TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
    resolution TEXT NOT NULL DEFAULT '',
    version INTEGER NOT NULL,
    UNIQUE (first_id, second_id),
    CHECK (first_id < second_id)
) STRICT;
CREATE INDEX contradiction_by_second ON contradiction (second_id);

-- One document a fact: who it is about, where it hangs, what it says. Absorbed and archived facts have none.
CREATE VIRTUAL TABLE fact_index USING fts5 (
    name, path, content, tags,
    tokenize = "porter unicode61 remove_diacritics 2"
);
