-- Activity: who changed what through the interfaces (contract S5). A row is written in the transaction of its
-- change and never changes. Rows are pruned after 400 days.
CREATE TABLE activity (
  workspace_id  integer NOT NULL,
  environment   text NOT NULL,
  -- Of version 7, so its order is the order of the list.
  id            uuid NOT NULL,
  at            timestamptz NOT NULL,
  actor_type    text NOT NULL CHECK (actor_type IN ('token', 'operator', 'session')),
  -- Null for the operator.
  actor_id      uuid,
  actor_name    text NOT NULL,
  action        text NOT NULL,
  resource_type text NOT NULL,
  -- Null for an import, which changes many resources.
  resource_id   text,
  resource_name text,
  -- {field: {old, new}}
  changes       jsonb NOT NULL,
  PRIMARY KEY (workspace_id, environment, id),
  FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
);

-- One for each filter. Most rows have a token as actor, so that type needs no index.
CREATE INDEX activity_actor ON activity (workspace_id, environment, actor_id, id) WHERE actor_id IS NOT NULL;
CREATE INDEX activity_actor_type ON activity (workspace_id, environment, actor_type, id)
  WHERE actor_type <> 'token';
CREATE INDEX activity_action ON activity (workspace_id, environment, action, id);
CREATE INDEX activity_resource ON activity (workspace_id, environment, resource_id, id)
  WHERE resource_id IS NOT NULL;
CREATE INDEX activity_resource_type ON activity (workspace_id, environment, resource_type, id);

-- Pruning deletes the oldest rows first.
CREATE INDEX activity_age ON activity (at);
