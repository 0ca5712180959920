-- Test devices: in Production, too, a device is one only once somebody has approved it (contract T6).

-- Versions before this one approved each device of Production when it registered. So there `approved` counts
-- only with this column, which a decision about a device sets. It is a new column because processes of the
-- previous version go on registering devices, and because no row is rewritten: with a million devices this
-- file takes 0.4 seconds, and setting `approved` back took 19, in which no device could change.
ALTER TABLE device ADD COLUMN approval_decided boolean NOT NULL DEFAULT false;

-- Approvals that the activity has. On Citus each is a change of one shard.
DO $$
DECLARE
  approval record;
BEGIN
  FOR approval IN
    SELECT DISTINCT workspace_id, resource_id::uuid AS device_id FROM activity
    WHERE environment = 'production' AND resource_type = 'device' AND resource_id IS NOT NULL
      AND action = 'update' AND changes #> '{approved,new}' = 'true'
  LOOP
    UPDATE device SET approval_decided = true
    WHERE workspace_id = approval.workspace_id AND environment = 'production' AND id = approval.device_id;
  END LOOP;
END $$;

-- Few of the devices of Production are test devices, and lists find these.
CREATE INDEX device_approved ON device (workspace_id, environment, id) WHERE approved AND approval_decided;
