import { assert, layer } from "@effect/vitest";
import { Effect, Stream } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import type { OpenCursor } from "../../src/database/RowCursor.ts";
import { PeopleSql } from "../../src/people/PeopleSql.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { oneCampaign } from "../events/EventWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";

const devices = 2_000;
/** The key of the person, and of their first device. */
const person = 1_000;

/** A node of a plan that was run. Its counts are of one loop. */
interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: ReadonlyArray<PlanNode>;
  readonly [other: string]: unknown;
}

/** The rows that a plan has passed over. */
const rowsOf = (node: PlanNode): number => {
  const removed = Object.entries(node).reduce(
    (sum, [name, value]) => (name.startsWith("Rows Removed") ? sum + Number(value) : sum),
    0,
  );
  const own = (node["Actual Rows"] + removed) * node["Actual Loops"];
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), own);
};

/** A workspace, and a function that adds people, each of whose devices did everything once, and before. */
const peopleWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { waypost, workspace } = yield* oneCampaign();
  const found = yield* (yield* Workspaces).find(workspace.id);
  const tenant = { ...found, environment: "production" as const };
  const at = sql`'2026-11-21T12:00:00Z'::timestamptz`;
  const key = sql`${tenant.workspaceId}::int, 'production'`;
  const ofTenant = sql`WHERE workspace_id = ${tenant.workspaceId} AND environment = 'production'`;
  const [campaign] = yield* sql<{ readonly key: number }>`SELECT key FROM campaign ${ofTenant}`;
  const [content] = yield* sql<{ readonly key: number }>`SELECT key FROM content ${ofTenant}`;
  const campaignKey = sql`${campaign?.key ?? 0}::int`;
  const contentKey = sql`${content?.key ?? 0}::int`;
  /** Adds devices by their keys from the first one on; `person` gives the key of theirs. */
  const add = Effect.fnUntraced(function* (first: number, count: number, person: Statement.Fragment) {
    const each = sql`FROM generate_series(${first}::int, ${first + count - 1}::int) AS n`;
    yield* sql`INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
        user_id, token_digest, registered_at, last_seen_at)
      SELECT ${key}, n, gen_random_uuid(), 'phone ' || n, 'other', 'inbox', 'person ' || ${person},
        decode(lpad(to_hex(n), 64, '0'), 'hex'), ${at}, ${at} ${each}`;
    yield* sql`INSERT INTO device_user (workspace_id, environment, user_id, key) OVERRIDING SYSTEM VALUE
      SELECT DISTINCT ${key}, 'person ' || ${person}, ${person} ${each}`;
    for (const user of [sql`NULL::int`, person])
      yield* sql`INSERT INTO delivery (workspace_id, environment, source_id, device_key, user_key,
          campaign_key, notification_key, content_key, content_type, trigger_type, transport, status,
          created_at, settled_at)
        SELECT ${key}, COALESCE(${user}, 1), n, ${user}, ${campaignKey}, 1,
          ${contentKey}, 'message', 'fixed_time', 'inbox', 'delivered', ${at}, ${at} ${each}`;
    yield* sql`INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
        occurred_at, received_at)
      SELECT ${key}, n, gen_random_uuid(), 'enter', 1, ${at}, ${at} ${each}`;
    for (const unit of [sql`n`, sql`-(${person})`])
      yield* sql`INSERT INTO custom_event (workspace_id, environment, unit, id, device_key, name, properties,
          key, occurred_at, received_at)
        SELECT ${key}, ${unit}, gen_random_uuid(), n, 'buy', '{}'::jsonb, gen_random_uuid(), ${at}, ${at}
        ${each}`;
    yield* sql`INSERT INTO survey_response (workspace_id, environment, notification_key, campaign_key,
        device_key, content_key, answers, first_answered_at, answered_at)
      SELECT ${key}, 1, ${campaignKey}, n, ${contentKey}, '[]', ${at}, ${at} ${each}`;
    yield* sql`INSERT INTO test_response (workspace_id, environment, source_id, device_key, content_key,
        answers, answered_at)
      SELECT ${key}, 1, n, ${contentKey}, '[]', ${at} ${each}`;
    yield* sql`INSERT INTO enrolment (workspace_id, environment, campaign_key, unit_key, notification_key,
        is_first, arm, enrolled_at)
      SELECT ${key}, ${campaignKey}, n, 0, true, 'all', ${at} ${each}`;
    yield* sql`INSERT INTO device_position (workspace_id, environment, device_key, recorded_at)
      SELECT ${key}, n, ${at} ${each}`;
  });
  const path = `/workspaces/${workspace.id}/production/people/person%20${person}`;
  return { add, read: waypost.operator(path), tenant };
});

layer(TestWaypost.layer)("Export of a person with many devices", (it) => {
  it.effect("it is whole, and each section reads as many rows as the person has (Q3.1, Q3.9)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { add, read, tenant } = yield* peopleWorld;
      // The statistics are of others, and the planner expects one device.
      yield* add(100_000, 500, sql`n`);
      yield* sql`ANALYZE`.unprepared;
      yield* add(person, devices, sql`${person}::int`);
      const { body, status } = yield* read;
      assert.strictEqual(status, 200);
      const { user_id: _, ...sections } = body.data;
      assert.deepStrictEqual(
        Object.entries(sections).map(([name, rows]) => [name, (rows as ReadonlyArray<unknown>).length]),
        [
          ["devices", devices],
          ["messages", 2 * devices],
          ["answers", 2 * devices],
          ["events", devices],
          ["custom_events", 2 * devices],
          ["enrolments", devices],
          ["positions", devices],
        ],
      );
      const people = yield* Effect.provide(PeopleSql, PeopleSql.layer);
      const open: OpenCursor = (query) =>
        sql<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }> }>`
          EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`.unprepared.pipe(
          Effect.map(([row]) => {
            rows = rowsOf(row?.["QUERY PLAN"][0]?.Plan ?? assert.fail("There is no plan"));
            return Stream.empty;
          }),
          Effect.orDie,
        );
      let rows = 0;
      for (const statistics of ["old", "new"]) {
        if (statistics === "new") yield* sql`ANALYZE`.unprepared;
        for (const name of Object.keys(sections)) {
          const method = name.replace(/_(.)/, (_, letter: string) => letter.toUpperCase());
          const section: (open: OpenCursor) => Effect.Effect<unknown> = (people as any)[method](
            tenant,
            `person ${person}`,
          );
          yield* section(open);
          assert.isAbove(rows, devices, name);
          assert.isBelow(rows, 60 * devices, `${name}, with ${statistics} statistics`);
        }
      }
    }).pipe(Effect.orDie),
  );
});
