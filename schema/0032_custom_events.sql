-- Events of an app (contract V3): what a device or a server reports under a name of its own. They are kept
-- for a while after they occurred, and then deleted. Sends and reports do not count them.

CREATE TABLE custom_event (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  -- Whom it is of: the person behind the device when it came, as minus their key; else the device by its key.
  unit         integer NOT NULL CHECK (unit <> 0),
  -- The sender's own id of the event; the same id of a unit again is a duplicate.
  id           uuid NOT NULL,
  -- The device that it is of; null for an event of a person.
  device_key   integer,
  name         text NOT NULL,
  properties   jsonb NOT NULL,
  -- Sorts by the time of receiving: lists are in this order.
  key          uuid NOT NULL,
  occurred_at  timestamptz NOT NULL,
  received_at  timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, environment, unit, id),
  CHECK (unit < 0 OR device_key = unit)
);

CREATE INDEX custom_event_listed ON custom_event (workspace_id, environment, key);
-- Lists the events of a name, and counts them by day from the index alone.
CREATE INDEX custom_event_named ON custom_event (workspace_id, environment, name, key) INCLUDE (occurred_at);
-- What segments and notifications that wait ask for, by the index alone.
CREATE INDEX custom_event_of_unit ON custom_event (workspace_id, environment, unit, name, occurred_at);
CREATE INDEX custom_event_of_device ON custom_event (workspace_id, environment, device_key, key)
  WHERE device_key IS NOT NULL;
-- Finds what is past its time; rows come in this order, nearly.
CREATE INDEX custom_event_age ON custom_event USING brin (occurred_at);
