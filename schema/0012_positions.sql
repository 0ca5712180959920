-- The last known state of devices, from which positions are turned into enters and exits. Rows refer to
-- devices and locations by key and have no foreign keys, as in 0010. The next position of a device drops its
-- rows of deleted locations.

-- The last position that counted (contract L9). A position that is not newer is stale. An update names the
-- position that it replaces and fails if another one came in between, so that a position without transitions
-- needs no lock on its device.
CREATE TABLE device_position (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_key   integer NOT NULL,
  recorded_at  timestamptz NOT NULL,
  previous_at  timestamptz,
  PRIMARY KEY (workspace_id, environment, device_key)
) WITH (fillfactor = 50);

-- Whether a device is inside a location, by its latest enter or exit there, from /events or /positions. A
-- location that was left keeps its row: an enter that is reported late must not move the device back in.
CREATE TABLE device_location (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_key   integer NOT NULL,
  location_key integer NOT NULL,
  inside       boolean NOT NULL,
  changed_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, device_key, location_key)
) WITH (fillfactor = 70);

CREATE INDEX device_location_inside ON device_location (device_key, workspace_id, environment) WHERE inside;
