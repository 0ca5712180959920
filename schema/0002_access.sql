-- Credentials. Only SHA-256 digests are kept: a token has 190 random bits, so a slow hash would add nothing. Both tables are
-- global (looked up by digest, before any tenant is known).

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

-- Unknown tokens by the address they came from: a window opens with the first and is shut for the rest of its minute by
-- the twenty-first. Global: whoever guesses has no tenant.
CREATE TABLE failed_attempt (
  address       text PRIMARY KEY,
  window_opened timestamptz NOT NULL,
  attempts      integer NOT NULL CHECK (attempts > 0)
);
