-- migrations/0004_name_index.sql: names and aliases by their trigrams, so that an incremental pass finds what could
-- be the same entity without reading the graph. One document an active entity, kept at the end of each pass.
CREATE VIRTUAL TABLE name_index USING fts5 (names, tokenize = "trigram");

-- Files that were made before have names already.
INSERT INTO name_index (rowid, names)
SELECT entity.id, entity.canonical || coalesce(char(10) || group_concat(alias.canonical, char(10)), '')
FROM entity LEFT JOIN alias ON alias.entity_id = entity.id
WHERE entity.status = 'active'
GROUP BY entity.id;
