-- When each campaign was first not paused (contract CO3). Null for a draft, which never was.
ALTER TABLE campaign ADD COLUMN published_at timestamptz;

-- The past, as far as it is known. A campaign was published at the earliest of these:
-- - the first change of `paused` that the activity has: its instant if that published the campaign; the
--   creation if that paused it, or if it was created not paused;
-- - the start of its first send;
-- - the creation, if it is not paused and the activity has no such change.
WITH first_change AS (
  SELECT DISTINCT ON (workspace_id, environment, resource_id) workspace_id, environment, resource_id,
    CASE WHEN action <> 'create' AND changes #> '{paused,new}' = 'false' THEN at END AS published_at
  FROM activity
  WHERE resource_type = 'campaign' AND changes ? 'paused'
    AND NOT (action = 'create' AND changes #> '{paused,new}' = 'true')
  ORDER BY workspace_id, environment, resource_id, id
), first_send AS (
  SELECT workspace_id, environment, campaign_id, min(started_at) AS started_at
  FROM send WHERE started_at IS NOT NULL GROUP BY workspace_id, environment, campaign_id
)
UPDATE campaign c SET published_at = LEAST(s.started_at,
  CASE WHEN f.resource_id IS NOT NULL OR NOT c.paused THEN COALESCE(f.published_at, c.created_at) END)
FROM campaign k
LEFT JOIN first_change f ON f.workspace_id = k.workspace_id AND f.environment = k.environment
  AND f.resource_id = k.id::text
LEFT JOIN first_send s ON s.workspace_id = k.workspace_id AND s.environment = k.environment
  AND s.campaign_id = k.id
WHERE c.workspace_id = k.workspace_id AND c.environment = k.environment AND c.id = k.id;

-- A paused campaign about which neither is known, not even that it was created as a draft: the creation, if
-- reports count deliveries of it. The activity is kept for 400 days. On Citus each reads one shard.
DO $$
DECLARE
  quiet record;
BEGIN
  FOR quiet IN
    SELECT workspace_id, environment, id, key FROM campaign c
    WHERE published_at IS NULL AND NOT EXISTS (
      SELECT FROM activity a
      WHERE a.workspace_id = c.workspace_id AND a.environment = c.environment AND a.resource_id = c.id::text
        AND a.action = 'create')
  LOOP
    IF EXISTS (
      SELECT FROM delivery_rollup WHERE workspace_id = quiet.workspace_id
        AND environment = quiet.environment AND span = 'day' AND campaign_key = quiet.key
    ) OR EXISTS (
      SELECT FROM delivery_delta WHERE workspace_id = quiet.workspace_id
        AND environment = quiet.environment AND campaign_key = quiet.key
    ) THEN
      UPDATE campaign SET published_at = created_at
      WHERE workspace_id = quiet.workspace_id AND environment = quiet.environment AND id = quiet.id;
    END IF;
  END LOOP;
END $$;

-- A trigger, so that it holds for what processes of the previous version create and publish, too.
CREATE FUNCTION publish_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.published_at := NEW.updated_at;
  RETURN NEW;
END $$;

CREATE TRIGGER campaign_published BEFORE INSERT OR UPDATE OF paused ON campaign FOR EACH ROW
  WHEN (NOT NEW.paused AND NEW.published_at IS NULL) EXECUTE FUNCTION publish_campaign();
