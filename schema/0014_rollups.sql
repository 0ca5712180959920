-- Roll-ups: what the reports count, added up by local day and by month, so that a year is read in milliseconds (docs/decisions/0025).
-- Every statement that writes base rows also writes, in its transaction, feed rows that say what it added. A chore takes feed
-- rows, adds them to the roll-ups and deletes them, in one transaction. So in every snapshot the roll-ups and the feed together
-- are exactly the base rows, in whatever order transactions commit.

-- What each environment's roll-ups are made by. They are complete when `fed_until` is infinity; until then base rows from that instant on
-- have yet to be added up, and reports read base rows. `devices` is how many devices are registered but for what `device_feed` says; null until
-- they are counted.
CREATE TABLE rollup_state (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  timezone     text NOT NULL,
  fed_until    timestamptz NOT NULL,
  devices      bigint,
  PRIMARY KEY (workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Deliveries that were settled and are not rolled up. A quarter of an hour never spans midnight in any zone: offsets are its multiples.
CREATE TABLE delivery_feed (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  id              bigint GENERATED ALWAYS AS IDENTITY,
  quarter         timestamptz NOT NULL,
  campaign_no     integer NOT NULL,
  notification_no integer NOT NULL,
  content_type    text NOT NULL,
  trigger_type    text NOT NULL,
  status          text NOT NULL,
  device_nos      integer[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Geofence events that are not rolled up. The arrays are parallel.
CREATE TABLE event_feed (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           bigint GENERATED ALWAYS AS IDENTITY,
  quarter      timestamptz NOT NULL,
  device_nos   integer[] NOT NULL,
  location_nos integer[] NOT NULL,
  types        text[] NOT NULL,
  event_ids    uuid[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Devices that were registered or unregistered and are not counted in `rollup_state`.
CREATE TABLE device_feed (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           bigint GENERATED ALWAYS AS IDENTITY,
  change       bigint NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Deliveries of a day or a month. Number 0 and type '' stand for all of them. `devices` holds the devices reached (src/reports/rollups/encoding/DeviceSet.ts),
-- and `reached` tells how many they are. What is filtered by stands before the day in the key, so that a year of it lies together.
CREATE TABLE delivery_rollup (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  span            text NOT NULL CHECK (span IN ('day', 'month')),
  campaign_no     integer NOT NULL,
  notification_no integer NOT NULL,
  content_type    text NOT NULL,
  trigger_type    text NOT NULL,
  starts_on       date NOT NULL,
  delivered       bigint NOT NULL,
  failed          bigint NOT NULL,
  reached         integer NOT NULL,
  devices         bytea NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, campaign_no, starts_on, notification_no, content_type, trigger_type)
);

-- Geofence events of a day or a month. Location 0 stands for all of them, and has no devices. `stays` are the entries that an exit followed, however
-- much later, and `stayed` is how long they took together, in microseconds.
CREATE TABLE event_rollup (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  span         text NOT NULL CHECK (span IN ('day', 'month')),
  location_no  integer NOT NULL,
  starts_on    date NOT NULL,
  entries      bigint NOT NULL,
  exits        bigint NOT NULL,
  stays        bigint NOT NULL,
  stayed       bigint NOT NULL,
  devices      bytea NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, location_no, starts_on)
);

-- Sets of devices are packed as they are; to try to compress them costs more than it saves.
ALTER TABLE delivery_rollup ALTER COLUMN devices SET STORAGE EXTERNAL;
ALTER TABLE event_rollup ALTER COLUMN devices SET STORAGE EXTERNAL;

CREATE FUNCTION feed_new_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO delivery_feed
    (workspace_id, environment, quarter, campaign_no, notification_no, content_type, trigger_type, status, device_nos)
  SELECT workspace_id, environment, date_bin('15 minutes', settled_at, 'epoch'), campaign_no, notification_no, content_type,
    trigger_type, status, array_agg(device_no)
  FROM fresh WHERE settled_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
  RETURN NULL;
END $$;

CREATE TRIGGER delivery_feeds AFTER INSERT ON delivery REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION feed_new_deliveries();

CREATE FUNCTION feed_settled_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO delivery_feed
    (workspace_id, environment, quarter, campaign_no, notification_no, content_type, trigger_type, status, device_nos)
  SELECT workspace_id, environment, date_bin('15 minutes', fresh.settled_at, 'epoch'), fresh.campaign_no, fresh.notification_no,
    fresh.content_type, fresh.trigger_type, fresh.status, array_agg(device_no)
  FROM fresh JOIN stale USING (workspace_id, environment, origin, device_no)
  WHERE fresh.settled_at IS NOT NULL AND stale.settled_at IS NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
  RETURN NULL;
END $$;

CREATE TRIGGER delivery_feeds_settled AFTER UPDATE ON delivery REFERENCING OLD TABLE AS stale NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION feed_settled_deliveries();

-- Waypost never changes what was settled. Where somebody does by hand, the roll-ups are made anew, and base rows answer until then.
CREATE FUNCTION distrust_rollups() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE rollup_state SET timezone = ''
  WHERE workspace_id = OLD.workspace_id AND environment = OLD.environment AND timezone <> '';
  RETURN NULL;
END $$;

CREATE TRIGGER delivery_changed_after_settling AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (OLD.settled_at IS NOT NULL AND (
    OLD.settled_at IS DISTINCT FROM NEW.settled_at OR OLD.status <> NEW.status OR OLD.device_no <> NEW.device_no
    OR OLD.campaign_no <> NEW.campaign_no OR OLD.notification_no <> NEW.notification_no
    OR OLD.content_type <> NEW.content_type OR OLD.trigger_type <> NEW.trigger_type))
  EXECUTE FUNCTION distrust_rollups();

CREATE TRIGGER geofence_event_changed AFTER UPDATE ON geofence_event FOR EACH ROW EXECUTE FUNCTION distrust_rollups();

-- An entry's next exit, and what an exit ends, are found among what the device did at the place, not among all that it ever did.
CREATE INDEX geofence_event_stays ON geofence_event (device_no, location_no, occurred_at, workspace_id, environment);

CREATE FUNCTION feed_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_feed (workspace_id, environment, quarter, device_nos, location_nos, types, event_ids)
  SELECT workspace_id, environment, date_bin('15 minutes', occurred_at, 'epoch'),
    array_agg(device_no), array_agg(location_no), array_agg(type), array_agg(id)
  FROM fresh
  GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;

CREATE TRIGGER geofence_event_feeds AFTER INSERT ON geofence_event REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION feed_events();

CREATE FUNCTION feed_new_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO device_feed (workspace_id, environment, change)
  SELECT workspace_id, environment, count(*) FROM fresh WHERE unregistered_at IS NULL GROUP BY 1, 2;
  RETURN NULL;
END $$;

CREATE TRIGGER device_feeds AFTER INSERT ON device REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION feed_new_devices();

CREATE FUNCTION feed_changed_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO device_feed (workspace_id, environment, change)
  VALUES (NEW.workspace_id, NEW.environment, CASE WHEN NEW.unregistered_at IS NULL THEN 1 ELSE -1 END);
  RETURN NULL;
END $$;

CREATE TRIGGER device_feeds_changed AFTER UPDATE ON device FOR EACH ROW
  WHEN ((OLD.unregistered_at IS NULL) <> (NEW.unregistered_at IS NULL)) EXECUTE FUNCTION feed_changed_device();

-- What there was before has to be rolled up: by no zone yet.
INSERT INTO rollup_state (workspace_id, environment, timezone, fed_until)
SELECT workspace_id, environment, '', 'infinity' FROM tenant;
