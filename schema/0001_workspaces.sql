-- A workspace is one customer; everything it owns lives in one of its two environments, which share nothing but this
-- row. `id` is the small key that every other table carries in front of its own (the tenant of every index and the
-- distribution key, should the schema be spread over machines); `public_id` is the id the outside world sees.
-- All ids shown outside are UUIDs of version 7: they open with the instant of creation, so the order of ids is the order of
-- lists (created_at, then id), and a primary key is all the index that a list needs.
--
-- Primary keys begin with the tenant; any other index puts its own column first and the tenant behind it. Before a table is
-- analyzed PostgreSQL takes every index that begins with the tenant for equally good, whatever follows, and may walk a whole
-- tenant to find one row: 10,000 imported group members took 14 seconds so, and take half a second now.

CREATE TABLE workspace (
  id                    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id             uuid NOT NULL UNIQUE,
  name                  text NOT NULL CHECK (name <> ''),
  timezone              text NOT NULL,
  platform_api_enabled  boolean NOT NULL DEFAULT false,
  deletion_scheduled_at timestamptz,
  trial_ended           boolean NOT NULL DEFAULT false,
  default_cap_count     integer CHECK (default_cap_count BETWEEN 1 AND 1000),
  default_cap_period    text CHECK (default_cap_period IN ('day', 'week', 'month')),
  plan                  jsonb NOT NULL DEFAULT '{}',
  created_at            timestamptz NOT NULL,
  updated_at            timestamptz NOT NULL,
  CHECK ((default_cap_count IS NULL) = (default_cap_period IS NULL))
);

-- One row for each environment of a workspace. Changes that a plan limit counts lock it, so that the limit is exact under
-- concurrency; it also numbers the devices, densely, so that reports can hold sets of devices as bitmaps.
CREATE TABLE tenant (
  workspace_id   integer NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  environment    text NOT NULL CHECK (environment IN ('sandbox', 'production')),
  last_device_no integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment)
);
