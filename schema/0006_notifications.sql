-- What a message says (notification and its content) and what sets it off on one campaign (campaign_notification).

CREATE TABLE notification (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           uuid NOT NULL,
  no           integer GENERATED ALWAYS AS IDENTITY,
  name         text NOT NULL CHECK (name <> ''),
  type         text NOT NULL CHECK (type IN ('message', 'survey')),
  content_no   integer NOT NULL,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

CREATE UNIQUE INDEX notification_no ON notification (no, workspace_id, environment);

-- Content never changes: an update writes a new row. A delivery names the row it carried, so what a device was sent stays
-- readable after the notification is edited or deleted.
CREATE TABLE content (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  no              integer GENERATED ALWAYS AS IDENTITY,
  notification_id uuid NOT NULL,
  type            text NOT NULL CHECK (type IN ('message', 'survey')),
  headline        text NOT NULL CHECK (headline <> ''),
  body            text NOT NULL CHECK (body <> ''),
  cta_label       text,
  cta_url         text,
  media_asset_id  uuid,
  questions       jsonb,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, no),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((cta_label IS NULL) = (cta_url IS NULL)),
  CHECK ((type = 'survey') = (questions IS NOT NULL))
);

ALTER TABLE notification ADD FOREIGN KEY (workspace_id, environment, content_no)
  REFERENCES content (workspace_id, environment, no);

CREATE TABLE campaign_notification (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  campaign_id     uuid NOT NULL,
  notification_id uuid NOT NULL,
  -- Names the pairing itself: one survey on one campaign is one row of the survey report.
  id              uuid NOT NULL,
  trigger_type    text NOT NULL CHECK (trigger_type IN ('on_enter', 'on_exit', 'fixed_time')),
  -- HH:MM on the campaign's day in the campaign's zone, as it was written.
  send_at         text CHECK (send_at ~ '^[0-2][0-9]:[0-5][0-9]$'),
  starts_at       timestamptz,
  ends_at         timestamptz,
  attached_at     timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, campaign_id, notification_id),
  UNIQUE (id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment, campaign_id)
    REFERENCES campaign (workspace_id, environment, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, environment, notification_id)
    REFERENCES notification (workspace_id, environment, id) ON DELETE CASCADE,
  CHECK ((trigger_type = 'fixed_time') = (send_at IS NOT NULL)),
  CHECK (trigger_type <> 'fixed_time' OR (starts_at IS NULL AND ends_at IS NULL)),
  CHECK (ends_at > starts_at)
);

CREATE INDEX campaign_notification_of_notification
  ON campaign_notification (notification_id, workspace_id, environment);
