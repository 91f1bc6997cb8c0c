-- migrations/0006_judged_merges.sql: a verdict covers every pair of a cluster. `direct` is 1 where the pass had made one
-- of the two absorb the other: these are the merges that a rate of false merges counts.
ALTER TABLE rejection ADD COLUMN direct INTEGER NOT NULL DEFAULT 1 CHECK (direct IN (0, 1));
