-- What devices answered to surveys: one row for a device, a survey and a campaign, however often it answered. Like the
-- deliveries that they answer, rows name campaigns, notifications and devices by number and outlive them.

CREATE TABLE survey_response (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  notification_no   integer NOT NULL,
  campaign_no       integer NOT NULL,
  device_no         integer NOT NULL,
  -- The revision whose questions were answered last.
  content_no        integer NOT NULL,
  -- [{"question_id": …, "value": …}] in the order of the questions; choices by their ids.
  answers           jsonb NOT NULL,
  -- Reports date the response by the first answer, whatever replaced it.
  first_answered_at timestamptz NOT NULL,
  answered_at       timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, notification_no, campaign_no, device_no),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- The report counts from the index alone.
CREATE INDEX survey_response_first ON survey_response (workspace_id, environment, first_answered_at)
  INCLUDE (campaign_no, notification_no);
