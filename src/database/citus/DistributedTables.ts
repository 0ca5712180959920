/**
 * The tables of what devices are and did, and of its figures. On Citus they are distributed by workspace and
 * colocated; all other tables are plain ones of the coordinator (docs/decisions/0061). The first is the one
 * that others are colocated with.
 */
export const distributedTables = [
  "device",
  "device_position",
  "device_location",
  "device_delta",
  "geofence_event",
  "event_delta",
  "compacted_event",
  "dwell",
  "custom_event",
  "delivery",
  "delivery_delta",
  "interaction_delta",
  "compacted_delivery",
  "compacted_interaction",
  "push_queue",
  "enrolment",
  "enrolment_count",
  "variant_count",
  "survey_response",
  "test_response",
  "answer_delta",
  "rollup_state",
  "retention",
  "delivery_rollup",
  "event_rollup",
  "interaction_rollup",
  "answer_rollup",
  "shard_call",
] as const;

/** The name of a distributed table. */
export type DistributedTable = (typeof distributedTables)[number];

/** The column whose hash decides on which node a row is. */
export const distributionColumn = "workspace_id";

/** Functions that statements on distributed tables call, so that each node needs them. */
export const distributedFunctions = [
  "search_text(text)",
  "answer_value(jsonb)",
  "run_on_shard(integer, text[], text, text[], text[])",
] as const;
