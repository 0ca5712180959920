-- Workspaces and their environments.
--
-- Conventions of this schema. Ids that leave the system are UUIDs of version 7. They start with the instant
-- of creation, so the order of ids is the order of lists (created_at, then id), and a list needs no index but
-- the primary key. Tables that grow without end refer to rows by a small integer `key` instead.
--
-- A primary key starts with the tenant (workspace_id, environment); every other index starts with the column
-- that selects and ends with the tenant. Until a table is analyzed, PostgreSQL rates all indexes that start
-- with the tenant alike, and may scan a whole tenant to find one row: an import of 10,000 group members took
-- 14 seconds instead of half a second.
--
-- Instants are parameters. No statement reads the clock of the database.

-- A name as lists search it: with its letter case folded (contract R1), as foldCase in src/wire/SearchText.ts
-- does. ICU knows all letters, also where the locale of the database is C. ı is kept from becoming i.
CREATE FUNCTION search_text(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT replace(replace(lower(upper(lower(replace(name, 'ı', U&'\E131') COLLATE "und-x-icu"))), 'ς', 'σ'),
    U&'\E131', 'ı') COLLATE "C"
$$;

-- Trigrams find a part of a name. The extension comes with PostgreSQL; a server without it scans the names of
-- one environment instead.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'Searches of names have no index: %', SQLERRM;
END $$;

-- A workspace is one customer. `id` is the internal key, `public_id` the id that clients see.
CREATE TABLE workspace (
  id                    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id             uuid NOT NULL UNIQUE,
  name                  text NOT NULL CHECK (name <> ''),
  timezone              text NOT NULL,
  platform_api_enabled  boolean NOT NULL DEFAULT false,
  deletion_scheduled_at timestamptz,
  trial_ended           boolean NOT NULL DEFAULT false,
  -- Whether a device proves its person (contract X31a).
  user_hash_required    boolean NOT NULL DEFAULT false,
  default_cap_count     integer CHECK (default_cap_count BETWEEN 1 AND 1000),
  default_cap_period    text CHECK (default_cap_period IN ('day', 'week', 'month')),
  -- Of campaigns without quiet hours of their own: from, to and action (contract P2).
  quiet_hours           jsonb,
  plan                  jsonb NOT NULL DEFAULT '{}',
  created_at            timestamptz NOT NULL,
  updated_at            timestamptz NOT NULL,
  CHECK ((default_cap_count IS NULL) = (default_cap_period IS NULL))
);

-- One environment of a workspace. Changes that a plan limit counts lock this row, so that limits are exact
-- under concurrency.
CREATE TABLE tenant (
  workspace_id      integer NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  environment       text NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- Devices are numbered densely from 1, so that reports can hold sets of devices as bitmaps.
  last_device_key   integer NOT NULL DEFAULT 0,
  -- Incremented by every transaction that changes locations. A process compares it to tell whether its
  -- location index is current.
  locations_version bigint NOT NULL DEFAULT 0,
  -- The event types that active webhooks listen to ('*' for all), so that requests which read this row know
  -- whether to record an event.
  webhook_events    text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (workspace_id, environment)
);

-- Indexes the searched names of a table, where the server has trigrams.
CREATE FUNCTION index_searched_names(named text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    EXECUTE format('CREATE INDEX %I ON %I USING gin (search_name gin_trgm_ops)', named || '_search', named);
  END IF;
END $$;

-- Fails the transaction for a reason, by a statement whose rows nobody waits for: the commit then fails.
CREATE FUNCTION refuse_commit(reason text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'WP001', MESSAGE = 'The commit is refused', DETAIL = reason;
END $$;

-- Facts that all processes on this database must agree on, such as the fingerprint of the secret key.
CREATE TABLE installation (
  name  text PRIMARY KEY,
  value text NOT NULL
);
