-- The requests and events of devices in their minute (contract TR2): of those that make more than a process
-- counts by itself (docs/decisions/0008). An unlogged table is empty after a crash, as a minute is over soon.
CREATE UNLOGGED TABLE device_rate (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_key   integer NOT NULL,
  counted      text NOT NULL CHECK (counted IN ('requests', 'events')),
  opened       timestamptz NOT NULL,
  used         integer NOT NULL,
  PRIMARY KEY (workspace_id, environment, device_key, counted),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
) WITH (fillfactor = 50);

CREATE INDEX device_rate_opened ON device_rate (opened);
