-- Sessions of the console say from where they are used, one-time addresses end with the operator key, and the
-- responses to idempotent requests are sealed.

-- Null in sessions that an older version opened. `last_…` are those of the latest request.
ALTER TABLE console_session
  ADD COLUMN address      text,
  ADD COLUMN user_agent   text,
  ADD COLUMN last_used_at timestamptz,
  ADD COLUMN last_address text;

-- The fingerprint of the operator key that issued the code. A code without one is not spent: an older version
-- issued it, at most 15 minutes ago.
ALTER TABLE console_code ADD COLUMN operator_key bytea CHECK (octet_length(operator_key) = 32);

-- Responses of this version are in `sealed` and have an author. Those of an older version keep their body
-- until they expire: without them a repeated request would make its change again.
ALTER TABLE idempotent_response
  ALTER COLUMN body DROP NOT NULL,
  -- The body, encrypted (AES-256-GCM).
  ADD COLUMN sealed bytea,
  -- The token, the session or the operator key that made the change.
  ADD COLUMN author text,
  ADD CHECK ((body IS NULL) = (sealed IS NOT NULL) AND (sealed IS NULL) = (author IS NULL));

-- The secrets of webhooks leave the bodies that stay.
UPDATE idempotent_response
SET body = convert_to(jsonb_set(convert_from(body, 'UTF8')::jsonb, '{data,secret}', 'null')::text, 'UTF8')
WHERE path LIKE '%/webhooks' OR path LIKE '%/webhooks/%/secret';
