-- Sessions of the console: people who are signed in with a browser.

-- Only the SHA-256 digest of a session's cookie is stored, and neither a token nor the operator key.
CREATE TABLE console_session (
  digest       bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  id           uuid NOT NULL UNIQUE,
  -- The token that the session was opened with; null for the operator.
  token_id     uuid REFERENCES api_token (id) ON DELETE CASCADE,
  -- The fingerprint of the operator key that the session was opened with. Another key ends the session.
  operator_key bytea CHECK (octet_length(operator_key) = 32),
  -- The person, as the activity log names them.
  name         text,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  -- The requests of the current minute. A window opens with its first request.
  minute_opened timestamptz NOT NULL DEFAULT '-infinity',
  minute_used   integer NOT NULL DEFAULT 0,
  CHECK ((token_id IS NULL) <> (operator_key IS NULL))
) WITH (fillfactor = 50);

-- Signing in deletes the oldest ended sessions.
CREATE INDEX console_session_expiry ON console_session (expires_at);
CREATE INDEX console_session_of_token ON console_session (token_id) WHERE token_id IS NOT NULL;

-- Codes of one-time addresses that sign the operator in. Spending a code deletes its row.
CREATE TABLE console_code (
  digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  expires_at timestamptz NOT NULL
);

CREATE INDEX console_code_expiry ON console_code (expires_at);
