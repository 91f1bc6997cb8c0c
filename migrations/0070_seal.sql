-- migrations/0070_seal.sql: every row that counts is sealed with a key that does not lie here.
-- The triggers are made by: python -m graphdream.graph.sealed

-- The head: how far the file has come, and the topmost seals of its trees, under a message authentication code.
CREATE TABLE seal (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key TEXT NOT NULL,                        -- id of the key
    state TEXT NOT NULL,                      -- JSON: graphdream/graph/seal.py
    mac TEXT NOT NULL
) STRICT;

-- The trees: each node holds the seals of 64 rows, or of 64 nodes below it. graphdream/sealing/tree.py
CREATE TABLE seal_node (
    id INTEGER PRIMARY KEY,
    seals BLOB NOT NULL
) STRICT;

CREATE TRIGGER session_made_sealed AFTER INSERT ON session
BEGIN
    SELECT gd_seal(20, new.id, NULL, CAST(json_array(new.id, new.key, new.kind, new.started_at, new.ended_at, new.recorded_at, new.metadata) AS BLOB));
END;
CREATE TRIGGER session_changed_sealed AFTER UPDATE ON session
BEGIN
    SELECT gd_seal(20, new.id, CAST(json_array(old.id, old.key, old.kind, old.started_at, old.ended_at, old.recorded_at, old.metadata) AS BLOB), CAST(json_array(new.id, new.key, new.kind, new.started_at, new.ended_at, new.recorded_at, new.metadata) AS BLOB));
END;
CREATE TRIGGER session_deleted_sealed AFTER DELETE ON session
BEGIN
    SELECT gd_seal(20, old.id, CAST(json_array(old.id, old.key, old.kind, old.started_at, old.ended_at, old.recorded_at, old.metadata) AS BLOB), NULL);
END;

CREATE TRIGGER summary_made_sealed AFTER INSERT ON summary
BEGIN
    SELECT gd_seal(22, new.id, NULL, CAST(json_array(new.id, new.session_id, new.content, new.digest, new.recorded_at, new.tokens, new.tokenizer, new.read_by) AS BLOB), new.session_id);
END;
CREATE TRIGGER summary_changed_sealed AFTER UPDATE ON summary
BEGIN
    SELECT gd_seal(22, new.id, CAST(json_array(old.id, old.session_id, old.content, old.digest, old.recorded_at, old.tokens, old.tokenizer, old.read_by) AS BLOB), CAST(json_array(new.id, new.session_id, new.content, new.digest, new.recorded_at, new.tokens, new.tokenizer, new.read_by) AS BLOB), new.session_id);
END;
CREATE TRIGGER summary_deleted_sealed AFTER DELETE ON summary
BEGIN
    SELECT gd_seal(22, old.id, CAST(json_array(old.id, old.session_id, old.content, old.digest, old.recorded_at, old.tokens, old.tokenizer, old.read_by) AS BLOB), NULL, old.session_id);
END;

CREATE TRIGGER turn_made_sealed AFTER INSERT ON turn
BEGIN
    SELECT gd_seal(23, new.id, NULL, CAST(json_array(new.id, new.session_id, new.position, new.uid, new.speaker, new.content, new.said_at, new.metadata, new.read_by) AS BLOB), new.session_id);
END;
CREATE TRIGGER turn_changed_sealed AFTER UPDATE ON turn
BEGIN
    SELECT gd_seal(23, new.id, CAST(json_array(old.id, old.session_id, old.position, old.uid, old.speaker, old.content, old.said_at, old.metadata, old.read_by) AS BLOB), CAST(json_array(new.id, new.session_id, new.position, new.uid, new.speaker, new.content, new.said_at, new.metadata, new.read_by) AS BLOB), new.session_id);
END;
CREATE TRIGGER turn_deleted_sealed AFTER DELETE ON turn
BEGIN
    SELECT gd_seal(23, old.id, CAST(json_array(old.id, old.session_id, old.position, old.uid, old.speaker, old.content, old.said_at, old.metadata, old.read_by) AS BLOB), NULL, old.session_id);
END;

CREATE TRIGGER observation_made_sealed AFTER INSERT ON observation
BEGIN
    SELECT gd_seal(24, new.id, NULL, CAST(json_array(new.id, new.session_id, new.position, new.speaker, new.content, new.evidence, new.read_by) AS BLOB), new.session_id);
END;
CREATE TRIGGER observation_changed_sealed AFTER UPDATE ON observation
BEGIN
    SELECT gd_seal(24, new.id, CAST(json_array(old.id, old.session_id, old.position, old.speaker, old.content, old.evidence, old.read_by) AS BLOB), CAST(json_array(new.id, new.session_id, new.position, new.speaker, new.content, new.evidence, new.read_by) AS BLOB), new.session_id);
END;
CREATE TRIGGER observation_deleted_sealed AFTER DELETE ON observation
BEGIN
    SELECT gd_seal(24, old.id, CAST(json_array(old.id, old.session_id, old.position, old.speaker, old.content, old.evidence, old.read_by) AS BLOB), NULL, old.session_id);
END;

CREATE TRIGGER observed_made_sealed AFTER INSERT ON observed
BEGIN
    SELECT gd_seal(25, new.id, NULL, CAST(json_array(new.id, new.uid, new.kind, new.session_key, new.name, new.ok, new.at, new.recorded_at, new.body, new.digest) AS BLOB));
END;
CREATE TRIGGER observed_changed_sealed AFTER UPDATE ON observed
BEGIN
    SELECT gd_seal(25, new.id, CAST(json_array(old.id, old.uid, old.kind, old.session_key, old.name, old.ok, old.at, old.recorded_at, old.body, old.digest) AS BLOB), CAST(json_array(new.id, new.uid, new.kind, new.session_key, new.name, new.ok, new.at, new.recorded_at, new.body, new.digest) AS BLOB));
END;
CREATE TRIGGER observed_deleted_sealed AFTER DELETE ON observed
BEGIN
    SELECT gd_seal(25, old.id, CAST(json_array(old.id, old.uid, old.kind, old.session_key, old.name, old.ok, old.at, old.recorded_at, old.body, old.digest) AS BLOB), NULL);
END;

CREATE TRIGGER pass_made_sealed AFTER INSERT ON pass
BEGIN
    SELECT gd_seal(30, new.id, NULL, CAST(json_array(new.id, new.status, new.chain, new.undone_by) AS BLOB));
END;
CREATE TRIGGER pass_changed_sealed AFTER UPDATE OF status, chain, undone_by ON pass
BEGIN
    SELECT gd_seal(30, new.id, CAST(json_array(old.id, old.status, old.chain, old.undone_by) AS BLOB), CAST(json_array(new.id, new.status, new.chain, new.undone_by) AS BLOB));
END;
CREATE TRIGGER pass_deleted_sealed AFTER DELETE ON pass
BEGIN
    SELECT gd_seal(30, old.id, CAST(json_array(old.id, old.status, old.chain, old.undone_by) AS BLOB), NULL);
END;

CREATE TRIGGER rejection_made_sealed AFTER INSERT ON rejection
BEGIN
    SELECT gd_seal(31, new.id, NULL, CAST(json_array(new.id, new.pass_id, new.merged_by, new.first_id, new.second_id, new.revoked_by, new.direct) AS BLOB));
END;
CREATE TRIGGER rejection_changed_sealed AFTER UPDATE ON rejection
BEGIN
    SELECT gd_seal(31, new.id, CAST(json_array(old.id, old.pass_id, old.merged_by, old.first_id, old.second_id, old.revoked_by, old.direct) AS BLOB), CAST(json_array(new.id, new.pass_id, new.merged_by, new.first_id, new.second_id, new.revoked_by, new.direct) AS BLOB));
END;
CREATE TRIGGER rejection_deleted_sealed AFTER DELETE ON rejection
BEGIN
    SELECT gd_seal(31, old.id, CAST(json_array(old.id, old.pass_id, old.merged_by, old.first_id, old.second_id, old.revoked_by, old.direct) AS BLOB), NULL);
END;

CREATE TRIGGER erasure_made_sealed AFTER INSERT ON erasure
BEGIN
    SELECT gd_seal(32, new.pass_id, NULL, CAST(json_array(new.pass_id, new.book, new.place, hex(new.digest), new.purged_by) AS BLOB));
END;
CREATE TRIGGER erasure_changed_sealed AFTER UPDATE ON erasure
BEGIN
    SELECT gd_seal(32, new.pass_id, CAST(json_array(old.pass_id, old.book, old.place, hex(old.digest), old.purged_by) AS BLOB), CAST(json_array(new.pass_id, new.book, new.place, hex(new.digest), new.purged_by) AS BLOB));
END;
CREATE TRIGGER erasure_deleted_sealed AFTER DELETE ON erasure
BEGIN
    SELECT gd_seal(32, old.pass_id, CAST(json_array(old.pass_id, old.book, old.place, hex(old.digest), old.purged_by) AS BLOB), NULL);
END;

CREATE TRIGGER planned_made_sealed AFTER INSERT ON planned
BEGIN
    SELECT gd_seal(33, new.pass_id, NULL, CAST(json_array(new.pass_id, new.position, new.op, new.body, new.trusted, new.foreseen, new.verdict, new.decided_by, new.decided_at) AS BLOB));
END;
CREATE TRIGGER planned_changed_sealed AFTER UPDATE ON planned
BEGIN
    SELECT gd_seal(33, new.pass_id, CAST(json_array(old.pass_id, old.position, old.op, old.body, old.trusted, old.foreseen, old.verdict, old.decided_by, old.decided_at) AS BLOB), CAST(json_array(new.pass_id, new.position, new.op, new.body, new.trusted, new.foreseen, new.verdict, new.decided_by, new.decided_at) AS BLOB));
END;
CREATE TRIGGER planned_deleted_sealed AFTER DELETE ON planned
BEGIN
    SELECT gd_seal(33, old.pass_id, CAST(json_array(old.pass_id, old.position, old.op, old.body, old.trusted, old.foreseen, old.verdict, old.decided_by, old.decided_at) AS BLOB), NULL);
END;

CREATE TRIGGER tombstone_made_sealed AFTER INSERT ON tombstone
BEGIN
    SELECT gd_seal(34, new.digest, NULL, CAST(json_array(new.kind, new.digest, new.becomes, new.purged_by) AS BLOB));
END;
CREATE TRIGGER tombstone_changed_sealed AFTER UPDATE ON tombstone
BEGIN
    SELECT gd_seal(34, new.digest, CAST(json_array(old.kind, old.digest, old.becomes, old.purged_by) AS BLOB), CAST(json_array(new.kind, new.digest, new.becomes, new.purged_by) AS BLOB));
END;
CREATE TRIGGER tombstone_deleted_sealed AFTER DELETE ON tombstone
BEGIN
    SELECT gd_seal(34, old.digest, CAST(json_array(old.kind, old.digest, old.becomes, old.purged_by) AS BLOB), NULL);
END;

CREATE TRIGGER finding_made_sealed AFTER INSERT ON finding
BEGIN
    SELECT gd_seal(35, new.fingerprint, NULL, CAST(json_array(new.fingerprint, new.kind, new.disposition, new.blocker, new.pass_id, new.times, new.decided_at) AS BLOB));
END;
CREATE TRIGGER finding_changed_sealed AFTER UPDATE ON finding
BEGIN
    SELECT gd_seal(35, new.fingerprint, CAST(json_array(old.fingerprint, old.kind, old.disposition, old.blocker, old.pass_id, old.times, old.decided_at) AS BLOB), CAST(json_array(new.fingerprint, new.kind, new.disposition, new.blocker, new.pass_id, new.times, new.decided_at) AS BLOB));
END;
CREATE TRIGGER finding_deleted_sealed AFTER DELETE ON finding
BEGIN
    SELECT gd_seal(35, old.fingerprint, CAST(json_array(old.fingerprint, old.kind, old.disposition, old.blocker, old.pass_id, old.times, old.decided_at) AS BLOB), NULL);
END;

CREATE TRIGGER working_memory_made_sealed AFTER INSERT ON working_memory
BEGIN
    SELECT gd_seal(36, new.key, NULL, CAST(json_array(new.key, new.namespace, new.value, new.category, new.tags, new.stored_at, new.expires_at) AS BLOB));
END;
CREATE TRIGGER working_memory_changed_sealed AFTER UPDATE ON working_memory
BEGIN
    SELECT gd_seal(36, new.key, CAST(json_array(old.key, old.namespace, old.value, old.category, old.tags, old.stored_at, old.expires_at) AS BLOB), CAST(json_array(new.key, new.namespace, new.value, new.category, new.tags, new.stored_at, new.expires_at) AS BLOB));
END;
CREATE TRIGGER working_memory_deleted_sealed AFTER DELETE ON working_memory
BEGIN
    SELECT gd_seal(36, old.key, CAST(json_array(old.key, old.namespace, old.value, old.category, old.tags, old.stored_at, old.expires_at) AS BLOB), NULL);
END;

CREATE TRIGGER exchange_made_sealed AFTER INSERT ON exchange
BEGIN
    SELECT gd_seal(37, new.id, NULL, CAST(json_array(new.id, new.digest, new.pass_id, new.what, new.model, new.held_at, new.messages, new.prompt_messages, new.items, new.summary, new.ended, new.attempts, new.faults, new.tokens_in, new.tokens_out, new.tokens_cached, new.cost, new.requests) AS BLOB));
END;
CREATE TRIGGER exchange_changed_sealed AFTER UPDATE ON exchange
BEGIN
    SELECT gd_seal(37, new.id, CAST(json_array(old.id, old.digest, old.pass_id, old.what, old.model, old.held_at, old.messages, old.prompt_messages, old.items, old.summary, old.ended, old.attempts, old.faults, old.tokens_in, old.tokens_out, old.tokens_cached, old.cost, old.requests) AS BLOB), CAST(json_array(new.id, new.digest, new.pass_id, new.what, new.model, new.held_at, new.messages, new.prompt_messages, new.items, new.summary, new.ended, new.attempts, new.faults, new.tokens_in, new.tokens_out, new.tokens_cached, new.cost, new.requests) AS BLOB));
END;
CREATE TRIGGER exchange_deleted_sealed AFTER DELETE ON exchange
BEGIN
    SELECT gd_seal(37, old.id, CAST(json_array(old.id, old.digest, old.pass_id, old.what, old.model, old.held_at, old.messages, old.prompt_messages, old.items, old.summary, old.ended, old.attempts, old.faults, old.tokens_in, old.tokens_out, old.tokens_cached, old.cost, old.requests) AS BLOB), NULL);
END;

CREATE TRIGGER recall_feedback_made_sealed AFTER INSERT ON recall_feedback
BEGIN
    SELECT gd_seal(38, new.id, NULL, CAST(json_array(new.id, new.attribute_id, new.signal, new.session_key, new.note, new.given_at) AS BLOB));
END;
CREATE TRIGGER recall_feedback_changed_sealed AFTER UPDATE ON recall_feedback
BEGIN
    SELECT gd_seal(38, new.id, CAST(json_array(old.id, old.attribute_id, old.signal, old.session_key, old.note, old.given_at) AS BLOB), CAST(json_array(new.id, new.attribute_id, new.signal, new.session_key, new.note, new.given_at) AS BLOB));
END;
CREATE TRIGGER recall_feedback_deleted_sealed AFTER DELETE ON recall_feedback
BEGIN
    SELECT gd_seal(38, old.id, CAST(json_array(old.id, old.attribute_id, old.signal, old.session_key, old.note, old.given_at) AS BLOB), NULL);
END;

CREATE TRIGGER meta_made_sealed AFTER INSERT ON meta
BEGIN
    SELECT gd_seal(39, new.key, NULL, CAST(json_array(new.key, new.value) AS BLOB));
END;
CREATE TRIGGER meta_changed_sealed AFTER UPDATE ON meta
BEGIN
    SELECT gd_seal(39, new.key, CAST(json_array(old.key, old.value) AS BLOB), CAST(json_array(new.key, new.value) AS BLOB));
END;
CREATE TRIGGER meta_deleted_sealed AFTER DELETE ON meta
BEGIN
    SELECT gd_seal(39, old.key, CAST(json_array(old.key, old.value) AS BLOB), NULL);
END;

CREATE TRIGGER dream_state_made_sealed AFTER INSERT ON dream_state
BEGIN
    SELECT gd_seal(40, new.id, NULL, CAST(json_array(new.id, new.last_pass_id, new.last_pass_at, new.last_mode, new.last_checked_at, new.consecutive_failures, new.last_failure_at, new.last_error) AS BLOB));
END;
CREATE TRIGGER dream_state_changed_sealed AFTER UPDATE ON dream_state
BEGIN
    SELECT gd_seal(40, new.id, CAST(json_array(old.id, old.last_pass_id, old.last_pass_at, old.last_mode, old.last_checked_at, old.consecutive_failures, old.last_failure_at, old.last_error) AS BLOB), CAST(json_array(new.id, new.last_pass_id, new.last_pass_at, new.last_mode, new.last_checked_at, new.consecutive_failures, new.last_failure_at, new.last_error) AS BLOB));
END;
CREATE TRIGGER dream_state_deleted_sealed AFTER DELETE ON dream_state
BEGIN
    SELECT gd_seal(40, old.id, CAST(json_array(old.id, old.last_pass_id, old.last_pass_at, old.last_mode, old.last_checked_at, old.consecutive_failures, old.last_failure_at, old.last_error) AS BLOB), NULL);
END;

CREATE TRIGGER schedule_made_sealed AFTER INSERT ON schedule
BEGIN
    SELECT gd_seal(41, new.id, NULL, CAST(json_array(new.id, new.first_started_at, new.last_cycle_at, new.failures, new.retry_at) AS BLOB));
END;
CREATE TRIGGER schedule_changed_sealed AFTER UPDATE ON schedule
BEGIN
    SELECT gd_seal(41, new.id, CAST(json_array(old.id, old.first_started_at, old.last_cycle_at, old.failures, old.retry_at) AS BLOB), CAST(json_array(new.id, new.first_started_at, new.last_cycle_at, new.failures, new.retry_at) AS BLOB));
END;
CREATE TRIGGER schedule_deleted_sealed AFTER DELETE ON schedule
BEGIN
    SELECT gd_seal(41, old.id, CAST(json_array(old.id, old.first_started_at, old.last_cycle_at, old.failures, old.retry_at) AS BLOB), NULL);
END;

CREATE TRIGGER cycle_pass_made_sealed AFTER INSERT ON cycle_pass
BEGIN
    SELECT gd_seal(42, new.name, NULL, CAST(json_array(new.name, new.cursor, new.last_run_at, new.last_pass_id, new.failures, new.last_failure_at, new.last_error) AS BLOB));
END;
CREATE TRIGGER cycle_pass_changed_sealed AFTER UPDATE ON cycle_pass
BEGIN
    SELECT gd_seal(42, new.name, CAST(json_array(old.name, old.cursor, old.last_run_at, old.last_pass_id, old.failures, old.last_failure_at, old.last_error) AS BLOB), CAST(json_array(new.name, new.cursor, new.last_run_at, new.last_pass_id, new.failures, new.last_failure_at, new.last_error) AS BLOB));
END;
CREATE TRIGGER cycle_pass_deleted_sealed AFTER DELETE ON cycle_pass
BEGIN
    SELECT gd_seal(42, old.name, CAST(json_array(old.name, old.cursor, old.last_run_at, old.last_pass_id, old.failures, old.last_failure_at, old.last_error) AS BLOB), NULL);
END;

CREATE TRIGGER cycle_log_made_sealed AFTER INSERT ON cycle_log
BEGIN
    SELECT gd_seal(43, new.id, NULL, CAST(json_array(new.id, new.started_at, new.ended_at, new.trigger, new.processed, new.summary, new.passes) AS BLOB));
END;
CREATE TRIGGER cycle_log_changed_sealed AFTER UPDATE ON cycle_log
BEGIN
    SELECT gd_seal(43, new.id, CAST(json_array(old.id, old.started_at, old.ended_at, old.trigger, old.processed, old.summary, old.passes) AS BLOB), CAST(json_array(new.id, new.started_at, new.ended_at, new.trigger, new.processed, new.summary, new.passes) AS BLOB));
END;
CREATE TRIGGER cycle_log_deleted_sealed AFTER DELETE ON cycle_log
BEGIN
    SELECT gd_seal(43, old.id, CAST(json_array(old.id, old.started_at, old.ended_at, old.trigger, old.processed, old.summary, old.passes) AS BLOB), NULL);
END;

CREATE TRIGGER injected_made_sealed AFTER INSERT ON injected
BEGIN
    SELECT gd_seal(44, new.session_key, NULL, CAST(json_array(new.session_key, new.handle, new.turn, new.injected_at) AS BLOB));
END;
CREATE TRIGGER injected_changed_sealed AFTER UPDATE ON injected
BEGIN
    SELECT gd_seal(44, new.session_key, CAST(json_array(old.session_key, old.handle, old.turn, old.injected_at) AS BLOB), CAST(json_array(new.session_key, new.handle, new.turn, new.injected_at) AS BLOB));
END;
CREATE TRIGGER injected_deleted_sealed AFTER DELETE ON injected
BEGIN
    SELECT gd_seal(44, old.session_key, CAST(json_array(old.session_key, old.handle, old.turn, old.injected_at) AS BLOB), NULL);
END;
