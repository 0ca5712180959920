-- Campaigns of type `event` (contract V4): they target devices by segments, as a push campaign, and a
-- notification fires on a custom event, at once or after a delay.

ALTER TABLE campaign DROP CONSTRAINT campaign_type_check, DROP CONSTRAINT IF EXISTS campaign_check3;
ALTER TABLE campaign ADD CONSTRAINT campaign_type_check CHECK (type IN ('geo', 'push', 'event')),
  ADD CONSTRAINT campaign_segments CHECK (type <> 'geo' OR segment_match IS NULL);

ALTER TABLE campaign_notification DROP CONSTRAINT campaign_notification_trigger_type_check;
ALTER TABLE campaign_notification
  ADD CONSTRAINT campaign_notification_trigger_type_check
    CHECK (trigger_type IN ('on_enter', 'on_exit', 'on_dwell', 'fixed_time', 'on_event')),
  -- Of on_event: {"name", "where": a rule over its properties or null, "delayMinutes" to wait or null,
  -- "unless": the event that stops the message meanwhile, or null}.
  ADD COLUMN event jsonb;
ALTER TABLE campaign_notification
  ADD CONSTRAINT campaign_notification_event CHECK ((trigger_type = 'on_event') = (event IS NOT NULL));

CREATE INDEX campaign_notification_of_event
  ON campaign_notification ((event ->> 'name'), workspace_id, environment) WHERE event IS NOT NULL;
