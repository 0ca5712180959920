-- What is known of where devices are, so that enters and exits are found on the server. Rows name devices and locations by number
-- and have no foreign keys, as events and for the same reasons; a place that is gone is forgotten by the next position.

-- Counts the changes of a tenant's places, in their transactions: who holds its places in memory sees by one number that
-- they are no longer those.
ALTER TABLE tenant ADD COLUMN places_version bigint NOT NULL DEFAULT 0;

-- Tells which shapes have changed. Global, so that it only ever rises.
CREATE SEQUENCE location_revision AS bigint;
ALTER TABLE location ADD COLUMN revision bigint NOT NULL DEFAULT nextval('location_revision');

-- The last position of a device that counted: one that is not newer changes nothing. Who notes a newer one says which one it follows,
-- and fails if that has been followed meanwhile; so a device need not be held for a position that shows nothing.
CREATE TABLE device_fix (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_no    integer NOT NULL,
  recorded_at  timestamptz NOT NULL,
  previous_at  timestamptz,
  PRIMARY KEY (workspace_id, environment, device_no)
) WITH (fillfactor = 50);

-- Whether a device is at a place, by its latest enter or exit there, whether the device said so or a position showed it. A place
-- that was left keeps its row: an enter that is reported late must not bring the device back in.
CREATE TABLE device_place (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_no    integer NOT NULL,
  location_no  integer NOT NULL,
  inside       boolean NOT NULL,
  changed_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, device_no, location_no)
) WITH (fillfactor = 70);

-- Every position asks where its device is.
CREATE INDEX device_place_inside ON device_place (device_no, workspace_id, environment) WHERE inside;
