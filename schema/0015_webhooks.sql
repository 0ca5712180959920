-- Webhooks: the receivers of a workspace's events, the events recorded for them, and the calls that carry
-- them.
--
-- An event is recorded in the transaction of the change that it reports (a transactional outbox). Only active
-- webhooks that listen to its type get a row. Workers turn recorded events into calls, and make the calls.
-- webhook_event, webhook_call and webhook_attempt have no foreign keys to webhook: deleting a webhook would
-- have to delete its rows in the same transaction. A job deletes them afterwards.

-- Numbers of recordings: an event's id holds the number of its recording and its index in it.
CREATE SEQUENCE webhook_recording AS bigint;

CREATE TABLE webhook (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  id                uuid NOT NULL,
  url               text NOT NULL CHECK (url <> ''),
  description       text,
  -- Whether a call carries up to 500 events.
  batch             boolean NOT NULL,
  -- Event types, or '*' for all.
  events            text[] NOT NULL CHECK (cardinality(events) > 0),
  status            text NOT NULL CHECK (status IN ('active', 'disabled')),
  -- Encrypted with AES-256-GCM under a key that is derived from the secret key and bound to this row. The
  -- previous secret signs too until previous_until.
  secret            bytea NOT NULL,
  previous_secret   bytea,
  previous_until    timestamptz,
  disabled_at       timestamptz,
  -- The first failure since the last success, over all events.
  failing_since     timestamptz,
  last_attempt_at   timestamptz,
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((status = 'disabled') = (disabled_at IS NOT NULL)),
  CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
) WITH (fillfactor = 70);

-- Recorded events: one row for each webhook and recording, which stands for `size` events of one type. Events
-- of deliveries hold the keys of the deliveries (one source for all, or one for each device), those of sends
-- the ids of the sends; all others hold their data as JSON.
CREATE TABLE webhook_event (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  webhook_id   uuid NOT NULL,
  recording    bigint NOT NULL,
  type         text NOT NULL,
  recorded_at  timestamptz NOT NULL,
  size         integer NOT NULL CHECK (size > 0),
  -- How many of the events have become calls.
  called       integer NOT NULL DEFAULT 0 CHECK (called BETWEEN 0 AND size),
  source_ids   bigint[],
  device_keys  integer[],
  send_ids     uuid[],
  data         text[],
  PRIMARY KEY (workspace_id, environment, webhook_id, recording),
  CHECK (num_nonnulls(device_keys, send_ids, data) = 1),
  CHECK ((source_ids IS NULL) = (device_keys IS NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- Events that wait to become calls.
CREATE INDEX webhook_event_waiting ON webhook_event (workspace_id, environment, webhook_id, recording)
  WHERE called < size;

-- Calls to make: from the transaction that takes their events to the one that stores the receiver's success.
CREATE TABLE webhook_call (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  webhook_id   uuid NOT NULL,
  -- The header webhook-id: derived from the webhook and the events.
  id           uuid NOT NULL,
  -- An event type, or 'batch'.
  type         text NOT NULL,
  event_ids    uuid[] NOT NULL,
  body         text NOT NULL,
  -- When the oldest event was recorded.
  recorded_at  timestamptz NOT NULL,
  -- When a worker may take the call. Taking it moves this ahead by the length of the lease.
  due_at       timestamptz NOT NULL,
  -- Failed attempts. An attempt that a crash interrupted does not count.
  attempts     smallint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- Fencing token: a stale worker cannot settle the call.
  fence        integer NOT NULL DEFAULT 1,
  -- Set after the last attempt; the call is kept for resending.
  given_up_at  timestamptz,
  PRIMARY KEY (workspace_id, environment, webhook_id, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX webhook_call_due ON webhook_call (workspace_id, environment, webhook_id, due_at)
  WHERE given_up_at IS NULL;
-- Finds the failed call of an event that is to be sent again.
CREATE INDEX webhook_call_failed ON webhook_call USING gin (event_ids) WHERE attempts > 0;

-- The attempts of calls, for people who find the cause of a failure.
CREATE TABLE webhook_attempt (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  webhook_id      uuid NOT NULL,
  id              uuid NOT NULL,
  -- The event, or the call that sent a batch.
  event_id        uuid NOT NULL,
  event_type      text NOT NULL,
  attempt         smallint NOT NULL CHECK (attempt > 0),
  status_code     integer,
  error           text,
  duration_ms     integer NOT NULL CHECK (duration_ms >= 0),
  created_at      timestamptz NOT NULL,
  next_attempt_at timestamptz,
  PRIMARY KEY (workspace_id, environment, webhook_id, id)
);
