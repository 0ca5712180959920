-- Deliveries, the push queue and the credentials of push providers.
--
-- delivery and geofence_event (0011) grow without end. They hold integer keys instead of UUIDs, only the
-- indexes that reads need, and no foreign keys: a foreign key check for each row would halve the rate of a
-- fan-out. Rows of deleted campaigns and locations stay for the totals of reports.

CREATE TABLE delivery (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  source_id        bigint NOT NULL,
  device_key       integer NOT NULL,
  -- The person that the delivery was made for, whatever person the device has later; null for none.
  user_key         integer,
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  content_key      integer NOT NULL,
  content_type     text NOT NULL CHECK (content_type IN ('message', 'survey')),
  trigger_type     text NOT NULL
    CHECK (trigger_type IN ('on_enter', 'on_exit', 'on_dwell', 'fixed_time')),
  location_key     integer,
  transport        text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush', 'inbox')),
  status           text NOT NULL CHECK (status IN ('held', 'queued', 'handed_over', 'delivered', 'failed')),
  attempts         smallint NOT NULL DEFAULT 0,
  last_error       text,
  created_at       timestamptz NOT NULL,
  -- When the quiet hours end that held the delivery; null for one that was not held (contract P2).
  held_until       timestamptz,
  -- When the outcome became known. Reports date the delivery by it (contract K1).
  settled_at       timestamptz,
  opened_at        timestamptz,
  -- A click is an open, too (contract M1).
  clicked_at       timestamptz,
  -- A test send: it counts in no report, cap or interaction (contract O4).
  test             boolean NOT NULL DEFAULT false,
  -- At most one delivery per source and device (contract L5).
  PRIMARY KEY (workspace_id, environment, source_id, device_key),
  CHECK ((status IN ('delivered', 'failed')) = (settled_at IS NOT NULL)),
  CHECK (status <> 'held' OR held_until IS NOT NULL),
  CHECK (test OR (trigger_type = 'fixed_time') = (location_key IS NULL)),
  CHECK (clicked_at IS NULL OR opened_at IS NOT NULL)
);

CREATE INDEX delivery_settled ON delivery (workspace_id, environment, settled_at);
-- Few deliveries are opened; reports count those when they were (contract M2).
CREATE INDEX delivery_opened ON delivery (workspace_id, environment, opened_at) WHERE opened_at IS NOT NULL;
CREATE INDEX delivery_clicked ON delivery (workspace_id, environment, clicked_at)
  WHERE clicked_at IS NOT NULL;
-- Of people, whose devices share caps and cooldowns.
CREATE INDEX delivery_of_user ON delivery (user_key, campaign_key, created_at DESC)
  WHERE user_key IS NOT NULL;
-- The next deliveries to release, over all workspaces.
CREATE INDEX delivery_held ON delivery (held_until) WHERE status = 'held';
CREATE INDEX delivery_of_device ON delivery (workspace_id, environment, device_key, created_at DESC);

-- Deliveries that wait to be rendered or for a push provider, from the transaction that inserts the delivery
-- to the one that settles it. A narrow table of its own, so that polling costs the same however many
-- deliveries there are.
CREATE TABLE push_queue (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  source_id    bigint NOT NULL,
  device_key   integer NOT NULL,
  -- Messages of templates for the inbox are queued, too, because a worker renders them.
  transport    text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush', 'inbox')),
  -- When a worker may take the push. Taking it moves this ahead by the length of the lease.
  due_at       timestamptz NOT NULL,
  attempts     smallint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- The instant of the first attempt; no attempt starts more than an hour later (contract L7).
  first_at     timestamptz,
  -- Whether quiet hours have held the delivery; then its send may be done already.
  held         boolean NOT NULL DEFAULT false,
  -- Fencing token: a stale worker cannot settle the push.
  fence        integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment, source_id, device_key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX push_queue_due ON push_queue (workspace_id, environment, transport, due_at);
-- Attempted pushes are few and are taken first, because their worker may have died.
CREATE INDEX push_queue_begun ON push_queue (workspace_id, environment, transport, due_at)
  WHERE first_at IS NOT NULL;

-- Incremented by every change of credentials, so that a process can tell whether its cached copy is current.
CREATE SEQUENCE push_credential_revision AS bigint;

CREATE TABLE push_credential (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  transport    text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush')),
  -- JSON, encrypted with AES-256-GCM under a key that is derived from the secret key and bound to this row's
  -- primary key.
  sealed       bytea NOT NULL,
  -- Of webpush: the VAPID public key that browsers subscribe with.
  public_key   text,
  revision     bigint NOT NULL DEFAULT nextval('push_credential_revision'),
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, transport),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((transport = 'webpush') = (public_key IS NOT NULL))
);
