-- Workspaces take turns at due rows, so that the rows of one never hold up those of another. These indexes
-- find the workspaces that have any, and the first of each, beside millions of rows of one. A page is
-- in the order of the index also where all its rows are due at once. dwell_due (0018) and delivery_held
-- (0010) serve the processes of the previous version, and go with the next one.

CREATE INDEX dwell_due_of_workspace ON dwell (workspace_id, due_at, attachment_id) WHERE decided_at IS NULL;
