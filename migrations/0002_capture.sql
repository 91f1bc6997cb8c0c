-- migrations/0002_capture.sql: no graph row changes without its journal entry.
-- Made by: python -m graphdream.graph.capture

CREATE TRIGGER entity_made AFTER INSERT ON entity
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 1, new.id, '+', gd_row(1, CAST(json_array(new.id, new.uid, new.name, new.canonical, new.type, new.first_seen, new.last_seen, new.sessions, new.mentions, new.importance, new.pinned, new.derived, new.metadata, new.status, new.absorbed_into, new.status_reason) AS BLOB), 1, new.version));
END;
CREATE TRIGGER entity_changed AFTER UPDATE ON entity
WHEN gd_rows(1, CAST(json_array(old.id, old.uid, old.name, old.canonical, old.type, old.first_seen, old.last_seen, old.sessions, old.mentions, old.importance, old.pinned, old.derived, old.metadata, old.status, old.absorbed_into, old.status_reason) AS BLOB), CAST(json_array(new.id, new.uid, new.name, new.canonical, new.type, new.first_seen, new.last_seen, new.sessions, new.mentions, new.importance, new.pinned, new.derived, new.metadata, new.status, new.absorbed_into, new.status_reason) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 1, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.name, old.canonical, old.type, old.first_seen) IS NOT (new.uid, new.name, new.canonical, new.type, new.first_seen) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"1":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.name IS NOT new.name THEN ',"2":' || json_array(old.name, new.name) ELSE '' END
            || CASE WHEN old.canonical IS NOT new.canonical THEN ',"3":' || json_array(old.canonical, new.canonical) ELSE '' END
            || CASE WHEN old.type IS NOT new.type THEN ',"4":' || json_array(old.type, new.type) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"5":' || json_array(old.first_seen, new.first_seen) ELSE '' END ELSE '' END
            || CASE WHEN (old.last_seen, old.sessions, old.mentions, old.importance, old.pinned) IS NOT (new.last_seen, new.sessions, new.mentions, new.importance, new.pinned) THEN CASE WHEN old.last_seen IS NOT new.last_seen THEN ',"6":' || json_array(old.last_seen, new.last_seen) ELSE '' END
            || CASE WHEN old.sessions IS NOT new.sessions THEN ',"7":' || json_array(old.sessions, new.sessions) ELSE '' END
            || CASE WHEN old.mentions IS NOT new.mentions THEN ',"8":' || json_array(old.mentions, new.mentions) ELSE '' END
            || CASE WHEN old.importance IS NOT new.importance THEN ',"9":' || json_array(old.importance, new.importance) ELSE '' END
            || CASE WHEN old.pinned IS NOT new.pinned THEN ',"10":' || json_array(old.pinned, new.pinned) ELSE '' END ELSE '' END
            || CASE WHEN (old.derived, old.metadata, old.status, old.absorbed_into, old.status_reason) IS NOT (new.derived, new.metadata, new.status, new.absorbed_into, new.status_reason) THEN CASE WHEN old.derived IS NOT new.derived THEN ',"11":' || json_array(old.derived, new.derived) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"12":' || json_array(old.metadata, new.metadata) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"13":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"14":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"15":' || json_array(old.status_reason, new.status_reason) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER entity_deleted AFTER DELETE ON entity
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 1, old.id, '-', gd_row(1, CAST(json_array(old.id, old.uid, old.name, old.canonical, old.type, old.first_seen, old.last_seen, old.sessions, old.mentions, old.importance, old.pinned, old.derived, old.metadata, old.status, old.absorbed_into, old.status_reason) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER alias_made AFTER INSERT ON alias
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 2, new.id, '+', gd_row(2, CAST(json_array(new.id, new.entity_id, new.name, new.canonical, new.source) AS BLOB), 1, new.version));
END;
CREATE TRIGGER alias_changed AFTER UPDATE ON alias
WHEN gd_rows(2, CAST(json_array(old.id, old.entity_id, old.name, old.canonical, old.source) AS BLOB), CAST(json_array(new.id, new.entity_id, new.name, new.canonical, new.source) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 2, new.id, '~', '{' || substr(
            CASE WHEN (old.entity_id, old.name, old.canonical, old.source) IS NOT (new.entity_id, new.name, new.canonical, new.source) THEN CASE WHEN old.entity_id IS NOT new.entity_id THEN ',"1":' || json_array(old.entity_id, new.entity_id) ELSE '' END
            || CASE WHEN old.name IS NOT new.name THEN ',"2":' || json_array(old.name, new.name) ELSE '' END
            || CASE WHEN old.canonical IS NOT new.canonical THEN ',"3":' || json_array(old.canonical, new.canonical) ELSE '' END
            || CASE WHEN old.source IS NOT new.source THEN ',"4":' || json_array(old.source, new.source) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER alias_deleted AFTER DELETE ON alias
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 2, old.id, '-', gd_row(2, CAST(json_array(old.id, old.entity_id, old.name, old.canonical, old.source) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER aspect_made AFTER INSERT ON aspect
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 3, new.id, '+', gd_row(3, CAST(json_array(new.id, new.uid, new.entity_id, new.name, new.canonical, new.first_seen, new.weight, new.metadata, new.status, new.absorbed_into, new.status_reason) AS BLOB), 1, new.version));
END;
CREATE TRIGGER aspect_changed AFTER UPDATE ON aspect
WHEN gd_rows(3, CAST(json_array(old.id, old.uid, old.entity_id, old.name, old.canonical, old.first_seen, old.weight, old.metadata, old.status, old.absorbed_into, old.status_reason) AS BLOB), CAST(json_array(new.id, new.uid, new.entity_id, new.name, new.canonical, new.first_seen, new.weight, new.metadata, new.status, new.absorbed_into, new.status_reason) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 3, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.entity_id, old.name, old.canonical, old.first_seen) IS NOT (new.uid, new.entity_id, new.name, new.canonical, new.first_seen) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"1":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.entity_id IS NOT new.entity_id THEN ',"2":' || json_array(old.entity_id, new.entity_id) ELSE '' END
            || CASE WHEN old.name IS NOT new.name THEN ',"3":' || json_array(old.name, new.name) ELSE '' END
            || CASE WHEN old.canonical IS NOT new.canonical THEN ',"4":' || json_array(old.canonical, new.canonical) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"5":' || json_array(old.first_seen, new.first_seen) ELSE '' END ELSE '' END
            || CASE WHEN (old.weight, old.metadata, old.status, old.absorbed_into, old.status_reason) IS NOT (new.weight, new.metadata, new.status, new.absorbed_into, new.status_reason) THEN CASE WHEN old.weight IS NOT new.weight THEN ',"6":' || json_array(old.weight, new.weight) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"7":' || json_array(old.metadata, new.metadata) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"8":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"9":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"10":' || json_array(old.status_reason, new.status_reason) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER aspect_deleted AFTER DELETE ON aspect
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 3, old.id, '-', gd_row(3, CAST(json_array(old.id, old.uid, old.entity_id, old.name, old.canonical, old.first_seen, old.weight, old.metadata, old.status, old.absorbed_into, old.status_reason) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER attribute_made AFTER INSERT ON attribute
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 4, new.id, '+', gd_row(4, CAST(json_array(new.id, new.uid, new.aspect_id, new.content, new.digest, new.confidence, new.authority, new.first_seen, new.last_seen, new.session_key, new.source, new.importance, new.tags, new.metadata, new.reinforcement, new.kind, new.derived, new.slot, new.valid_from, new.valid_to, new.occurred_at, new.time_precision, new.review_after, new.status, new.superseded_by, new.absorbed_into, new.status_reason) AS BLOB), 1, new.version));
END;
CREATE TRIGGER attribute_changed AFTER UPDATE ON attribute
WHEN gd_rows(4, CAST(json_array(old.id, old.uid, old.aspect_id, old.content, old.digest, old.confidence, old.authority, old.first_seen, old.last_seen, old.session_key, old.source, old.importance, old.tags, old.metadata, old.reinforcement, old.kind, old.derived, old.slot, old.valid_from, old.valid_to, old.occurred_at, old.time_precision, old.review_after, old.status, old.superseded_by, old.absorbed_into, old.status_reason) AS BLOB), CAST(json_array(new.id, new.uid, new.aspect_id, new.content, new.digest, new.confidence, new.authority, new.first_seen, new.last_seen, new.session_key, new.source, new.importance, new.tags, new.metadata, new.reinforcement, new.kind, new.derived, new.slot, new.valid_from, new.valid_to, new.occurred_at, new.time_precision, new.review_after, new.status, new.superseded_by, new.absorbed_into, new.status_reason) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 4, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.aspect_id, old.content, old.digest, old.confidence) IS NOT (new.uid, new.aspect_id, new.content, new.digest, new.confidence) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"1":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.aspect_id IS NOT new.aspect_id THEN ',"2":' || json_array(old.aspect_id, new.aspect_id) ELSE '' END
            || CASE WHEN old.content IS NOT new.content THEN ',"3":' || json_array(old.content, new.content) ELSE '' END
            || CASE WHEN old.digest IS NOT new.digest THEN ',"4":' || json_array(old.digest, new.digest) ELSE '' END
            || CASE WHEN old.confidence IS NOT new.confidence THEN ',"5":' || json_array(old.confidence, new.confidence) ELSE '' END ELSE '' END
            || CASE WHEN (old.authority, old.first_seen, old.last_seen, old.session_key, old.source) IS NOT (new.authority, new.first_seen, new.last_seen, new.session_key, new.source) THEN CASE WHEN old.authority IS NOT new.authority THEN ',"6":' || json_array(old.authority, new.authority) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"7":' || json_array(old.first_seen, new.first_seen) ELSE '' END
            || CASE WHEN old.last_seen IS NOT new.last_seen THEN ',"8":' || json_array(old.last_seen, new.last_seen) ELSE '' END
            || CASE WHEN old.session_key IS NOT new.session_key THEN ',"9":' || json_array(old.session_key, new.session_key) ELSE '' END
            || CASE WHEN old.source IS NOT new.source THEN ',"10":' || json_array(old.source, new.source) ELSE '' END ELSE '' END
            || CASE WHEN (old.importance, old.tags, old.metadata, old.reinforcement, old.kind) IS NOT (new.importance, new.tags, new.metadata, new.reinforcement, new.kind) THEN CASE WHEN old.importance IS NOT new.importance THEN ',"11":' || json_array(old.importance, new.importance) ELSE '' END
            || CASE WHEN old.tags IS NOT new.tags THEN ',"12":' || json_array(old.tags, new.tags) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"13":' || json_array(old.metadata, new.metadata) ELSE '' END
            || CASE WHEN old.reinforcement IS NOT new.reinforcement THEN ',"14":' || json_array(old.reinforcement, new.reinforcement) ELSE '' END
            || CASE WHEN old.kind IS NOT new.kind THEN ',"15":' || json_array(old.kind, new.kind) ELSE '' END ELSE '' END
            || CASE WHEN (old.derived, old.slot, old.valid_from, old.valid_to, old.occurred_at) IS NOT (new.derived, new.slot, new.valid_from, new.valid_to, new.occurred_at) THEN CASE WHEN old.derived IS NOT new.derived THEN ',"16":' || json_array(old.derived, new.derived) ELSE '' END
            || CASE WHEN old.slot IS NOT new.slot THEN ',"17":' || json_array(old.slot, new.slot) ELSE '' END
            || CASE WHEN old.valid_from IS NOT new.valid_from THEN ',"18":' || json_array(old.valid_from, new.valid_from) ELSE '' END
            || CASE WHEN old.valid_to IS NOT new.valid_to THEN ',"19":' || json_array(old.valid_to, new.valid_to) ELSE '' END
            || CASE WHEN old.occurred_at IS NOT new.occurred_at THEN ',"20":' || json_array(old.occurred_at, new.occurred_at) ELSE '' END ELSE '' END
            || CASE WHEN (old.time_precision, old.review_after, old.status, old.superseded_by, old.absorbed_into) IS NOT (new.time_precision, new.review_after, new.status, new.superseded_by, new.absorbed_into) THEN CASE WHEN old.time_precision IS NOT new.time_precision THEN ',"21":' || json_array(old.time_precision, new.time_precision) ELSE '' END
            || CASE WHEN old.review_after IS NOT new.review_after THEN ',"22":' || json_array(old.review_after, new.review_after) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"23":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.superseded_by IS NOT new.superseded_by THEN ',"24":' || json_array(old.superseded_by, new.superseded_by) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"25":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"26":' || json_array(old.status_reason, new.status_reason) ELSE '' END, 2) || '}');
END;
CREATE TRIGGER attribute_deleted AFTER DELETE ON attribute
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 4, old.id, '-', gd_row(4, CAST(json_array(old.id, old.uid, old.aspect_id, old.content, old.digest, old.confidence, old.authority, old.first_seen, old.last_seen, old.session_key, old.source, old.importance, old.tags, old.metadata, old.reinforcement, old.kind, old.derived, old.slot, old.valid_from, old.valid_to, old.occurred_at, old.time_precision, old.review_after, old.status, old.superseded_by, old.absorbed_into, old.status_reason) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER link_made AFTER INSERT ON link
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 5, new.id, '+', gd_row(5, CAST(json_array(new.id, new.uid, new.source_id, new.target_id, new.type, new.confidence, new.strength, new.first_seen, new.last_seen, new.session_key, new.reason, new.metadata, new.reinforcement, new.derived, new.target_ref, new.status, new.absorbed_into, new.status_reason) AS BLOB), 1, new.version));
END;
CREATE TRIGGER link_changed AFTER UPDATE ON link
WHEN gd_rows(5, CAST(json_array(old.id, old.uid, old.source_id, old.target_id, old.type, old.confidence, old.strength, old.first_seen, old.last_seen, old.session_key, old.reason, old.metadata, old.reinforcement, old.derived, old.target_ref, old.status, old.absorbed_into, old.status_reason) AS BLOB), CAST(json_array(new.id, new.uid, new.source_id, new.target_id, new.type, new.confidence, new.strength, new.first_seen, new.last_seen, new.session_key, new.reason, new.metadata, new.reinforcement, new.derived, new.target_ref, new.status, new.absorbed_into, new.status_reason) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 5, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.source_id, old.target_id, old.type, old.confidence) IS NOT (new.uid, new.source_id, new.target_id, new.type, new.confidence) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"1":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.source_id IS NOT new.source_id THEN ',"2":' || json_array(old.source_id, new.source_id) ELSE '' END
            || CASE WHEN old.target_id IS NOT new.target_id THEN ',"3":' || json_array(old.target_id, new.target_id) ELSE '' END
            || CASE WHEN old.type IS NOT new.type THEN ',"4":' || json_array(old.type, new.type) ELSE '' END
            || CASE WHEN old.confidence IS NOT new.confidence THEN ',"5":' || json_array(old.confidence, new.confidence) ELSE '' END ELSE '' END
            || CASE WHEN (old.strength, old.first_seen, old.last_seen, old.session_key, old.reason) IS NOT (new.strength, new.first_seen, new.last_seen, new.session_key, new.reason) THEN CASE WHEN old.strength IS NOT new.strength THEN ',"6":' || json_array(old.strength, new.strength) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"7":' || json_array(old.first_seen, new.first_seen) ELSE '' END
            || CASE WHEN old.last_seen IS NOT new.last_seen THEN ',"8":' || json_array(old.last_seen, new.last_seen) ELSE '' END
            || CASE WHEN old.session_key IS NOT new.session_key THEN ',"9":' || json_array(old.session_key, new.session_key) ELSE '' END
            || CASE WHEN old.reason IS NOT new.reason THEN ',"10":' || json_array(old.reason, new.reason) ELSE '' END ELSE '' END
            || CASE WHEN (old.metadata, old.reinforcement, old.derived, old.target_ref, old.status) IS NOT (new.metadata, new.reinforcement, new.derived, new.target_ref, new.status) THEN CASE WHEN old.metadata IS NOT new.metadata THEN ',"11":' || json_array(old.metadata, new.metadata) ELSE '' END
            || CASE WHEN old.reinforcement IS NOT new.reinforcement THEN ',"12":' || json_array(old.reinforcement, new.reinforcement) ELSE '' END
            || CASE WHEN old.derived IS NOT new.derived THEN ',"13":' || json_array(old.derived, new.derived) ELSE '' END
            || CASE WHEN old.target_ref IS NOT new.target_ref THEN ',"14":' || json_array(old.target_ref, new.target_ref) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"15":' || json_array(old.status, new.status) ELSE '' END ELSE '' END
            || CASE WHEN (old.absorbed_into, old.status_reason) IS NOT (new.absorbed_into, new.status_reason) THEN CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"16":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"17":' || json_array(old.status_reason, new.status_reason) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER link_deleted AFTER DELETE ON link
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 5, old.id, '-', gd_row(5, CAST(json_array(old.id, old.uid, old.source_id, old.target_id, old.type, old.confidence, old.strength, old.first_seen, old.last_seen, old.session_key, old.reason, old.metadata, old.reinforcement, old.derived, old.target_ref, old.status, old.absorbed_into, old.status_reason) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER mention_made AFTER INSERT ON mention
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 6, new.id, '+', gd_row(6, CAST(json_array(new.id, new.attribute_id, new.entity_id) AS BLOB), 1, new.version));
END;
CREATE TRIGGER mention_changed AFTER UPDATE ON mention
WHEN gd_rows(6, CAST(json_array(old.id, old.attribute_id, old.entity_id) AS BLOB), CAST(json_array(new.id, new.attribute_id, new.entity_id) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 6, new.id, '~', '{' || substr(
            CASE WHEN (old.attribute_id, old.entity_id) IS NOT (new.attribute_id, new.entity_id) THEN CASE WHEN old.attribute_id IS NOT new.attribute_id THEN ',"1":' || json_array(old.attribute_id, new.attribute_id) ELSE '' END
            || CASE WHEN old.entity_id IS NOT new.entity_id THEN ',"2":' || json_array(old.entity_id, new.entity_id) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER mention_deleted AFTER DELETE ON mention
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 6, old.id, '-', gd_row(6, CAST(json_array(old.id, old.attribute_id, old.entity_id) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER evidence_made AFTER INSERT ON evidence
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 7, new.id, '+', gd_row(7, CAST(json_array(new.id, new.attribute_id, new.session_key, new.turn_uid, new.quote, new.seen_at) AS BLOB), 1, new.version));
END;
CREATE TRIGGER evidence_changed AFTER UPDATE ON evidence
WHEN gd_rows(7, CAST(json_array(old.id, old.attribute_id, old.session_key, old.turn_uid, old.quote, old.seen_at) AS BLOB), CAST(json_array(new.id, new.attribute_id, new.session_key, new.turn_uid, new.quote, new.seen_at) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 7, new.id, '~', '{' || substr(
            CASE WHEN (old.attribute_id, old.session_key, old.turn_uid, old.quote, old.seen_at) IS NOT (new.attribute_id, new.session_key, new.turn_uid, new.quote, new.seen_at) THEN CASE WHEN old.attribute_id IS NOT new.attribute_id THEN ',"1":' || json_array(old.attribute_id, new.attribute_id) ELSE '' END
            || CASE WHEN old.session_key IS NOT new.session_key THEN ',"2":' || json_array(old.session_key, new.session_key) ELSE '' END
            || CASE WHEN old.turn_uid IS NOT new.turn_uid THEN ',"3":' || json_array(old.turn_uid, new.turn_uid) ELSE '' END
            || CASE WHEN old.quote IS NOT new.quote THEN ',"4":' || json_array(old.quote, new.quote) ELSE '' END
            || CASE WHEN old.seen_at IS NOT new.seen_at THEN ',"5":' || json_array(old.seen_at, new.seen_at) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER evidence_deleted AFTER DELETE ON evidence
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 7, old.id, '-', gd_row(7, CAST(json_array(old.id, old.attribute_id, old.session_key, old.turn_uid, old.quote, old.seen_at) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER distinct_pair_made AFTER INSERT ON distinct_pair
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 8, new.id, '+', gd_row(8, CAST(json_array(new.id, new.first_id, new.second_id, new.reason) AS BLOB), 1, new.version));
END;
CREATE TRIGGER distinct_pair_changed AFTER UPDATE ON distinct_pair
WHEN gd_rows(8, CAST(json_array(old.id, old.first_id, old.second_id, old.reason) AS BLOB), CAST(json_array(new.id, new.first_id, new.second_id, new.reason) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 8, new.id, '~', '{' || substr(
            CASE WHEN (old.first_id, old.second_id, old.reason) IS NOT (new.first_id, new.second_id, new.reason) THEN CASE WHEN old.first_id IS NOT new.first_id THEN ',"1":' || json_array(old.first_id, new.first_id) ELSE '' END
            || CASE WHEN old.second_id IS NOT new.second_id THEN ',"2":' || json_array(old.second_id, new.second_id) ELSE '' END
            || CASE WHEN old.reason IS NOT new.reason THEN ',"3":' || json_array(old.reason, new.reason) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER distinct_pair_deleted AFTER DELETE ON distinct_pair
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 8, old.id, '-', gd_row(8, CAST(json_array(old.id, old.first_id, old.second_id, old.reason) AS BLOB), -1, gd_pass()));
END;

CREATE TRIGGER contradiction_made AFTER INSERT ON contradiction
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 9, new.id, '+', gd_row(9, CAST(json_array(new.id, new.first_id, new.second_id, new.slot, new.status, new.resolution) AS BLOB), 1, new.version));
END;
CREATE TRIGGER contradiction_changed AFTER UPDATE ON contradiction
WHEN gd_rows(9, CAST(json_array(old.id, old.first_id, old.second_id, old.slot, old.status, old.resolution) AS BLOB), CAST(json_array(new.id, new.first_id, new.second_id, new.slot, new.status, new.resolution) AS BLOB), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 9, new.id, '~', '{' || substr(
            CASE WHEN (old.first_id, old.second_id, old.slot, old.status, old.resolution) IS NOT (new.first_id, new.second_id, new.slot, new.status, new.resolution) THEN CASE WHEN old.first_id IS NOT new.first_id THEN ',"1":' || json_array(old.first_id, new.first_id) ELSE '' END
            || CASE WHEN old.second_id IS NOT new.second_id THEN ',"2":' || json_array(old.second_id, new.second_id) ELSE '' END
            || CASE WHEN old.slot IS NOT new.slot THEN ',"3":' || json_array(old.slot, new.slot) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"4":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.resolution IS NOT new.resolution THEN ',"5":' || json_array(old.resolution, new.resolution) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER contradiction_deleted AFTER DELETE ON contradiction
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 9, old.id, '-', gd_row(9, CAST(json_array(old.id, old.first_id, old.second_id, old.slot, old.status, old.resolution) AS BLOB), -1, gd_pass()));
END;
