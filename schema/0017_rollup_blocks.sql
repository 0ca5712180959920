-- A report of a month over all locations read tens of thousands of rows with a handful of devices each. Now events of a day or a month lie in
-- blocks of locations; and months are added up of their days once they are over, for until then nobody reads them (docs/decisions/0025).
-- No release has the table that goes.
DROP TABLE event_rollup;

-- Geofence events of a day or a month at the locations of a block (src/reports/rollups/encoding/LocationBlock.ts): `visits` holds the figures of each location, `devices` the
-- sets of devices that entered, in the same order. Block 0 stands for all locations, and has no devices.
CREATE TABLE event_rollup (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  span         text NOT NULL CHECK (span IN ('day', 'month')),
  block        integer NOT NULL,
  starts_on    date NOT NULL,
  visits       bytea NOT NULL,
  devices      bytea NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, block, starts_on)
) WITH (toast_tuple_target = 8160);

ALTER TABLE event_rollup ALTER COLUMN visits SET STORAGE EXTERNAL;
ALTER TABLE event_rollup ALTER COLUMN devices SET STORAGE EXTERNAL;

-- There are rows of the months that begin before this day, and of no others.
ALTER TABLE rollup_state ADD COLUMN months_before date NOT NULL DEFAULT '-infinity';

-- All is made anew.
TRUNCATE delivery_rollup;
UPDATE rollup_state SET timezone = '';
