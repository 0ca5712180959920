-- The recipients of a campaign by outcome, newest first (contract CO5): from an index whatever the outcome,
-- however rare it is among a million. Deliveries of sends are found by their source, so that a send, whose
-- deliveries are the most by far, writes none of these rows; only what fails, is held, opened or clicked
-- does, and what events and tests make.

CREATE INDEX delivery_of_campaign ON delivery (campaign_key, status, source_id, device_key)
  WHERE status IN ('held', 'failed') OR location_key IS NOT NULL OR test;
CREATE INDEX delivery_of_campaign_opened ON delivery (campaign_key, source_id, device_key)
  WHERE opened_at IS NOT NULL;
CREATE INDEX delivery_of_campaign_clicked ON delivery (campaign_key, source_id, device_key)
  WHERE clicked_at IS NOT NULL;
