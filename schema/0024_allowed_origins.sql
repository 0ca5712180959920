-- The origins whose pages may register devices with an SDK key; null for any (contract BW1).
ALTER TABLE sdk_key ADD COLUMN allowed_origins text[] CHECK (cardinality(allowed_origins) <= 20);
