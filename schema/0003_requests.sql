-- State of the HTTP layer that must survive restarts: rate limits and idempotent responses.

-- The three rate limit windows of a tenant (contract I1). A window opens with its first request. `granted_*`
-- hold what the last statement granted, so that one statement both decides and reports.
CREATE TABLE rate_window (
  workspace_id   integer NOT NULL,
  environment    text NOT NULL,
  minute_opened  timestamptz NOT NULL DEFAULT '-infinity',
  minute_used    integer NOT NULL DEFAULT 0,
  writes_opened  timestamptz NOT NULL DEFAULT '-infinity',
  writes_used    integer NOT NULL DEFAULT 0,
  day_opened     timestamptz NOT NULL DEFAULT '-infinity',
  day_used       integer NOT NULL DEFAULT 0,
  granted_reads  integer NOT NULL DEFAULT 0,
  granted_writes integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- The response to a request with an Idempotency-Key, written in the transaction of the change (contract J2).
CREATE TABLE idempotent_response (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  path         text NOT NULL,
  key          text NOT NULL,
  status       smallint NOT NULL CHECK (status BETWEEN 200 AND 299),
  content_type text,
  body         bytea NOT NULL,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, path, key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

CREATE INDEX idempotent_response_age ON idempotent_response (created_at);
