-- Sends: one notification of a push campaign at one minute. The transaction that asks for a send schedules
-- it. At its minute a worker starts it and splits its audience into batches, and the workers of all processes
-- lease batches until none is left.

-- The ids of the sources of deliveries: one send, or one event on one notification.
CREATE SEQUENCE delivery_source_id AS bigint;

CREATE TABLE send (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  id               uuid NOT NULL,
  -- No foreign keys: a send outlives its campaign and its notification.
  campaign_id      uuid NOT NULL,
  campaign_key     integer NOT NULL,
  notification_id  uuid NOT NULL,
  notification_key integer NOT NULL,
  due_at           timestamptz NOT NULL,
  status           text NOT NULL
    CHECK (status IN ('scheduled', 'running', 'done', 'skipped', 'missed', 'cancelled')),
  -- Of a send at a local time: the time, on the campaign's day, at which each zone's devices get it; what
  -- happens where that has passed; when it was planned; and when a worker checks for parts next, null if no
  -- part can come. Its parts are rows of their own, with their figures (docs/decisions/0056).
  local_at         text CHECK (length(local_at) = 16),
  late             text CHECK (late IN ('send', 'skip')),
  planned_at       timestamptz,
  next_at          timestamptz,
  -- Of a part: the send at a local time that it belongs to.
  parent_id        uuid,
  -- Set at the start: the source id of its deliveries, their content, and the frequency cap that applies.
  source_id        bigint,
  content_key      integer,
  content_type     text CHECK (content_type IN ('message', 'survey')),
  -- Its texts are templates: messages for the inbox are queued, too, as rendering them may fail.
  templated        boolean NOT NULL DEFAULT false,
  cap_count        integer CHECK (cap_count > 0),
  cap_since        timestamptz,
  cap_by           text NOT NULL DEFAULT 'device' CHECK (cap_by IN ('device', 'user')),
  -- The quiet hours that apply, with the campaign's time zone; null for none.
  quiet_hours      jsonb,
  -- Deliveries made, and their outcomes so far; exact at any moment.
  targeted         integer NOT NULL DEFAULT 0,
  delivered        integer NOT NULL DEFAULT 0 CHECK (delivered >= 0),
  failed           integer NOT NULL DEFAULT 0 CHECK (failed >= 0),
  -- Deliveries that quiet hours have held and that have no outcome yet, and devices whose message they
  -- dropped.
  held             integer NOT NULL DEFAULT 0 CHECK (held >= 0),
  dropped          integer NOT NULL DEFAULT 0 CHECK (dropped >= 0),
  started_at       timestamptz,
  finished_at      timestamptz,
  PRIMARY KEY (workspace_id, environment, id),
  UNIQUE (source_id, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK (delivered + failed + held <= targeted),
  CHECK (status <> 'done' OR delivered + failed + held = targeted),
  CHECK ((status IN ('scheduled', 'running')) = (finished_at IS NULL)),
  CHECK (started_at IS NOT NULL OR status NOT IN ('running', 'done')),
  CHECK (started_at IS NULL OR status NOT IN ('scheduled', 'missed')),
  CHECK ((started_at IS NULL) = (source_id IS NULL)),
  CHECK ((started_at IS NULL) = (content_key IS NULL)),
  CHECK ((started_at IS NULL) = (content_type IS NULL)),
  CHECK ((cap_count IS NULL) = (cap_since IS NULL)),
  CHECK ((local_at IS NULL) = (late IS NULL) AND (local_at IS NULL) = (planned_at IS NULL)),
  CHECK (next_at IS NULL OR local_at IS NOT NULL),
  CHECK (parent_id IS NULL OR local_at IS NULL)
) WITH (fillfactor = 50);

-- The next sends to start, over all workspaces.
CREATE INDEX send_due ON send (due_at) WHERE status = 'scheduled' AND local_at IS NULL;
-- Sends at local times with parts to come, and those (null) that end with their last part.
CREATE INDEX send_local ON send (next_at) WHERE local_at IS NOT NULL AND status IN ('scheduled', 'running');
-- A send has one part at an instant.
CREATE UNIQUE INDEX send_part ON send (parent_id, due_at, workspace_id, environment)
  WHERE parent_id IS NOT NULL;
-- A notification has at most one scheduled send on each of its campaigns.
CREATE UNIQUE INDEX send_scheduled ON send (campaign_id, notification_id, workspace_id, environment)
  WHERE status = 'scheduled';
CREATE INDEX send_of_campaign ON send (campaign_id, workspace_id, environment);

-- The open batches of running sends; a finished batch is deleted. Batch 0 of a send to segments finds its
-- devices and inserts the other batches.
CREATE TABLE send_batch (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  source_id    bigint NOT NULL,
  batch        integer NOT NULL CHECK (batch >= 0),
  campaign_key integer NOT NULL,
  -- Capped batches of one campaign run one after another, so that each counts the deliveries of those before
  -- it. So do those of the parts of a send at a local time, so that each leaves out the devices of those
  -- before it.
  capped       boolean NOT NULL,
  -- A range of device keys for a send to everyone, a list of them for a send to segments.
  first_key    integer,
  last_key     integer,
  devices      integer[],
  -- Of a list for people: the person of each device, null for none. Each is in one batch only.
  users        integer[],
  -- Of batch 0: the rules of the campaign's segments when the send started.
  audience     jsonb,
  -- Those of its send.
  quiet_hours  jsonb,
  -- The lease of the worker that took the batch last. The fencing token identifies the lease, so that a stale
  -- worker changes nothing.
  leased_until timestamptz,
  fence        integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment, source_id, batch),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((first_key IS NULL) = (last_key IS NULL)),
  CHECK (cardinality(users) = cardinality(devices)),
  CHECK ((batch = 0) = (audience IS NOT NULL)),
  CHECK (batch = 0 OR (first_key IS NULL) = (devices IS NOT NULL))
);
