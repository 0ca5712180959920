-- Deliveries that a custom event triggered: they have no location.

ALTER TABLE delivery DROP CONSTRAINT delivery_trigger_type_check, DROP CONSTRAINT delivery_check2;
ALTER TABLE delivery
  ADD CONSTRAINT delivery_trigger_type_check
    CHECK (trigger_type IN ('on_enter', 'on_exit', 'on_dwell', 'fixed_time', 'on_event')) NOT VALID;
ALTER TABLE delivery
  ADD CONSTRAINT delivery_location
    CHECK (test OR (trigger_type IN ('fixed_time', 'on_event')) = (location_key IS NULL)) NOT VALID;

-- The recipients of an event campaign by outcome, newest first, beside delivery_of_campaign (0026).
CREATE INDEX delivery_of_event_campaign ON delivery (campaign_key, status, source_id, device_key)
  WHERE trigger_type = 'on_event' AND NOT test;
