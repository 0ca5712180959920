-- Retention: deliveries and events past their retention leave their tables and are stored in compacted rows,
-- from which reports still count them (docs/decisions/0027). A compacted row never changes, and nothing reads
-- a single one of its elements.

-- How far each environment is compacted. The source tables hold of the time before only what waits for an
-- exit or came late.
CREATE TABLE retention (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  deliveries_before timestamptz NOT NULL DEFAULT '-infinity',
  events_before     timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Settled deliveries of a UTC day, of one kind, in parallel arrays that are sorted by campaign and so
-- compress well. Quarters of an hour (0 to 95) suffice for the local days of any time zone, so reports follow
-- a change of the time zone into compacted days too.
CREATE TABLE compacted_delivery (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  day               timestamptz NOT NULL,
  id                bigint GENERATED ALWAYS AS IDENTITY,
  content_type      text NOT NULL,
  trigger_type      text NOT NULL,
  status            text NOT NULL,
  campaign_keys     integer[] NOT NULL,
  notification_keys integer[] NOT NULL,
  quarters          smallint[] NOT NULL,
  device_keys       integer[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, day, id)
);

-- Compacted deliveries that were opened or clicked on a UTC day, in parallel arrays: how many of a campaign,
-- a notification and a quarter of an hour. The day is that of the interaction, not of the delivery.
CREATE TABLE compacted_interaction (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  day               timestamptz NOT NULL,
  id                bigint GENERATED ALWAYS AS IDENTITY,
  content_type      text NOT NULL,
  trigger_type      text NOT NULL,
  campaign_keys     integer[] NOT NULL,
  notification_keys integer[] NOT NULL,
  quarters          smallint[] NOT NULL,
  opened            integer[] NOT NULL,
  clicked           integer[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, day, id)
);

-- Events of a UTC day in parallel arrays: the millisecond of the day, and for an entry the microseconds of
-- the visit until the next exit, null without an exit.
CREATE TABLE compacted_event (
  workspace_id  integer NOT NULL,
  environment   text NOT NULL,
  day           timestamptz NOT NULL,
  id            bigint GENERATED ALWAYS AS IDENTITY,
  millis        integer[] NOT NULL,
  device_keys   integer[] NOT NULL,
  location_keys integer[] NOT NULL,
  enters        boolean[] NOT NULL,
  visit_micros  bigint[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, day, id)
);
