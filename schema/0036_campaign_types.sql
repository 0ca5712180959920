-- Whether the campaign was of another type before. Then events can have made deliveries that count for its
-- cap, and enrolled people in its experiment: sends of other campaigns save the time to check that. Of
-- earlier campaigns it is not known.
ALTER TABLE campaign ADD COLUMN type_changed boolean NOT NULL DEFAULT true;
ALTER TABLE campaign ALTER COLUMN type_changed SET DEFAULT false;
