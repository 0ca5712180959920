-- Reports of devices: enter and exit events, and answers to surveys.

CREATE TABLE geofence_event (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  device_key   integer NOT NULL,
  -- The device's own id of the event; the same id again is a duplicate.
  id           uuid NOT NULL,
  type         text NOT NULL CHECK (type IN ('enter', 'exit')),
  location_key integer NOT NULL,
  occurred_at  timestamptz NOT NULL,
  received_at  timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, device_key, id)
);

CREATE INDEX geofence_event_at ON geofence_event (workspace_id, environment, occurred_at);
-- Pairs an entry with the device's next exit at the location.
CREATE INDEX geofence_event_visits
  ON geofence_event (device_key, location_key, occurred_at, workspace_id, environment);

-- One row per device, survey and campaign; a later answer replaces an earlier one (contract K9). Rows outlive
-- what they refer to.
CREATE TABLE survey_response (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  notification_key  integer NOT NULL,
  campaign_key      integer NOT NULL,
  device_key        integer NOT NULL,
  -- The content whose questions were answered last.
  content_key       integer NOT NULL,
  -- [{"question_id": …, "value": …}] in the order of the questions; choices by their ids.
  answers           jsonb NOT NULL,
  -- Reports date the response by the first answer.
  first_answered_at timestamptz NOT NULL,
  answered_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, notification_key, campaign_key, device_key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Answers to test sends, by their deliveries: kept, and counted in no result (contract O4).
CREATE TABLE test_response (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  source_id    bigint NOT NULL,
  device_key   integer NOT NULL,
  content_key  integer NOT NULL,
  -- As in survey_response.
  answers      jsonb NOT NULL,
  answered_at  timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, source_id, device_key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Counts the responses of a time that is not rolled up, by the index alone.
CREATE INDEX survey_response_first ON survey_response (workspace_id, environment, first_answered_at)
  INCLUDE (campaign_key, notification_key);
-- Lists the responses to a survey, newest first (contract M4).
CREATE INDEX survey_response_listed ON survey_response (notification_key, campaign_key, first_answered_at,
  device_key, workspace_id, environment);
