import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { type LocationBlock, unpackFigures } from "../../../src/reports/rollups/encoding/LocationBlock.ts";
import { RollupMonths } from "../../../src/reports/rollups/RollupMonths.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupStateSql } from "../../../src/reports/rollups/RollupStateSql.ts";

/** All rows of the rollups of a workspace, in the order of their keys. */
const storedRollups = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`workspace_id = ${workspaceId}`;
  const deliveries = yield* sql`
    SELECT environment, span, starts_on::text, campaign_key, notification_key, content_type, trigger_type,
      delivered::int, failed::int, reached, encode(devices, 'hex') AS devices
    FROM delivery_rollup WHERE ${mine} ORDER BY 1, 2, 3, 4, 5, 6, 7`;
  const blocks = yield* sql<LocationBlock & { readonly key: string }>`
    SELECT concat_ws(' ', environment, span, starts_on, block) AS key, figures, devices
    FROM event_rollup WHERE ${mine} ORDER BY environment, span, starts_on, block`;
  const interactions = yield* sql`
    SELECT environment, span, starts_on::text, campaign_key, notification_key, content_type, trigger_type,
      opened::int, clicked::int, responses::int
    FROM interaction_rollup WHERE ${mine} AND (opened, clicked, responses) <> (0, 0, 0)
    ORDER BY 1, 2, 3, 4, 5, 6, 7`;
  const answers = yield* sql`
    SELECT environment, span, starts_on::text, campaign_key, notification_key, question_id, counts
    FROM answer_rollup WHERE ${mine} AND counts <> '{}' ORDER BY 1, 2, 3, 4, 5, 6`;
  const events = blocks.map(({ key, ...block }) => ({ key, locations: unpackFigures(block) }));
  return { deliveries, events, interactions, answers };
}, Effect.orDie);

/**
 * Runs the rollup job until no work is left. A step leaves out an environment that the job of the test's
 * Waypost is working on.
 */
export const rollUp = Effect.gen(function* () {
  const { step } = yield* Rollups;
  const { pending } = yield* RollupStateSql;
  const { running } = yield* RollupMonths;
  do while (yield* step);
  while ((yield* pending(yield* running)).length > 0);
}).pipe(Effect.provide([RollupStateSql.layer, RollupMonths.layer]));

/**
 * Asserts that a rebuild from source rows writes the rows that the job has written so far, by adding deltas:
 * the same figures and devices for every key. Gives the number of rows. Afterwards the rollups are complete.
 */
export const assertRebuildIsSame = Effect.fnUntraced(function* (workspaceId: number, moment: string) {
  const sql = yield* SqlClient.SqlClient;
  yield* rollUp;
  const before = yield* storedRollups(workspaceId);
  yield* sql`UPDATE rollup_state SET timezone = '' WHERE workspace_id = ${workspaceId}`;
  yield* rollUp;
  assert.deepStrictEqual(yield* storedRollups(workspaceId), before, moment);
  return before.deliveries.length + before.events.length;
}, Effect.orDie);
