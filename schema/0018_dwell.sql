-- Visits of devices at locations that an on_dwell notification waits for (contract P1). A row is due at the
-- minute that the visit must last until. Nothing else waits: neither memory nor timers
-- (docs/decisions/0055).

CREATE TABLE dwell (
  workspace_id        integer NOT NULL,
  environment         text NOT NULL,
  device_key          integer NOT NULL,
  -- The enter. Ids of events are unique for a device, so that inserting a row waits for no other transaction.
  event_id            uuid NOT NULL,
  -- The notification on its campaign, as it was when the enter was recorded (contract X22).
  attachment_id       uuid NOT NULL,
  location_key        integer NOT NULL,
  content_key         integer NOT NULL,
  content_type        text NOT NULL CHECK (content_type IN ('message', 'survey')),
  max_silence_minutes integer,
  entered_at          timestamptz NOT NULL,
  recorded_at         timestamptz NOT NULL,
  due_at              timestamptz NOT NULL,
  -- When the visit was decided. The row is kept for a while, so that an earlier enter of the same visit that
  -- is reported late does not fire again.
  decided_at          timestamptz,
  PRIMARY KEY (workspace_id, environment, device_key, event_id, attachment_id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX dwell_due ON dwell (due_at) WHERE decided_at IS NULL;
CREATE INDEX dwell_decided ON dwell (decided_at) WHERE decided_at IS NOT NULL;
