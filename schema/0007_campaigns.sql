-- Campaigns and their targeting. The status is never stored: it follows from starts_at, ends_at, paused and
-- the clock.

CREATE TABLE campaign (
  workspace_id         integer NOT NULL,
  environment          text NOT NULL,
  id                   uuid NOT NULL,
  -- Sends and deliveries refer to the campaign by this key.
  key                  integer GENERATED ALWAYS AS IDENTITY,
  name                 text NOT NULL CHECK (name <> ''),
  search_name          text NOT NULL GENERATED ALWAYS AS (search_text(name)) STORED,
  type                 text NOT NULL CHECK (type IN ('geo', 'push')),
  timezone             text NOT NULL,
  starts_at            timestamptz NOT NULL,
  ends_at              timestamptz,
  paused               boolean NOT NULL DEFAULT false,
  -- Lists leave archived campaigns out.
  archived             boolean NOT NULL DEFAULT false,
  frequency_cap_count  integer CHECK (frequency_cap_count BETWEEN 1 AND 1000),
  frequency_cap_period text CHECK (frequency_cap_period IN ('day', 'week', 'month')),
  -- Whether each device has the cap and the cooldown for itself, or the devices of a person together.
  cap_by               text NOT NULL DEFAULT 'device' CHECK (cap_by IN ('device', 'user')),
  -- Its own quiet hours, or that it has none; null for those of the workspace (contract P2).
  quiet_hours          jsonb,
  -- Of a geo campaign: how long a device gets no other message of it at the same location (contract P4).
  cooldown_minutes     integer CHECK (cooldown_minutes BETWEEN 1 AND 43200),
  segment_match        text CHECK (segment_match IN ('any', 'all')),
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  UNIQUE (name, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK (paused OR NOT archived),
  CHECK (ends_at > starts_at),
  CHECK (type = 'geo' OR ends_at IS NOT NULL),
  CHECK (type = 'push' OR segment_match IS NULL),
  CHECK (type = 'geo' OR cooldown_minutes IS NULL),
  CHECK ((frequency_cap_count IS NULL) = (frequency_cap_period IS NULL))
);

SELECT index_searched_names('campaign');

CREATE UNIQUE INDEX campaign_key ON campaign (key, workspace_id, environment);

-- The id of a deleted campaign, for the deliveries that name its key.
CREATE TABLE deleted_campaign (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  key          integer NOT NULL,
  id           uuid NOT NULL,
  PRIMARY KEY (workspace_id, environment, key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Targeting, in the order in which it was sent. Deleting a target removes its rows.
CREATE TABLE campaign_location (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  campaign_id  uuid NOT NULL,
  location_id  uuid NOT NULL,
  position     integer NOT NULL,
  PRIMARY KEY (workspace_id, environment, campaign_id, location_id),
  FOREIGN KEY (workspace_id, environment, campaign_id)
    REFERENCES campaign (workspace_id, environment, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, environment, location_id)
    REFERENCES location (workspace_id, environment, id) ON DELETE CASCADE
);

CREATE INDEX campaign_location_of_location ON campaign_location (location_id, workspace_id, environment);

CREATE TABLE campaign_location_group (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  campaign_id  uuid NOT NULL,
  group_id     uuid NOT NULL,
  position     integer NOT NULL,
  PRIMARY KEY (workspace_id, environment, campaign_id, group_id),
  FOREIGN KEY (workspace_id, environment, campaign_id)
    REFERENCES campaign (workspace_id, environment, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, environment, group_id)
    REFERENCES location_group (workspace_id, environment, id) ON DELETE CASCADE
);

CREATE INDEX campaign_location_group_of_group
  ON campaign_location_group (group_id, workspace_id, environment);

CREATE TABLE campaign_segment (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  campaign_id  uuid NOT NULL,
  segment_id   uuid NOT NULL,
  position     integer NOT NULL,
  PRIMARY KEY (workspace_id, environment, campaign_id, segment_id),
  FOREIGN KEY (workspace_id, environment, campaign_id)
    REFERENCES campaign (workspace_id, environment, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, environment, segment_id)
    REFERENCES segment (workspace_id, environment, id) ON DELETE CASCADE
);

CREATE INDEX campaign_segment_of_segment ON campaign_segment (segment_id, workspace_id, environment);
