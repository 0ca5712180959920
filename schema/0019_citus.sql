-- What a database on Citus needs (docs/decisions/0061); without Citus the table has no use.

-- A transaction that wrote plain tables of the coordinator and one shard commits the shard without preparing
-- it. A statement on a table that Citus manages makes it commit in two phases. The row never changes.
CREATE TABLE two_phase (
  id integer PRIMARY KEY CHECK (id = 0)
);

INSERT INTO two_phase (id) VALUES (0);
