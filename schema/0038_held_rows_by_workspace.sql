-- Held deliveries by workspace, as 0037 has it for what waits for its minute.

CREATE INDEX delivery_held_of_workspace ON delivery (workspace_id, held_until) WHERE status = 'held';
