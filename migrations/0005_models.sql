-- migrations/0005_models.sql: what was said with models, and plans that wait for a person.

-- One conversation with a model. It is written the moment it ends, so that an interrupted pass does not hold it again
-- (`pass_id` is NULL until a pass rests on it), and stays as the record of what was asked, answered and spent.
CREATE TABLE exchange (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL,                     -- of the model and the prompt: the same question has the same
    pass_id INTEGER REFERENCES pass (id),
    what TEXT NOT NULL,                       -- "2 sessions", "chunk 3 of 17", ...
    model TEXT NOT NULL,
    held_at TEXT NOT NULL,
    messages TEXT NOT NULL,                   -- JSON: every message, prompt first
    prompt_messages INTEGER NOT NULL,         -- how many of them are the prompt
    items TEXT NOT NULL,                      -- JSON: [body, fault] of each item of the answer
    summary TEXT NOT NULL DEFAULT '',
    ended TEXT NOT NULL CHECK (ended IN ('answered', 'cut', 'refused', 'unreadable', 'failed')),
    attempts INTEGER NOT NULL,                -- answers asked for: looks and repair included
    faults INTEGER NOT NULL DEFAULT 0,        -- items that were sent back
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    tokens_cached INTEGER NOT NULL,
    cost REAL,                                -- US dollars; NULL means the price is not known
    requests TEXT NOT NULL DEFAULT '[]'       -- JSON: what was sent for it, repeated ones and those without an answer too
) STRICT;
-- What was spent is asked for all day, and lies behind the messages in a row.
CREATE INDEX exchange_spent ON exchange (pass_id, cost, tokens_in, tokens_out);
CREATE INDEX exchange_free ON exchange (digest) WHERE pass_id IS NULL;

-- An item of a pass of status `planned`, and what a person said about it. The pass itself is sealed.
CREATE TABLE planned (
    pass_id INTEGER NOT NULL REFERENCES pass (id),
    position INTEGER NOT NULL,
    op TEXT NOT NULL,
    body TEXT NOT NULL,                       -- JSON, as proposed
    trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),    -- proposed by this program, not by a model
    foreseen TEXT NOT NULL,                   -- what would have become of it: "applied/ok: ..."
    verdict TEXT NOT NULL DEFAULT 'open' CHECK (verdict IN ('open', 'approved', 'rejected')),
    decided_by INTEGER REFERENCES pass (id),  -- the pass that applied it; NULL where it was rejected
    decided_at TEXT,
    PRIMARY KEY (pass_id, position)
) STRICT, WITHOUT ROWID;
