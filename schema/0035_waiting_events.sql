-- What waits for its minute: visits, and from here on custom events whose notification has a delay
-- (contract V4). A row of an event has no location; its unit is that of custom_event.

ALTER TABLE dwell ALTER COLUMN location_key DROP NOT NULL;
ALTER TABLE dwell ADD COLUMN unit integer, ADD COLUMN user_key integer, ADD COLUMN properties jsonb,
  ADD COLUMN unless_event text;
