-- Retention: rows of deliveries and events that are past their time leave their tables, and what the reports count of them stays, packed
-- (docs/decisions/0027). Packed rows are never changed, and nothing asks for a single one of them.

-- How far each environment is packed: of what came before these instants the tables hold only what waits for an exit, or came late.
CREATE TABLE retention (
  workspace_id      integer NOT NULL,
  environment       text NOT NULL,
  deliveries_before timestamptz NOT NULL DEFAULT '-infinity',
  events_before     timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (workspace_id, environment),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- Settled deliveries of a day of UTC that are of one kind. The arrays are parallel, and in the order of campaigns, so that they compress well: to
-- the quarter of an hour (0 to 95) is as much as the local days of any zone need, so the reports follow a change of zone into packed days too.
CREATE TABLE packed_delivery (
  workspace_id     integer NOT NULL,
  environment      text NOT NULL,
  day              timestamptz NOT NULL,
  id               bigint GENERATED ALWAYS AS IDENTITY,
  content_type     text NOT NULL,
  trigger_type     text NOT NULL,
  status           text NOT NULL,
  campaign_nos     integer[] NOT NULL,
  notification_nos integer[] NOT NULL,
  quarters         smallint[] NOT NULL,
  device_nos       integer[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, day, id)
);

-- Events of a day of UTC. The arrays are parallel: milliseconds of the day, and of an entry how many microseconds later its exit came,
-- null where none did.
CREATE TABLE packed_event (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  day          timestamptz NOT NULL,
  id           bigint GENERATED ALWAYS AS IDENTITY,
  millis       integer[] NOT NULL,
  device_nos   integer[] NOT NULL,
  location_nos integer[] NOT NULL,
  enters       boolean[] NOT NULL,
  stayed       bigint[] NOT NULL,
  PRIMARY KEY (workspace_id, environment, day, id)
);

-- Addresses whose window is over are forgotten, the longest over first.
CREATE INDEX failed_attempt_opened ON failed_attempt (window_opened);
