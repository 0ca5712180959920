/**
 * The differences of a database whose tables are distributed over several nodes. Core imports them here only:
 * nothing else depends on the system that distributes them (docs/decisions/0061).
 */
export { readsFromClient } from "./citus/ClientReads.ts";
export { grownDistributedTables } from "./citus/GrownTables.ts";
export { ifDistributed, snapshotObstacle } from "./citus/IsDistributed.ts";
export { isNodeLost } from "./citus/LostNode.ts";
export { type Explained, plannedRows } from "./citus/PlannedRows.ts";
export { callShard } from "./citus/ShardCall.ts";
export {
  inForm,
  inWorkspace,
  lockedSql,
  nextOf,
  ofBatch,
  ofOneWorkspace,
  table,
  workspaceIs,
} from "./citus/StatementParts.ts";
export { commit } from "./citus/TwoPhaseCommit.ts";
