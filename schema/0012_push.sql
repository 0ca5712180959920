-- Pushes: with what each environment speaks to the push services, and what is still to be handed to them.

-- Grows with every change of any credentials, so that what a process remembers of some is known to be theirs or not.
CREATE SEQUENCE push_credential_revision AS bigint;

CREATE TABLE push_credential (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  transport    text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush')),
  -- The credentials as JSON, encrypted (AES-256-GCM) under a key that is derived from the secret key and bound to this row's key.
  sealed       bytea NOT NULL,
  -- Of webpush: what browsers subscribe with.
  public_key   text,
  revision     bigint NOT NULL DEFAULT nextval('push_credential_revision'),
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, transport),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((transport = 'webpush') = (public_key IS NOT NULL))
);

-- Tells one registration of an address from the next: a push service that calls an address gone speaks of the one that it got.
ALTER TABLE device ADD COLUMN address_no integer NOT NULL DEFAULT 1;

-- Deliveries that a push service has yet to decide on, each there from the transaction that makes the delivery until the one
-- that settles it. Narrow, and apart from the deliveries, so that looking for work costs the same however many there are.
CREATE TABLE push_queue (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  origin       bigint NOT NULL,
  device_no    integer NOT NULL,
  transport    text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush')),
  -- From when on a worker may take it: one that is taken lies ahead by the length of the lease.
  due_at       timestamptz NOT NULL,
  attempts     smallint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- When it was first handed over; an hour later no more is tried (contract L7).
  first_at     timestamptz,
  -- Tells takers apart, so that one who lost it settles nothing.
  fence        integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment, origin, device_no)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX push_queue_due ON push_queue (workspace_id, environment, transport, due_at);
-- Those that were begun, few at any time: what a dead worker leaves behind goes first.
CREATE INDEX push_queue_begun ON push_queue (workspace_id, environment, transport, due_at) WHERE first_at IS NOT NULL;
