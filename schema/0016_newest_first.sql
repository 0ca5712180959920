-- Roll-ups that are made anew begin with the newest base rows, for those are asked for most, and reports read what there is of them: base rows only for
-- the time before it (docs/decisions/0025).

-- The base rows from this instant on are rolled up; all of them when it is -infinity. While they are not, `fed_until`, by which processes of the version
-- before tell whether roll-ups are complete, is -infinity too, so their reports read base rows.
ALTER TABLE rollup_state ADD COLUMN rolled_from timestamptz NOT NULL DEFAULT '-infinity';

-- What is half made from the oldest rows on is made anew.
UPDATE rollup_state SET timezone = '' WHERE fed_until < 'infinity';
