-- Devices, the people behind them and their erasure, and segments of devices.

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
  -- The person behind the device (contract Q1).
  user_id         text CHECK (length(user_id) BETWEEN 1 AND 255),
  -- Whether the device wants messages (contract Q2).
  subscribed      boolean NOT NULL DEFAULT true,
  -- The key of that person in device_user. A statement that sets one sets both.
  user_key        integer,
  -- The leading numbers of the version without trailing zeros, by which segments compare versions.
  app_version_numbers numeric[] GENERATED ALWAYS AS (string_to_array(regexp_replace(
    substring(app_version FROM '^[vV]?(\d+(?:\.\d+)*)'), '(\.0+)+$', ''), '.')::numeric[]) STORED,
  token_digest    bytea NOT NULL CHECK (octet_length(token_digest) = 32),
  token_used      boolean NOT NULL DEFAULT false,
  registered_at   timestamptz NOT NULL,
  last_seen_at    timestamptz NOT NULL,
  unregistered_at timestamptz,
  -- When the device was erased: its row keeps its key and a new id, and nothing of its person (contract Q3).
  erased_at       timestamptz,
  PRIMARY KEY (workspace_id, environment, key),
  UNIQUE (id, workspace_id, environment),
  UNIQUE (installation_id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((transport = 'inbox') = (address IS NULL)),
  CHECK (erased_at IS NULL
    OR (user_id IS NULL AND address IS NULL AND unregistered_at IS NOT NULL AND NOT subscribed))
) WITH (fillfactor = 90);

-- The zones of registered devices, each found once, and the devices of a zone.
CREATE INDEX device_of_zone ON device (workspace_id, environment, timezone) WHERE unregistered_at IS NULL;

-- The devices of a person.
CREATE INDEX device_of_user ON device (user_id, workspace_id, environment) WHERE user_id IS NOT NULL;

-- The people that deliveries were made for, by a small key. Erasing a person deletes the row: the key remains
-- without a name.
CREATE TABLE device_user (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  key          integer GENERATED ALWAYS AS IDENTITY,
  user_id      text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 255),
  PRIMARY KEY (workspace_id, environment, key),
  UNIQUE (user_id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

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

-- Erasures that are not complete (contract Q3). The transaction that erases a device leaves a row, and a job
-- erases half a minute later what transactions wrote that ran at the same time. Then it deletes the row,
-- which names the person until then.
CREATE TABLE erasure (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_key   integer NOT NULL,
  -- The id that the device had, by which its person is found in the JSON of webhooks.
  device_id    uuid NOT NULL,
  user_id      text,
  erased_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, device_key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

CREATE INDEX erasure_age ON erasure (erased_at);
