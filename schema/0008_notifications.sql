-- Notifications: their content, and what triggers them on one campaign.

-- Content is immutable: an update inserts a new row. A delivery refers to the row that the device received,
-- so inboxes and reports keep it after the notification is changed or deleted.
CREATE TABLE content (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  key             integer GENERATED ALWAYS AS IDENTITY,
  notification_id uuid NOT NULL,
  type            text NOT NULL CHECK (type IN ('message', 'survey')),
  headline        text NOT NULL CHECK (headline <> ''),
  body            text NOT NULL CHECK (body <> ''),
  cta_label       text,
  cta_url         text,
  -- The media file and its kind at that time. No foreign key: the file may be deleted once no notification
  -- uses it.
  media_asset_id  uuid,
  media_kind      text CHECK (media_kind IN ('image', 'video', 'audio')),
  questions       jsonb,
  -- The language of the texts if they are templates, which are rendered for each device; null if they are
  -- literal.
  template        text CHECK (template IN ('liquid')),
  -- {"<language tag>": {"headline": …, …}}, as the author wrote the tags; null for none.
  translations    jsonb,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, key),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((cta_label IS NULL) = (cta_url IS NULL)),
  CHECK ((type = 'survey') = (questions IS NOT NULL)),
  CHECK ((media_kind IS NULL) = (media_asset_id IS NULL)),
  CHECK (type = 'message' OR media_asset_id IS NULL)
);

CREATE TABLE notification (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           uuid NOT NULL,
  -- Sends, deliveries and answers refer to the notification by this key.
  key          integer GENERATED ALWAYS AS IDENTITY,
  name         text NOT NULL CHECK (name <> ''),
  type         text NOT NULL CHECK (type IN ('message', 'survey')),
  content_key  integer NOT NULL,
  -- The media file of the current content. The foreign key prevents its deletion.
  media_id     uuid,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, environment, content_key) REFERENCES content (workspace_id, environment, key),
  FOREIGN KEY (workspace_id, environment, media_id) REFERENCES media_file (workspace_id, environment, id)
);

CREATE UNIQUE INDEX notification_key ON notification (key, workspace_id, environment);
CREATE INDEX notification_of_media ON notification (media_id, workspace_id, environment)
  WHERE media_id IS NOT NULL;

-- A notification on a campaign, with its trigger.
CREATE TABLE campaign_notification (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  campaign_id     uuid NOT NULL,
  notification_id uuid NOT NULL,
  -- Identifies the pairing: one survey on one campaign is one row of the survey report.
  id              uuid NOT NULL,
  trigger_type    text NOT NULL CHECK (trigger_type IN ('on_enter', 'on_exit', 'on_dwell', 'fixed_time')),
  -- HH:MM on the campaign's day in the campaign's time zone, as it was written.
  send_at         text CHECK (send_at ~ '^[0-2][0-9]:[0-5][0-9]$'),
  -- Whether it is sent at send_at in the zone of each device, and what happens where that has passed.
  send_local      boolean NOT NULL DEFAULT false,
  send_late       text CHECK (send_late IN ('send', 'skip')),
  -- Of on_dwell: how long a device must be inside without an exit, and how long it may have reported nothing.
  dwell_minutes       integer CHECK (dwell_minutes BETWEEN 1 AND 1440),
  max_silence_minutes integer CHECK (max_silence_minutes BETWEEN 1 AND 1440),
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
  CHECK (send_at IS NOT NULL OR NOT send_local),
  CHECK (send_local = (send_late IS NOT NULL)),
  CHECK ((trigger_type = 'on_dwell') = (dwell_minutes IS NOT NULL)),
  CHECK (trigger_type = 'on_dwell' OR max_silence_minutes IS NULL),
  CHECK (trigger_type <> 'fixed_time' OR (starts_at IS NULL AND ends_at IS NULL)),
  CHECK (ends_at > starts_at)
);

CREATE INDEX campaign_notification_of_notification
  ON campaign_notification (notification_id, workspace_id, environment);
