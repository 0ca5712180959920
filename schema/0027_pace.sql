-- Pace: at most so many deliveries in any 60 seconds, of a campaign's sends and of an environment
-- (docs/decisions/0066). A delivery takes a permit before it is sent, and the permit is free again 60
-- seconds after the answer.

ALTER TABLE workspace ADD COLUMN max_per_minute integer CHECK (max_per_minute BETWEEN 1 AND 10000000);
ALTER TABLE campaign ADD COLUMN max_per_minute integer CHECK (max_per_minute BETWEEN 1 AND 10000000);

-- Of a send with a pace: its deliveries wait in the queue, those for an inbox too. It stays set while any may
-- wait, also when the pace is removed or the send stopped.
ALTER TABLE send ADD COLUMN paced boolean NOT NULL DEFAULT false;
CREATE INDEX send_running ON send (workspace_id, environment) WHERE status = 'running' OR paced;

-- Of a push that counts for a pace: 1 while it waits for a permit (then it is not due), 2 while it holds one,
-- until its first answer; 0 otherwise.
ALTER TABLE push_queue ADD COLUMN permit smallint NOT NULL DEFAULT 0;
CREATE INDEX push_queue_permit ON push_queue (workspace_id, environment, permit, source_id, transport)
  WHERE permit > 0;

-- The limits that sends run under: of a campaign, or of the environment (0). A row is locked while permits
-- are given. It goes when its limit is removed: a new one begins with the deliveries of the last minute.
CREATE TABLE pace (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  campaign_key integer NOT NULL,
  -- When the next permit may be given, so that a minute's permits are not given at once.
  next_at      timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, campaign_key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Permits of deliveries that were answered. `answered_at` is null until a worker has seen the row, so it is
-- never before the commit.
CREATE TABLE pace_ledger (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  source_id    bigint NOT NULL,
  -- Null for a delivery that counts for the environment alone: a test send.
  campaign_key integer,
  permits       integer NOT NULL CHECK (permits > 0),
  answered_at  timestamptz,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);
CREATE INDEX pace_ledger_answered ON pace_ledger (answered_at, workspace_id, environment);
