-- Whether the campaign was of another type before. Then events can have made deliveries that count for its
-- cap, and enrolled people in its experiment: sends of other campaigns save the time to check that.
ALTER TABLE campaign ADD COLUMN type_changed boolean NOT NULL DEFAULT false;
