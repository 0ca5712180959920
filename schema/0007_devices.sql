-- Devices. `no` counts from 1 within an environment without gaps of note, so that a set of devices is a small bitmap; an
-- unregistered device keeps its row and its number, for what it did stays in the reports.

CREATE TABLE device (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  no              integer NOT NULL CHECK (no > 0),
  id              uuid NOT NULL,
  installation_id text NOT NULL CHECK (installation_id <> ''),
  platform        text NOT NULL CHECK (platform IN ('ios', 'android', 'web', 'other')),
  transport       text NOT NULL CHECK (transport IN ('fcm', 'apns', 'webpush', 'inbox')),
  address         jsonb,
  -- When the provider said that the address is gone; registering an address anew clears it.
  address_gone_at timestamptz,
  approved        boolean NOT NULL DEFAULT false,
  attributes      jsonb NOT NULL DEFAULT '{}',
  locale          text,
  timezone        text,
  app_version     text,
  -- The numbers at the beginning of the version, without zeros at their end: segments compare versions by them.
  app_version_numbers numeric[] GENERATED ALWAYS AS (string_to_array(regexp_replace(
    substring(app_version FROM '^[vV]?(\d+(?:\.\d+)*)'), '(\.0+)+$', ''), '.')::numeric[]) STORED,
  token_digest    bytea NOT NULL CHECK (octet_length(token_digest) = 32),
  token_used      boolean NOT NULL DEFAULT false,
  registered_at   timestamptz NOT NULL,
  last_seen_at    timestamptz NOT NULL,
  unregistered_at timestamptz,
  PRIMARY KEY (workspace_id, environment, no),
  UNIQUE (id, workspace_id, environment),
  UNIQUE (installation_id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((transport = 'inbox') = (address IS NULL))
) WITH (fillfactor = 90);

