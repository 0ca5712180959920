-- Deliveries that a custom event triggered: they have no location.

ALTER TABLE delivery DROP CONSTRAINT delivery_trigger_type_check, DROP CONSTRAINT delivery_check2;
ALTER TABLE delivery
  ADD CONSTRAINT delivery_trigger_type_check
    CHECK (trigger_type IN ('on_enter', 'on_exit', 'on_dwell', 'fixed_time', 'on_event')) NOT VALID;
ALTER TABLE delivery
  ADD CONSTRAINT delivery_location
    CHECK (test OR (trigger_type IN ('fixed_time', 'on_event')) = (location_key IS NULL)) NOT VALID;
