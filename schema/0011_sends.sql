-- Fixed sends: one notification of a push campaign, at one minute, to everybody whom the campaign reaches then. A send is planned in
-- the transaction of the change that asks for it; at its minute a worker starts it, which cuts the audience into batches;
-- workers of all processes take batches by leases until none is left.

CREATE TABLE send (
  workspace_id    integer NOT NULL,
  environment     text NOT NULL,
  id              uuid NOT NULL,
  -- Campaign and notification stay named when they are deleted, hence no foreign keys.
  campaign_id     uuid NOT NULL,
  campaign_no     integer NOT NULL,
  notification_id uuid NOT NULL,
  notification_no integer NOT NULL,
  due_at          timestamptz NOT NULL,
  status          text NOT NULL CHECK (status IN ('scheduled', 'running', 'done', 'skipped', 'missed', 'cancelled')),
  -- Fixed when it starts: the number that its deliveries carry, the revision that they carry, and the cap that holds.
  origin          bigint,
  content_no      integer,
  content_type    text CHECK (content_type IN ('message', 'survey')),
  cap_count       integer CHECK (cap_count > 0),
  cap_since       timestamptz,
  -- Devices that a delivery was made for, and what became of those; exact at any moment.
  targeted        integer NOT NULL DEFAULT 0,
  delivered       integer NOT NULL DEFAULT 0 CHECK (delivered >= 0),
  failed          integer NOT NULL DEFAULT 0 CHECK (failed >= 0),
  started_at      timestamptz,
  finished_at     timestamptz,
  PRIMARY KEY (workspace_id, environment, id),
  UNIQUE (origin, workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK (delivered + failed <= targeted),
  CHECK (status <> 'done' OR delivered + failed = targeted),
  CHECK ((status IN ('scheduled', 'running')) = (finished_at IS NULL)),
  CHECK (started_at IS NOT NULL OR status NOT IN ('running', 'done')),
  CHECK (started_at IS NULL OR status NOT IN ('scheduled', 'missed')),
  CHECK ((started_at IS NULL) = (origin IS NULL)),
  CHECK ((started_at IS NULL) = (content_no IS NULL)),
  CHECK ((started_at IS NULL) = (content_type IS NULL)),
  CHECK ((cap_count IS NULL) = (cap_since IS NULL))
) WITH (fillfactor = 50);

-- What is to be started next, over all workspaces.
CREATE INDEX send_due ON send (due_at) WHERE status = 'scheduled';
-- A notification waits for one minute at a time on each of its campaigns.
CREATE UNIQUE INDEX send_scheduled ON send (campaign_id, notification_id, workspace_id, environment)
  WHERE status = 'scheduled';
CREATE INDEX send_of_campaign ON send (campaign_id, workspace_id, environment);

-- The open batches of running sends: one that is done is gone. Batch 0 finds the devices of an audience that is not
-- everybody, and makes the others.
CREATE TABLE send_batch (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  origin       bigint NOT NULL,
  batch        integer NOT NULL CHECK (batch >= 0),
  campaign_no  integer NOT NULL,
  -- Those of one campaign with a cap run one after the other, so that each counts what the ones before it delivered.
  capped       boolean NOT NULL,
  -- Device numbers: all that were registered when the send started, or these.
  first_no     integer,
  last_no      integer,
  devices      integer[],
  -- Of batch 0: the rules of the campaign's segments as they were when the send started.
  audience     jsonb,
  -- Whoever took it last holds it until then; the fence tells takers apart, so that one who lost it changes nothing.
  leased_until timestamptz,
  fence        integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, environment, origin, batch),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE,
  CHECK ((first_no IS NULL) = (last_no IS NULL)),
  CHECK ((batch = 0) = (audience IS NOT NULL)),
  CHECK (batch = 0 OR (first_no IS NULL) = (devices IS NOT NULL))
);
