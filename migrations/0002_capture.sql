-- migrations/0002_capture.sql: no graph row changes without its journal entry.
-- Made by: python -m graphdream.graph.capture

CREATE TRIGGER entity_made AFTER INSERT ON entity
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 1, new.id, '+', gd_row(1, json_array(new.id, new.uid, new.name, new.canonical, new.type, new.pinned, new.importance, new.mentions, new.status, new.absorbed_into, new.status_reason, new.first_seen, new.last_seen, new.sessions, new.derived, new.metadata), 1, new.version));
END;
CREATE TRIGGER entity_changed AFTER UPDATE ON entity
WHEN gd_rows(1, json_array(old.id, old.uid, old.name, old.canonical, old.type, old.pinned, old.importance, old.mentions, old.status, old.absorbed_into, old.status_reason, old.first_seen, old.last_seen, old.sessions, old.derived, old.metadata), json_array(new.id, new.uid, new.name, new.canonical, new.type, new.pinned, new.importance, new.mentions, new.status, new.absorbed_into, new.status_reason, new.first_seen, new.last_seen, new.sessions, new.derived, new.metadata), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 1, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.name, old.canonical, old.type, old.pinned) IS NOT (new.uid, new.name, new.canonical, new.type, new.pinned) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"uid":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.name IS NOT new.name THEN ',"name":' || json_array(old.name, new.name) ELSE '' END
            || CASE WHEN old.canonical IS NOT new.canonical THEN ',"canonical":' || json_array(old.canonical, new.canonical) ELSE '' END
            || CASE WHEN old.type IS NOT new.type THEN ',"type":' || json_array(old.type, new.type) ELSE '' END
            || CASE WHEN old.pinned IS NOT new.pinned THEN ',"pinned":' || json_array(old.pinned, new.pinned) ELSE '' END ELSE '' END
            || CASE WHEN (old.importance, old.mentions, old.status, old.absorbed_into, old.status_reason) IS NOT (new.importance, new.mentions, new.status, new.absorbed_into, new.status_reason) THEN CASE WHEN old.importance IS NOT new.importance THEN ',"importance":' || json_array(old.importance, new.importance) ELSE '' END
            || CASE WHEN old.mentions IS NOT new.mentions THEN ',"mentions":' || json_array(old.mentions, new.mentions) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"status":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"absorbed_into":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"status_reason":' || json_array(old.status_reason, new.status_reason) ELSE '' END ELSE '' END
            || CASE WHEN (old.first_seen, old.last_seen, old.sessions, old.derived, old.metadata) IS NOT (new.first_seen, new.last_seen, new.sessions, new.derived, new.metadata) THEN CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"first_seen":' || json_array(old.first_seen, new.first_seen) ELSE '' END
            || CASE WHEN old.last_seen IS NOT new.last_seen THEN ',"last_seen":' || json_array(old.last_seen, new.last_seen) ELSE '' END
            || CASE WHEN old.sessions IS NOT new.sessions THEN ',"sessions":' || json_array(old.sessions, new.sessions) ELSE '' END
            || CASE WHEN old.derived IS NOT new.derived THEN ',"derived":' || json_array(old.derived, new.derived) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"metadata":' || json_array(old.metadata, new.metadata) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER entity_deleted AFTER DELETE ON entity
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 1, old.id, '-', gd_row(1, json_array(old.id, old.uid, old.name, old.canonical, old.type, old.pinned, old.importance, old.mentions, old.status, old.absorbed_into, old.status_reason, old.first_seen, old.last_seen, old.sessions, old.derived, old.metadata), -1, gd_pass()));
END;

CREATE TRIGGER alias_made AFTER INSERT ON alias
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 2, new.id, '+', gd_row(2, json_array(new.id, new.entity_id, new.name, new.canonical, new.source), 1, new.version));
END;
CREATE TRIGGER alias_changed AFTER UPDATE ON alias
WHEN gd_rows(2, json_array(old.id, old.entity_id, old.name, old.canonical, old.source), json_array(new.id, new.entity_id, new.name, new.canonical, new.source), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 2, new.id, '~', '{' || substr(
            CASE WHEN (old.entity_id, old.name, old.canonical, old.source) IS NOT (new.entity_id, new.name, new.canonical, new.source) THEN CASE WHEN old.entity_id IS NOT new.entity_id THEN ',"entity_id":' || json_array(old.entity_id, new.entity_id) ELSE '' END
            || CASE WHEN old.name IS NOT new.name THEN ',"name":' || json_array(old.name, new.name) ELSE '' END
            || CASE WHEN old.canonical IS NOT new.canonical THEN ',"canonical":' || json_array(old.canonical, new.canonical) ELSE '' END
            || CASE WHEN old.source IS NOT new.source THEN ',"source":' || json_array(old.source, new.source) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER alias_deleted AFTER DELETE ON alias
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 2, old.id, '-', gd_row(2, json_array(old.id, old.entity_id, old.name, old.canonical, old.source), -1, gd_pass()));
END;

CREATE TRIGGER aspect_made AFTER INSERT ON aspect
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 3, new.id, '+', gd_row(3, json_array(new.id, new.uid, new.entity_id, new.name, new.canonical, new.weight, new.status, new.absorbed_into, new.status_reason, new.first_seen, new.metadata), 1, new.version));
END;
CREATE TRIGGER aspect_changed AFTER UPDATE ON aspect
WHEN gd_rows(3, json_array(old.id, old.uid, old.entity_id, old.name, old.canonical, old.weight, old.status, old.absorbed_into, old.status_reason, old.first_seen, old.metadata), json_array(new.id, new.uid, new.entity_id, new.name, new.canonical, new.weight, new.status, new.absorbed_into, new.status_reason, new.first_seen, new.metadata), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 3, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.entity_id, old.name, old.canonical, old.weight) IS NOT (new.uid, new.entity_id, new.name, new.canonical, new.weight) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"uid":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.entity_id IS NOT new.entity_id THEN ',"entity_id":' || json_array(old.entity_id, new.entity_id) ELSE '' END
            || CASE WHEN old.name IS NOT new.name THEN ',"name":' || json_array(old.name, new.name) ELSE '' END
            || CASE WHEN old.canonical IS NOT new.canonical THEN ',"canonical":' || json_array(old.canonical, new.canonical) ELSE '' END
            || CASE WHEN old.weight IS NOT new.weight THEN ',"weight":' || json_array(old.weight, new.weight) ELSE '' END ELSE '' END
            || CASE WHEN (old.status, old.absorbed_into, old.status_reason, old.first_seen, old.metadata) IS NOT (new.status, new.absorbed_into, new.status_reason, new.first_seen, new.metadata) THEN CASE WHEN old.status IS NOT new.status THEN ',"status":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"absorbed_into":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"status_reason":' || json_array(old.status_reason, new.status_reason) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"first_seen":' || json_array(old.first_seen, new.first_seen) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"metadata":' || json_array(old.metadata, new.metadata) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER aspect_deleted AFTER DELETE ON aspect
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 3, old.id, '-', gd_row(3, json_array(old.id, old.uid, old.entity_id, old.name, old.canonical, old.weight, old.status, old.absorbed_into, old.status_reason, old.first_seen, old.metadata), -1, gd_pass()));
END;

CREATE TRIGGER attribute_made AFTER INSERT ON attribute
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 4, new.id, '+', gd_row(4, json_array(new.id, new.uid, new.aspect_id, new.content, new.digest, new.kind, new.status, new.superseded_by, new.absorbed_into, new.status_reason, new.slot, new.confidence, new.importance, new.tags, new.metadata, new.authority, new.derived, new.session_key, new.source, new.first_seen, new.last_seen, new.reinforcement, new.valid_from, new.valid_to, new.occurred_at, new.time_precision, new.review_after), 1, new.version));
END;
CREATE TRIGGER attribute_changed AFTER UPDATE ON attribute
WHEN gd_rows(4, json_array(old.id, old.uid, old.aspect_id, old.content, old.digest, old.kind, old.status, old.superseded_by, old.absorbed_into, old.status_reason, old.slot, old.confidence, old.importance, old.tags, old.metadata, old.authority, old.derived, old.session_key, old.source, old.first_seen, old.last_seen, old.reinforcement, old.valid_from, old.valid_to, old.occurred_at, old.time_precision, old.review_after), json_array(new.id, new.uid, new.aspect_id, new.content, new.digest, new.kind, new.status, new.superseded_by, new.absorbed_into, new.status_reason, new.slot, new.confidence, new.importance, new.tags, new.metadata, new.authority, new.derived, new.session_key, new.source, new.first_seen, new.last_seen, new.reinforcement, new.valid_from, new.valid_to, new.occurred_at, new.time_precision, new.review_after), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 4, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.aspect_id, old.content, old.digest, old.kind) IS NOT (new.uid, new.aspect_id, new.content, new.digest, new.kind) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"uid":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.aspect_id IS NOT new.aspect_id THEN ',"aspect_id":' || json_array(old.aspect_id, new.aspect_id) ELSE '' END
            || CASE WHEN old.content IS NOT new.content THEN ',"content":' || json_array(old.content, new.content) ELSE '' END
            || CASE WHEN old.digest IS NOT new.digest THEN ',"digest":' || json_array(old.digest, new.digest) ELSE '' END
            || CASE WHEN old.kind IS NOT new.kind THEN ',"kind":' || json_array(old.kind, new.kind) ELSE '' END ELSE '' END
            || CASE WHEN (old.status, old.superseded_by, old.absorbed_into, old.status_reason, old.slot) IS NOT (new.status, new.superseded_by, new.absorbed_into, new.status_reason, new.slot) THEN CASE WHEN old.status IS NOT new.status THEN ',"status":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.superseded_by IS NOT new.superseded_by THEN ',"superseded_by":' || json_array(old.superseded_by, new.superseded_by) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"absorbed_into":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END
            || CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"status_reason":' || json_array(old.status_reason, new.status_reason) ELSE '' END
            || CASE WHEN old.slot IS NOT new.slot THEN ',"slot":' || json_array(old.slot, new.slot) ELSE '' END ELSE '' END
            || CASE WHEN (old.confidence, old.importance, old.tags, old.metadata, old.authority) IS NOT (new.confidence, new.importance, new.tags, new.metadata, new.authority) THEN CASE WHEN old.confidence IS NOT new.confidence THEN ',"confidence":' || json_array(old.confidence, new.confidence) ELSE '' END
            || CASE WHEN old.importance IS NOT new.importance THEN ',"importance":' || json_array(old.importance, new.importance) ELSE '' END
            || CASE WHEN old.tags IS NOT new.tags THEN ',"tags":' || json_array(old.tags, new.tags) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"metadata":' || json_array(old.metadata, new.metadata) ELSE '' END
            || CASE WHEN old.authority IS NOT new.authority THEN ',"authority":' || json_array(old.authority, new.authority) ELSE '' END ELSE '' END
            || CASE WHEN (old.derived, old.session_key, old.source, old.first_seen, old.last_seen) IS NOT (new.derived, new.session_key, new.source, new.first_seen, new.last_seen) THEN CASE WHEN old.derived IS NOT new.derived THEN ',"derived":' || json_array(old.derived, new.derived) ELSE '' END
            || CASE WHEN old.session_key IS NOT new.session_key THEN ',"session_key":' || json_array(old.session_key, new.session_key) ELSE '' END
            || CASE WHEN old.source IS NOT new.source THEN ',"source":' || json_array(old.source, new.source) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"first_seen":' || json_array(old.first_seen, new.first_seen) ELSE '' END
            || CASE WHEN old.last_seen IS NOT new.last_seen THEN ',"last_seen":' || json_array(old.last_seen, new.last_seen) ELSE '' END ELSE '' END
            || CASE WHEN (old.reinforcement, old.valid_from, old.valid_to, old.occurred_at, old.time_precision) IS NOT (new.reinforcement, new.valid_from, new.valid_to, new.occurred_at, new.time_precision) THEN CASE WHEN old.reinforcement IS NOT new.reinforcement THEN ',"reinforcement":' || json_array(old.reinforcement, new.reinforcement) ELSE '' END
            || CASE WHEN old.valid_from IS NOT new.valid_from THEN ',"valid_from":' || json_array(old.valid_from, new.valid_from) ELSE '' END
            || CASE WHEN old.valid_to IS NOT new.valid_to THEN ',"valid_to":' || json_array(old.valid_to, new.valid_to) ELSE '' END
            || CASE WHEN old.occurred_at IS NOT new.occurred_at THEN ',"occurred_at":' || json_array(old.occurred_at, new.occurred_at) ELSE '' END
            || CASE WHEN old.time_precision IS NOT new.time_precision THEN ',"time_precision":' || json_array(old.time_precision, new.time_precision) ELSE '' END ELSE '' END
            || CASE WHEN old.review_after IS NOT new.review_after THEN ',"review_after":' || json_array(old.review_after, new.review_after) ELSE '' END, 2) || '}');
END;
CREATE TRIGGER attribute_deleted AFTER DELETE ON attribute
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 4, old.id, '-', gd_row(4, json_array(old.id, old.uid, old.aspect_id, old.content, old.digest, old.kind, old.status, old.superseded_by, old.absorbed_into, old.status_reason, old.slot, old.confidence, old.importance, old.tags, old.metadata, old.authority, old.derived, old.session_key, old.source, old.first_seen, old.last_seen, old.reinforcement, old.valid_from, old.valid_to, old.occurred_at, old.time_precision, old.review_after), -1, gd_pass()));
END;

CREATE TRIGGER link_made AFTER INSERT ON link
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 5, new.id, '+', gd_row(5, json_array(new.id, new.uid, new.source_id, new.target_id, new.target_ref, new.type, new.strength, new.confidence, new.reason, new.status, new.absorbed_into, new.status_reason, new.session_key, new.first_seen, new.last_seen, new.reinforcement, new.derived, new.metadata), 1, new.version));
END;
CREATE TRIGGER link_changed AFTER UPDATE ON link
WHEN gd_rows(5, json_array(old.id, old.uid, old.source_id, old.target_id, old.target_ref, old.type, old.strength, old.confidence, old.reason, old.status, old.absorbed_into, old.status_reason, old.session_key, old.first_seen, old.last_seen, old.reinforcement, old.derived, old.metadata), json_array(new.id, new.uid, new.source_id, new.target_id, new.target_ref, new.type, new.strength, new.confidence, new.reason, new.status, new.absorbed_into, new.status_reason, new.session_key, new.first_seen, new.last_seen, new.reinforcement, new.derived, new.metadata), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 5, new.id, '~', '{' || substr(
            CASE WHEN (old.uid, old.source_id, old.target_id, old.target_ref, old.type) IS NOT (new.uid, new.source_id, new.target_id, new.target_ref, new.type) THEN CASE WHEN old.uid IS NOT new.uid THEN ',"uid":' || json_array(old.uid, new.uid) ELSE '' END
            || CASE WHEN old.source_id IS NOT new.source_id THEN ',"source_id":' || json_array(old.source_id, new.source_id) ELSE '' END
            || CASE WHEN old.target_id IS NOT new.target_id THEN ',"target_id":' || json_array(old.target_id, new.target_id) ELSE '' END
            || CASE WHEN old.target_ref IS NOT new.target_ref THEN ',"target_ref":' || json_array(old.target_ref, new.target_ref) ELSE '' END
            || CASE WHEN old.type IS NOT new.type THEN ',"type":' || json_array(old.type, new.type) ELSE '' END ELSE '' END
            || CASE WHEN (old.strength, old.confidence, old.reason, old.status, old.absorbed_into) IS NOT (new.strength, new.confidence, new.reason, new.status, new.absorbed_into) THEN CASE WHEN old.strength IS NOT new.strength THEN ',"strength":' || json_array(old.strength, new.strength) ELSE '' END
            || CASE WHEN old.confidence IS NOT new.confidence THEN ',"confidence":' || json_array(old.confidence, new.confidence) ELSE '' END
            || CASE WHEN old.reason IS NOT new.reason THEN ',"reason":' || json_array(old.reason, new.reason) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"status":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.absorbed_into IS NOT new.absorbed_into THEN ',"absorbed_into":' || json_array(old.absorbed_into, new.absorbed_into) ELSE '' END ELSE '' END
            || CASE WHEN (old.status_reason, old.session_key, old.first_seen, old.last_seen, old.reinforcement) IS NOT (new.status_reason, new.session_key, new.first_seen, new.last_seen, new.reinforcement) THEN CASE WHEN old.status_reason IS NOT new.status_reason THEN ',"status_reason":' || json_array(old.status_reason, new.status_reason) ELSE '' END
            || CASE WHEN old.session_key IS NOT new.session_key THEN ',"session_key":' || json_array(old.session_key, new.session_key) ELSE '' END
            || CASE WHEN old.first_seen IS NOT new.first_seen THEN ',"first_seen":' || json_array(old.first_seen, new.first_seen) ELSE '' END
            || CASE WHEN old.last_seen IS NOT new.last_seen THEN ',"last_seen":' || json_array(old.last_seen, new.last_seen) ELSE '' END
            || CASE WHEN old.reinforcement IS NOT new.reinforcement THEN ',"reinforcement":' || json_array(old.reinforcement, new.reinforcement) ELSE '' END ELSE '' END
            || CASE WHEN (old.derived, old.metadata) IS NOT (new.derived, new.metadata) THEN CASE WHEN old.derived IS NOT new.derived THEN ',"derived":' || json_array(old.derived, new.derived) ELSE '' END
            || CASE WHEN old.metadata IS NOT new.metadata THEN ',"metadata":' || json_array(old.metadata, new.metadata) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER link_deleted AFTER DELETE ON link
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 5, old.id, '-', gd_row(5, json_array(old.id, old.uid, old.source_id, old.target_id, old.target_ref, old.type, old.strength, old.confidence, old.reason, old.status, old.absorbed_into, old.status_reason, old.session_key, old.first_seen, old.last_seen, old.reinforcement, old.derived, old.metadata), -1, gd_pass()));
END;

CREATE TRIGGER mention_made AFTER INSERT ON mention
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 6, new.id, '+', gd_row(6, json_array(new.id, new.attribute_id, new.entity_id), 1, new.version));
END;
CREATE TRIGGER mention_changed AFTER UPDATE ON mention
WHEN gd_rows(6, json_array(old.id, old.attribute_id, old.entity_id), json_array(new.id, new.attribute_id, new.entity_id), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 6, new.id, '~', '{' || substr(
            CASE WHEN (old.attribute_id, old.entity_id) IS NOT (new.attribute_id, new.entity_id) THEN CASE WHEN old.attribute_id IS NOT new.attribute_id THEN ',"attribute_id":' || json_array(old.attribute_id, new.attribute_id) ELSE '' END
            || CASE WHEN old.entity_id IS NOT new.entity_id THEN ',"entity_id":' || json_array(old.entity_id, new.entity_id) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER mention_deleted AFTER DELETE ON mention
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 6, old.id, '-', gd_row(6, json_array(old.id, old.attribute_id, old.entity_id), -1, gd_pass()));
END;

CREATE TRIGGER evidence_made AFTER INSERT ON evidence
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 7, new.id, '+', gd_row(7, json_array(new.id, new.attribute_id, new.session_key, new.turn_uid, new.quote, new.seen_at), 1, new.version));
END;
CREATE TRIGGER evidence_changed AFTER UPDATE ON evidence
WHEN gd_rows(7, json_array(old.id, old.attribute_id, old.session_key, old.turn_uid, old.quote, old.seen_at), json_array(new.id, new.attribute_id, new.session_key, new.turn_uid, new.quote, new.seen_at), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 7, new.id, '~', '{' || substr(
            CASE WHEN (old.attribute_id, old.session_key, old.turn_uid, old.quote, old.seen_at) IS NOT (new.attribute_id, new.session_key, new.turn_uid, new.quote, new.seen_at) THEN CASE WHEN old.attribute_id IS NOT new.attribute_id THEN ',"attribute_id":' || json_array(old.attribute_id, new.attribute_id) ELSE '' END
            || CASE WHEN old.session_key IS NOT new.session_key THEN ',"session_key":' || json_array(old.session_key, new.session_key) ELSE '' END
            || CASE WHEN old.turn_uid IS NOT new.turn_uid THEN ',"turn_uid":' || json_array(old.turn_uid, new.turn_uid) ELSE '' END
            || CASE WHEN old.quote IS NOT new.quote THEN ',"quote":' || json_array(old.quote, new.quote) ELSE '' END
            || CASE WHEN old.seen_at IS NOT new.seen_at THEN ',"seen_at":' || json_array(old.seen_at, new.seen_at) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER evidence_deleted AFTER DELETE ON evidence
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 7, old.id, '-', gd_row(7, json_array(old.id, old.attribute_id, old.session_key, old.turn_uid, old.quote, old.seen_at), -1, gd_pass()));
END;

CREATE TRIGGER distinct_pair_made AFTER INSERT ON distinct_pair
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 8, new.id, '+', gd_row(8, json_array(new.id, new.first_id, new.second_id, new.reason), 1, new.version));
END;
CREATE TRIGGER distinct_pair_changed AFTER UPDATE ON distinct_pair
WHEN gd_rows(8, json_array(old.id, old.first_id, old.second_id, old.reason), json_array(new.id, new.first_id, new.second_id, new.reason), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 8, new.id, '~', '{' || substr(
            CASE WHEN (old.first_id, old.second_id, old.reason) IS NOT (new.first_id, new.second_id, new.reason) THEN CASE WHEN old.first_id IS NOT new.first_id THEN ',"first_id":' || json_array(old.first_id, new.first_id) ELSE '' END
            || CASE WHEN old.second_id IS NOT new.second_id THEN ',"second_id":' || json_array(old.second_id, new.second_id) ELSE '' END
            || CASE WHEN old.reason IS NOT new.reason THEN ',"reason":' || json_array(old.reason, new.reason) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER distinct_pair_deleted AFTER DELETE ON distinct_pair
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 8, old.id, '-', gd_row(8, json_array(old.id, old.first_id, old.second_id, old.reason), -1, gd_pass()));
END;

CREATE TRIGGER contradiction_made AFTER INSERT ON contradiction
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 9, new.id, '+', gd_row(9, json_array(new.id, new.first_id, new.second_id, new.slot, new.status, new.resolution), 1, new.version));
END;
CREATE TRIGGER contradiction_changed AFTER UPDATE ON contradiction
WHEN gd_rows(9, json_array(old.id, old.first_id, old.second_id, old.slot, old.status, old.resolution), json_array(new.id, new.first_id, new.second_id, new.slot, new.status, new.resolution), new.version)
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (new.version, 9, new.id, '~', '{' || substr(
            CASE WHEN (old.first_id, old.second_id, old.slot, old.status, old.resolution) IS NOT (new.first_id, new.second_id, new.slot, new.status, new.resolution) THEN CASE WHEN old.first_id IS NOT new.first_id THEN ',"first_id":' || json_array(old.first_id, new.first_id) ELSE '' END
            || CASE WHEN old.second_id IS NOT new.second_id THEN ',"second_id":' || json_array(old.second_id, new.second_id) ELSE '' END
            || CASE WHEN old.slot IS NOT new.slot THEN ',"slot":' || json_array(old.slot, new.slot) ELSE '' END
            || CASE WHEN old.status IS NOT new.status THEN ',"status":' || json_array(old.status, new.status) ELSE '' END
            || CASE WHEN old.resolution IS NOT new.resolution THEN ',"resolution":' || json_array(old.resolution, new.resolution) ELSE '' END ELSE '' END, 2) || '}');
END;
CREATE TRIGGER contradiction_deleted AFTER DELETE ON contradiction
BEGIN
    INSERT INTO change (pass_id, kind, row_id, op, diff)
    VALUES (gd_pass(), 9, old.id, '-', gd_row(9, json_array(old.id, old.first_id, old.second_id, old.slot, old.status, old.resolution), -1, gd_pass()));
END;
