-- migrations/0010_unread_turns.sql: a transcript that nobody summed up is read as well, and read once.
-- The cursor over turns, as `summary` and `observation` have it: NULL means no pass has read the turn.
ALTER TABLE turn ADD COLUMN read_by INTEGER REFERENCES pass (id);

-- Transcripts whose summary or observations were read have had their reading.
UPDATE turn SET read_by = (
    SELECT max(read_by) FROM (
        SELECT read_by FROM summary WHERE summary.session_id = turn.session_id
        UNION ALL SELECT read_by FROM observation WHERE observation.session_id = turn.session_id
    )
);
CREATE INDEX turn_unread ON turn (session_id) WHERE read_by IS NULL;
