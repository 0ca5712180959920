-- What happened (events) and what was sent (deliveries): the two tables that grow without end. They hold small numbers
-- instead of uuids, as few indexes as the reads need, and no foreign keys (a device's row is never deleted while its workspace lives,
-- and a check on each row would halve the rate of a fan-out); rows of deleted campaigns and locations stay, for the totals.

CREATE TABLE geofence_event (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_no    integer NOT NULL,
  -- The device's own id of the event: the same again is a duplicate.
  id           uuid NOT NULL,
  type         text NOT NULL CHECK (type IN ('enter', 'exit')),
  location_no  integer NOT NULL,
  occurred_at  timestamptz NOT NULL,
  received_at  timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, device_no, id)
);

CREATE INDEX geofence_event_at ON geofence_event (workspace_id, environment, occurred_at);

-- Numbers what sets deliveries off: one fixed send, or one event on one notification.
CREATE SEQUENCE delivery_origin AS bigint;

CREATE TABLE delivery (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  origin          bigint NOT NULL,
  device_no       integer NOT NULL,
  campaign_no     integer NOT NULL,
  notification_no integer NOT NULL,
  content_no      integer NOT NULL,
  content_type    text NOT NULL CHECK (content_type IN ('message', 'survey')),
  trigger_type    text NOT NULL CHECK (trigger_type IN ('on_enter', 'on_exit', 'fixed_time')),
  location_no     integer,
  transport       text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush', 'inbox')),
  status          text NOT NULL CHECK (status IN ('queued', 'handed_over', 'delivered', 'failed')),
  attempts        smallint NOT NULL DEFAULT 0,
  last_error      text,
  created_at      timestamptz NOT NULL,
  -- When the outcome was known; reports date the delivery by it.
  settled_at      timestamptz,
  opened_at       timestamptz,
  PRIMARY KEY (workspace_id, environment, origin, device_no),
  CHECK ((status IN ('delivered', 'failed')) = (settled_at IS NOT NULL)),
  CHECK ((trigger_type = 'fixed_time') = (location_no IS NULL))
);

CREATE INDEX delivery_settled ON delivery (workspace_id, environment, settled_at);
CREATE INDEX delivery_of_device ON delivery (workspace_id, environment, device_no, created_at DESC);
