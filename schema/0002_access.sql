-- Credentials of programs and the throttle of failed authentication.
--
-- Only SHA-256 digests of credentials are stored. A credential has 190 random bits, so a slow hash would add
-- no security. The tables are looked up by digest before the tenant is known, hence their keys do not contain
-- it.

CREATE TABLE api_token (
  id           uuid PRIMARY KEY,
  workspace_id integer NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  environment  text NOT NULL CHECK (environment IN ('sandbox', 'production')),
  name         text NOT NULL CHECK (name <> ''),
  digest       bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  abilities    text[] NOT NULL,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz NOT NULL
);

CREATE INDEX api_token_of_workspace ON api_token (workspace_id, id);

CREATE TABLE sdk_key (
  id           uuid PRIMARY KEY,
  workspace_id integer NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  environment  text NOT NULL CHECK (environment IN ('sandbox', 'production')),
  name         text NOT NULL CHECK (name <> ''),
  digest       bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  revoked_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz NOT NULL
);

CREATE INDEX sdk_key_of_workspace ON sdk_key (workspace_id, environment, id);

-- The secret by which the app's own server signs user ids (contract X31a). It verifies signatures, so it is
-- encrypted with AES-256-GCM under a key that is derived from the secret key and bound to this row.
CREATE TABLE user_secret (
  workspace_id integer NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  environment  text NOT NULL CHECK (environment IN ('sandbox', 'production')),
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment)
);

-- Unknown credentials by client address (contract I2). A window opens with the first attempt and lasts one
-- minute.
CREATE TABLE failed_attempt (
  address       text PRIMARY KEY CHECK (length(address) <= 45),
  window_opened timestamptz NOT NULL,
  attempts      integer NOT NULL CHECK (attempts > 0)
);

-- Pruning deletes the oldest windows first.
CREATE INDEX failed_attempt_opened ON failed_attempt (window_opened);
