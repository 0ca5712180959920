-- Push campaigns that send again and again (contract V1, V2): each date and notification is one send, planned
-- 35 days ahead.

ALTER TABLE campaign
  -- {rule, except}; null for a campaign of one day.
  ADD COLUMN recurrence jsonb,
  -- Of a recurring campaign: the end of the last day, as it was written. ends_at is the end of the day of its
  -- last occurrence, and null if it has none.
  ADD COLUMN written_ends_at timestamptz,
  -- When the next date is to be planned; null if none is left, and for campaigns of one day.
  ADD COLUMN plan_at timestamptz,
  DROP CONSTRAINT IF EXISTS campaign_check2,
  ADD CONSTRAINT campaign_has_end CHECK (type <> 'push' OR ends_at IS NOT NULL OR recurrence IS NOT NULL),
  ADD CONSTRAINT campaign_recurs
    CHECK (recurrence IS NOT NULL OR (written_ends_at IS NULL AND plan_at IS NULL));

CREATE INDEX campaign_plan ON campaign (plan_at) WHERE plan_at IS NOT NULL;

-- The date of the campaign that the send belongs to; null for a campaign of one day, and for parts.
ALTER TABLE send ADD COLUMN occurrence text CHECK (length(occurrence) = 10);

DROP INDEX send_scheduled;
-- A notification has at most one scheduled send on each campaign of one day.
CREATE UNIQUE INDEX send_scheduled ON send (campaign_id, notification_id, workspace_id, environment)
  WHERE status = 'scheduled' AND occurrence IS NULL;
-- A date and notification is one send, once.
CREATE UNIQUE INDEX send_occurrence
  ON send (campaign_id, notification_id, occurrence, workspace_id, environment)
  WHERE occurrence IS NOT NULL AND status <> 'cancelled';
