-- Rollups: the figures of reports, added up by local day and by month, so that a year is read in milliseconds
-- (docs/decisions/0025).
--
-- A statement that writes source rows (deliveries, events, answers, devices) also writes their deltas
-- (src/deltas/DeltasSql.ts). A job adds deltas to the rollups and deletes them, in one transaction. So in
-- every snapshot the rollups plus the deltas equal the source rows, whatever the order of commits.

-- What the rollups of an environment cover.
CREATE TABLE rollup_state (
  workspace_id   integer NOT NULL,
  environment    text NOT NULL,
  -- The time zone of the days; empty when the rollups are invalid and have to be rebuilt.
  timezone       text NOT NULL,
  -- Source rows from this instant on are rolled up: all of them when it is -infinity. A rebuild starts with
  -- the newest rows, which are read most; reports read the older ones from the source rows until it is done.
  rolled_up_from timestamptz NOT NULL DEFAULT '-infinity',
  -- Month rows exist for the months that begin before this day.
  months_before  date NOT NULL DEFAULT '-infinity',
  -- Registered devices, without device_delta; null until they are counted.
  devices        bigint,
  PRIMARY KEY (workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Deliveries that were settled and are not rolled up yet. A quarter of an hour never spans midnight in any
-- time zone: all offsets are multiples of it.
CREATE TABLE delivery_delta (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               bigint GENERATED ALWAYS AS IDENTITY,
  quarter          timestamptz NOT NULL,
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  content_type     text NOT NULL,
  trigger_type     text NOT NULL,
  status           text NOT NULL,
  device_keys      integer[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Geofence events that are not rolled up yet, in parallel arrays.
CREATE TABLE event_delta (
  workspace_id  integer NOT NULL,
  environment   text NOT NULL,
  id            bigint GENERATED ALWAYS AS IDENTITY,
  quarter       timestamptz NOT NULL,
  device_keys   integer[] NOT NULL,
  location_keys integer[] NOT NULL,
  types         text[] NOT NULL,
  event_ids     uuid[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Deliveries that were opened or clicked, and devices that answered a survey of a campaign first, and are not
-- rolled up yet. Of answers, the trigger is ''.
CREATE TABLE interaction_delta (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               bigint GENERATED ALWAYS AS IDENTITY,
  quarter          timestamptz NOT NULL,
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  content_type     text NOT NULL,
  trigger_type     text NOT NULL,
  opened           integer NOT NULL DEFAULT 0,
  clicked          integer NOT NULL DEFAULT 0,
  responses        integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Answers to questions that are not rolled up yet, dated by the device's first answer to the survey. An
-- answer that is replaced has a change of -1. `value` is that of answer_value.
CREATE TABLE answer_delta (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               bigint GENERATED ALWAYS AS IDENTITY,
  quarter          timestamptz NOT NULL,
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  question_id      uuid NOT NULL,
  value            text NOT NULL,
  change           integer NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Devices that were registered or unregistered and are not counted in rollup_state yet.
CREATE TABLE device_delta (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           bigint GENERATED ALWAYS AS IDENTITY,
  change       bigint NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Deliveries of a day or a month. Key 0 and type '' stand for all. `devices` is the set of devices reached
-- (src/reports/rollups/encoding/DeviceSet.ts), `reached` its size. The campaign stands before the day in the
-- key, so that its rows of a year lie together.
CREATE TABLE delivery_rollup (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  span             text NOT NULL CHECK (span IN ('day', 'month')),
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  content_type     text NOT NULL,
  trigger_type     text NOT NULL,
  starts_on        date NOT NULL,
  delivered        bigint NOT NULL,
  failed           bigint NOT NULL,
  reached          integer NOT NULL,
  devices          bytea NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, campaign_key, starts_on, notification_key, content_type,
    trigger_type)
);

-- Interactions and responses of a day or a month, as in interaction_delta.
CREATE TABLE interaction_rollup (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  span             text NOT NULL CHECK (span IN ('day', 'month')),
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  content_type     text NOT NULL,
  trigger_type     text NOT NULL,
  starts_on        date NOT NULL,
  opened           bigint NOT NULL,
  clicked          bigint NOT NULL,
  responses        bigint NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, starts_on, campaign_key, notification_key, content_type,
    trigger_type)
);

-- Answers to a question of a day or a month: `counts` has how often each value was given, by the value. The
-- survey stands before the day in the key, so that its rows of a year lie together.
CREATE TABLE answer_rollup (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  span             text NOT NULL CHECK (span IN ('day', 'month')),
  notification_key integer NOT NULL,
  campaign_key     integer NOT NULL,
  starts_on        date NOT NULL,
  question_id      uuid NOT NULL,
  counts           jsonb NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, notification_key, campaign_key, starts_on, question_id)
);

-- Geofence events of a day or a month at a block of locations
-- (src/reports/rollups/encoding/LocationBlock.ts): `figures` holds those of each location, `devices` the sets
-- of devices that entered, in the same order. Block 0 stands for all locations and has no devices.
CREATE TABLE event_rollup (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  span         text NOT NULL CHECK (span IN ('day', 'month')),
  block        integer NOT NULL,
  starts_on    date NOT NULL,
  figures      bytea NOT NULL,
  devices      bytea NOT NULL,
  PRIMARY KEY (workspace_id, environment, span, block, starts_on)
) WITH (toast_tuple_target = 8160);

-- The columns are compact already; compressing them costs more than it saves.
ALTER TABLE delivery_rollup ALTER COLUMN devices SET STORAGE EXTERNAL;
ALTER TABLE event_rollup ALTER COLUMN figures SET STORAGE EXTERNAL;
ALTER TABLE event_rollup ALTER COLUMN devices SET STORAGE EXTERNAL;

-- Waypost never changes a settled delivery or an event. If somebody does by hand, the rollups are
-- invalidated, and reports read source rows until they are rebuilt.
CREATE FUNCTION invalidate_rollups() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE rollup_state SET timezone = ''
  WHERE workspace_id = OLD.workspace_id AND environment = OLD.environment AND timezone <> '';
  RETURN NULL;
END $$;

CREATE TRIGGER delivery_changed_after_settling AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (OLD.settled_at IS NOT NULL AND NOT (OLD.test AND NEW.test) AND (
    OLD.settled_at IS DISTINCT FROM NEW.settled_at OR OLD.status <> NEW.status
    OR OLD.device_key <> NEW.device_key OR OLD.campaign_key <> NEW.campaign_key
    OR OLD.notification_key <> NEW.notification_key OR OLD.content_type <> NEW.content_type
    OR OLD.trigger_type <> NEW.trigger_type OR OLD.test <> NEW.test))
  EXECUTE FUNCTION invalidate_rollups();

CREATE TRIGGER geofence_event_changed AFTER UPDATE ON geofence_event
  FOR EACH ROW EXECUTE FUNCTION invalidate_rollups();

-- The value of an answer as rollups count it: its JSON, of one choice its id alone, of an open text '' unless
-- it looks like an id. It has no subquery, so that PostgreSQL inlines it, and no regular expression, which
-- would take as long as all the rest.
CREATE FUNCTION answer_value(value jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE jsonb_typeof(value)
    WHEN 'string' THEN CASE WHEN value #>> '{}' LIKE '________-____-____-____-____________'
      THEN value #>> '{}' ELSE '' END
    WHEN 'null' THEN ''
    ELSE value #>> '{}'
  END
$$;

-- Waypost never changes whose response it is, nor its date.
CREATE TRIGGER survey_response_moved AFTER UPDATE ON survey_response FOR EACH ROW
  WHEN (OLD.first_answered_at <> NEW.first_answered_at OR OLD.campaign_key <> NEW.campaign_key
    OR OLD.notification_key <> NEW.notification_key)
  EXECUTE FUNCTION invalidate_rollups();
