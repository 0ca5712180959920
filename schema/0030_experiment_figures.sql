-- The figures of experiments (contract U5, U6, U8).

-- The goal of the campaign, which does not change while units are enrolled: so that the statement that stores
-- an open, a click or an answer converts its unit without reading the campaign.
ALTER TABLE enrolment
  -- `opened`, `clicked`, `answered`, `visit`, or `event:` and the name of the event; null without a goal.
  ADD COLUMN goal text,
  -- The end of the hours in which the unit converts, included.
  ADD COLUMN goal_until timestamptz;
ALTER TABLE enrolment
  ADD CONSTRAINT enrolment_goal_check CHECK ((goal IS NULL) = (goal_until IS NULL));

-- Finds the campaigns whose goal an event may meet. Few have one.
CREATE INDEX campaign_goal ON campaign (workspace_id, environment) WHERE goal IS NOT NULL;

-- Whether the row is a sum that the job has made, of an arm and a quarter of an hour. Others are new:
-- few.
ALTER TABLE enrolment_count ADD COLUMN is_sum boolean NOT NULL DEFAULT false;
CREATE INDEX enrolment_count_new ON enrolment_count (workspace_id, environment, campaign_key)
  WHERE NOT is_sum;

-- Whether the delivery was made for a unit of the experiment, while that ran.
ALTER TABLE delivery ADD COLUMN enrolled boolean NOT NULL DEFAULT false;

-- Deliveries of units of experiments, by their variant ('' for none): how many were delivered, opened and
-- clicked in a quarter of an hour. As with enrolment_count, the statement that changes a delivery adds a row,
-- and a job adds up rows of the same key.
CREATE TABLE variant_count (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               bigint GENERATED ALWAYS AS IDENTITY,
  campaign_key     integer NOT NULL,
  notification_key integer NOT NULL,
  variant          text NOT NULL,
  content_type     text NOT NULL,
  trigger_type     text NOT NULL,
  quarter          timestamptz NOT NULL,
  delivered        integer NOT NULL,
  opened           integer NOT NULL,
  clicked          integer NOT NULL,
  is_sum           boolean NOT NULL DEFAULT false,
  PRIMARY KEY (workspace_id, environment, campaign_key, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

CREATE INDEX variant_count_new ON variant_count (workspace_id, environment, campaign_key) WHERE NOT is_sum;
-- Reports read a range of all campaigns.
CREATE INDEX variant_count_at ON variant_count (workspace_id, environment, quarter);
