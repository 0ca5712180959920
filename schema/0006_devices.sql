-- Devices, and segments of them.

CREATE TABLE device (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  -- The number of the device in its environment, from 1 and nearly without gaps, so that a set of devices is
  -- a small bitmap. An unregistered device keeps its row and its key: reports still count its deliveries.
  key             integer NOT NULL CHECK (key > 0),
  id              uuid NOT NULL,
  installation_id text NOT NULL CHECK (installation_id <> ''),
  platform        text NOT NULL CHECK (platform IN ('ios', 'android', 'web', 'other')),
  transport       text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush', 'inbox')),
  address         jsonb,
  -- Incremented when an address is registered. A provider that reports an address as gone means the version
  -- it was given.
  address_version integer NOT NULL DEFAULT 1,
  -- When a provider reported the address as gone (contract L6); registering an address clears it.
  address_gone_at timestamptz,
  approved        boolean NOT NULL DEFAULT false,
  attributes      jsonb NOT NULL DEFAULT '{}',
  locale          text,
  timezone        text,
  app_version     text,
  -- The leading numbers of the version without trailing zeros, by which segments compare versions.
  app_version_numbers numeric[] GENERATED ALWAYS AS (string_to_array(regexp_replace(
    substring(app_version FROM '^[vV]?(\d+(?:\.\d+)*)'), '(\.0+)+$', ''), '.')::numeric[]) STORED,
  token_digest    bytea NOT NULL CHECK (octet_length(token_digest) = 32),
  token_used      boolean NOT NULL DEFAULT false,
  registered_at   timestamptz NOT NULL,
  last_seen_at    timestamptz NOT NULL,
  unregistered_at timestamptz,
  PRIMARY KEY (workspace_id, environment, key),
  UNIQUE (id, workspace_id, environment),
  UNIQUE (installation_id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((transport = 'inbox') = (address IS NULL))
) WITH (fillfactor = 90);

-- The zones of registered devices, each found once, and the devices of a zone.
CREATE INDEX device_of_zone ON device (workspace_id, environment, timezone) WHERE unregistered_at IS NULL;

-- A rule over device attributes; push campaigns target it.
CREATE TABLE segment (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           uuid NOT NULL,
  name         text NOT NULL CHECK (name <> ''),
  rule         jsonb NOT NULL,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  UNIQUE (name, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);
