-- migrations/0003_recall.sql: what was said can be found, and what a session has seen is remembered.
-- Every index here is kept by triggers in the transaction that writes the row, so opening a file builds nothing.

-- ------------------------------------------------------------ full text of events
-- Words are stemmed as in fact_index. The *_term tables list each occurrence of a word, the *_frequency tables how many
-- there are: recall reads them word by word and scores in its own way, because bm25() looks the size of every matching
-- document up, which for a common word are most of them.

CREATE VIRTUAL TABLE turn_index USING fts5 (
    content, content = 'turn', content_rowid = 'id', tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE summary_index USING fts5 (
    content, content = 'summary', content_rowid = 'id', tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE fact_term USING fts5vocab (fact_index, instance);
CREATE VIRTUAL TABLE turn_term USING fts5vocab (turn_index, instance);
CREATE VIRTUAL TABLE summary_term USING fts5vocab (summary_index, instance);
CREATE VIRTUAL TABLE fact_frequency USING fts5vocab (fact_index, row);
CREATE VIRTUAL TABLE turn_frequency USING fts5vocab (turn_index, row);
CREATE VIRTUAL TABLE summary_frequency USING fts5vocab (summary_index, row);

-- Scripts that put no blanks between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese, and Korean, whose particles
-- stick to the word) are one token to unicode61. Text that has such signs is indexed by trigrams too; recall finds
-- pairs of signs as beginnings of trigrams, so a blank is put after the text for its last pair.
-- The same signs: graphdream/recall/words.py. A text of one byte a sign has none of them, which is seen without a look
-- at every sign; that look would be a tenth of an import.
CREATE VIRTUAL TABLE turn_signs USING fts5 (content, content = '', columnsize = 0, tokenize = 'trigram');
CREATE VIRTUAL TABLE summary_signs USING fts5 (content, content = '', columnsize = 0, tokenize = 'trigram');
CREATE VIRTUAL TABLE fact_signs USING fts5 (content, content = '', columnsize = 0, tokenize = 'trigram');
CREATE VIRTUAL TABLE turn_sign USING fts5vocab (turn_signs, instance);
CREATE VIRTUAL TABLE summary_sign USING fts5vocab (summary_signs, instance);
CREATE VIRTUAL TABLE fact_sign USING fts5vocab (fact_signs, instance);

-- The shape of the talk: what ranking needs to know of every turn that matches, in rows small enough to read hundreds.
CREATE TABLE turn_shape (
    id INTEGER PRIMARY KEY REFERENCES turn (id),
    session_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    asks INTEGER NOT NULL,                    -- 1 where the turn has a question mark
    spoken INTEGER NOT NULL                   -- 1 where a speaker is named: notes without one are no talk
) STRICT;
CREATE TABLE session_shape (
    session_id INTEGER PRIMARY KEY,
    turns INTEGER NOT NULL,
    chars INTEGER NOT NULL
) STRICT;
CREATE TABLE talk_shape (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    turns INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    sessions INTEGER NOT NULL
) STRICT;
INSERT INTO talk_shape VALUES (1, 0, 0, 0);
CREATE TABLE speaker_shape (
    name TEXT PRIMARY KEY,
    turns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER turn_indexed AFTER INSERT ON turn
BEGIN
    INSERT INTO turn_index (rowid, content) VALUES (new.id, new.content);
    INSERT INTO turn_shape
    VALUES (new.id, new.session_id, new.position, length(new.content), instr(new.content, '?') > 0, new.speaker <> '');
    UPDATE talk_shape SET turns = turns + 1, chars = chars + length(new.content),
        sessions = sessions + (SELECT count(*) = 0 FROM session_shape WHERE session_id = new.session_id);
    INSERT INTO session_shape VALUES (new.session_id, 1, length(new.content))
    ON CONFLICT (session_id) DO UPDATE SET turns = turns + 1, chars = chars + excluded.chars;
    INSERT INTO speaker_shape VALUES (new.speaker, 1)
    ON CONFLICT (name) DO UPDATE SET turns = turns + 1;
END;
CREATE TRIGGER turn_signs_indexed AFTER INSERT ON turn
WHEN length(CAST(new.content AS BLOB)) <> length(new.content)
    AND new.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO turn_signs (rowid, content) VALUES (new.id, new.content || ' ');
END;
CREATE TRIGGER turn_unindexed BEFORE DELETE ON turn
BEGIN
    INSERT INTO turn_index (turn_index, rowid, content) VALUES ('delete', old.id, old.content);
    DELETE FROM turn_shape WHERE id = old.id;
    UPDATE session_shape SET turns = turns - 1, chars = chars - length(old.content) WHERE session_id = old.session_id;
    UPDATE talk_shape SET turns = turns - 1, chars = chars - length(old.content),
        sessions = sessions - (SELECT turns = 0 FROM session_shape WHERE session_id = old.session_id);
    DELETE FROM session_shape WHERE session_id = old.session_id AND turns = 0;
    UPDATE speaker_shape SET turns = turns - 1 WHERE name = old.speaker;
    DELETE FROM speaker_shape WHERE name = old.speaker AND turns = 0;
END;
CREATE TRIGGER turn_signs_unindexed BEFORE DELETE ON turn
WHEN length(CAST(old.content AS BLOB)) <> length(old.content)
    AND old.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO turn_signs (turn_signs, rowid, content) VALUES ('delete', old.id, old.content || ' ');
END;

CREATE TRIGGER summary_indexed AFTER INSERT ON summary
BEGIN
    INSERT INTO summary_index (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER summary_signs_indexed AFTER INSERT ON summary
WHEN length(CAST(new.content AS BLOB)) <> length(new.content)
    AND new.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO summary_signs (rowid, content) VALUES (new.id, new.content || ' ');
END;
CREATE TRIGGER summary_unindexed BEFORE DELETE ON summary
BEGIN
    INSERT INTO summary_index (summary_index, rowid, content) VALUES ('delete', old.id, old.content);
END;
CREATE TRIGGER summary_signs_unindexed BEFORE DELETE ON summary
WHEN length(CAST(old.content AS BLOB)) <> length(old.content)
    AND old.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO summary_signs (summary_signs, rowid, content) VALUES ('delete', old.id, old.content || ' ');
END;

-- Facts put aside keep their signs: recall looks at the fact's status anyway.
CREATE TRIGGER fact_signs_indexed AFTER INSERT ON attribute
WHEN length(CAST(new.content AS BLOB)) <> length(new.content)
    AND new.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO fact_signs (rowid, content) VALUES (new.id, new.content || ' ');
END;
CREATE TRIGGER fact_signs_left AFTER UPDATE OF content ON attribute
WHEN length(CAST(old.content AS BLOB)) <> length(old.content)
    AND old.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO fact_signs (fact_signs, rowid, content) VALUES ('delete', old.id, old.content || ' ');
END;
CREATE TRIGGER fact_signs_taken AFTER UPDATE OF content ON attribute
WHEN length(CAST(new.content AS BLOB)) <> length(new.content)
    AND new.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO fact_signs (rowid, content) VALUES (new.id, new.content || ' ');
END;
CREATE TRIGGER fact_signs_unindexed BEFORE DELETE ON attribute
WHEN length(CAST(old.content AS BLOB)) <> length(old.content)
    AND old.content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*'
BEGIN
    INSERT INTO fact_signs (fact_signs, rowid, content) VALUES ('delete', old.id, old.content || ' ');
END;

-- What is on record already.
INSERT INTO turn_index (turn_index) VALUES ('rebuild');
INSERT INTO summary_index (summary_index) VALUES ('rebuild');
INSERT INTO turn_shape SELECT id, session_id, position, length(content), instr(content, '?') > 0, speaker <> '' FROM turn;
INSERT INTO session_shape SELECT session_id, count(*), sum(length(content)) FROM turn GROUP BY session_id;
UPDATE talk_shape SET turns = (SELECT count(*) FROM turn), chars = (SELECT total(length(content)) FROM turn),
    sessions = (SELECT count(*) FROM session_shape);
INSERT INTO speaker_shape SELECT speaker, count(*) FROM turn GROUP BY speaker;
INSERT INTO turn_signs (rowid, content) SELECT id, content || ' ' FROM turn
WHERE content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*';
INSERT INTO summary_signs (rowid, content) SELECT id, content || ' ' FROM summary
WHERE content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*';
INSERT INTO fact_signs (rowid, content) SELECT id, content || ' ' FROM attribute
WHERE content GLOB '*[ก-๛ກ-ໟက-႟ក-៿぀-ヿㄅ-ㄯ㐀-䶿一-鿿가-힣豈-﫿𠀀-𲎯]*';

-- Which facts rest on a turn; the table's own key starts with the fact.
CREATE INDEX evidence_by_turn ON evidence (turn_uid) WHERE turn_uid <> '';

-- ------------------------------------------------------------ recall and its feedback

-- What a session was shown in its prompts. No foreign keys from here on: undo may take a fact's row away.
CREATE TABLE injected (
    session_key TEXT NOT NULL,
    handle TEXT NOT NULL,
    turn INTEGER NOT NULL,                    -- from 1: the how-manieth prompt of the session
    injected_at TEXT NOT NULL,
    PRIMARY KEY (session_key, handle)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_by_handle ON injected (handle);

CREATE TABLE recall_feedback (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    attribute_id INTEGER NOT NULL,
    signal TEXT NOT NULL CHECK (signal IN ('used', 'ignored', 'wrong')),
    session_key TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    given_at TEXT NOT NULL,
    UNIQUE (attribute_id, signal, session_key)    -- a fact is used once a session, however often the hook says so
) STRICT;
CREATE INDEX recall_feedback_by_time ON recall_feedback (given_at);

-- ------------------------------------------------------------ vectors: an extra, never needed

CREATE TABLE vector (
    kind TEXT NOT NULL CHECK (kind IN ('fact', 'turn')),
    row_id INTEGER NOT NULL,
    model TEXT NOT NULL,
    digest INTEGER NOT NULL,                  -- of the text it was made of: another one means it is out of date
    value BLOB NOT NULL,                      -- little-endian float16, length 1
    PRIMARY KEY (model, kind, row_id)
) STRICT, WITHOUT ROWID;

-- ------------------------------------------------------------ working memory: the one thing that is not in the graph

CREATE TABLE working_memory (
    key TEXT PRIMARY KEY,                     -- session/abc/emails: the first two segments are the namespace
    namespace TEXT NOT NULL,
    value TEXT NOT NULL,
    category TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',          -- JSON
    stored_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX working_memory_by_namespace ON working_memory (namespace, stored_at);
CREATE INDEX working_memory_by_expiry ON working_memory (expires_at);
