import { assert, layer, vi } from "@effect/vitest";
import { Effect, Exit, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { SqlClient } from "effect/sql";
import { CurrentActor } from "../../../src/access/Actor.ts";
import { ReadPause } from "../../../src/database/LongReads.ts";
import { CurrentDatabaseTime, DatabaseTime } from "../../../src/database/pool/DatabaseTime.ts";
import { noteRequest } from "../../../src/database/RecentWorkspaces.ts";
import { DeviceImports } from "../../../src/devices/import/DeviceImports.ts";
import type { Tenant } from "../../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { importWorld } from "./ImportWorld.ts";

const row = { installation_id: "one", platform: "ios" };

/** A workspace, with the tenant of its Production environment. */
const importOf = Effect.gen(function* () {
  const world = yield* importWorld;
  const workspaces = yield* Workspaces;
  const { workspace, workspaceId } = yield* workspaces.find(world.workspace.id);
  return { ...world, tenant: { workspaceId, workspace, environment: "production" as const } };
});

/** Imports the rows of a body, without HTTP. */
const imported = (tenant: Tenant, stream: Stream.Stream<Uint8Array, unknown>) =>
  Effect.flatMap(DeviceImports, (imports) => {
    const headers = { "content-type": "application/x-ndjson" };
    const request = { headers, stream } as unknown as HttpServerRequest.HttpServerRequest;
    const actor = { type: "operator", id: null, name: "operator" } as const;
    return imports.run(tenant, request).pipe(Effect.scoped, Effect.provideService(CurrentActor, actor));
  });

layer(TestWaypost.layer)("Batches of an import of devices", (it) => {
  it.effect("imports at the same time give each person one key, and devices have it (Q4.2, Q1.5)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { lines, production } = yield* importWorld;
      const person = (index: number) => `person-${index % 40}`;
      yield* lines([{ ...row, user_id: person(0) }]);
      const rows = Array.from({ length: 120 }, (_, index) => ({
        installation_id: `phone-${index}`,
        platform: "web",
        user_id: person(index),
      }));
      const tablets = rows.map((each) => ({ ...each, installation_id: `tablet-${each.installation_id}` }));
      const answers = yield* Effect.all([lines(rows), lines(tablets.toReversed())], {
        concurrency: "unbounded",
      });
      assert.deepStrictEqual(
        answers.map(({ body }) => body.data.summary.created),
        [120, 120],
      );
      yield* lines([
        { installation_id: "phone-0", user_id: null },
        { installation_id: "phone-1", user_id: "person-2" },
        { installation_id: "phone-2", locale: "nl" },
      ]);
      const keys = yield* sql<object>`
        WITH imported AS (
          SELECT * FROM device
          WHERE workspace_id = ${production.workspaceId} AND environment = 'production'
        )
        SELECT count(DISTINCT user_id)::int AS people, count(DISTINCT user_key)::int AS keys,
          count(*) FILTER (WHERE user_id IS NULL AND user_key IS NULL)::int AS nobody,
          count(*) FILTER (WHERE user_key = (
            SELECT u.key FROM device_user u
            WHERE (u.workspace_id, u.environment, u.user_id) = (d.workspace_id, d.environment, d.user_id)
          ))::int AS keyed
        FROM imported d`;
      assert.deepStrictEqual(keys, [{ people: 40, keys: 40, nobody: 1, keyed: 240 }]);
    }),
  );

  it.effect("behind 10,000 rows only failed ones are listed, and all are counted (Q4.4)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { lines, production } = yield* importWorld;
      const rows = Array.from({ length: 12_500 }, (_, index) => ({
        installation_id: `many-${index}`,
        platform: index === 12_345 ? "none" : "web",
      }));
      const { body } = yield* lines(rows);
      const { results, summary } = body.data;
      assert.deepStrictEqual(summary, { created: 12_499, updated: 0, skipped: 0, failed: 1 });
      assert.deepStrictEqual(
        results.map(({ index }: any) => index),
        [...Array.from({ length: 10_000 }, (_, index) => index), 12_345],
      );
      const keys = yield* sql<{ count: number; last: number }>`
        SELECT count(DISTINCT key)::int AS count, max(key) AS last FROM device
        WHERE workspace_id = ${production.workspaceId} AND environment = 'production'`;
      assert.deepStrictEqual(keys, [{ count: 12_499, last: 12_499 }]);
    }),
  );

  it.effect("an import that breaks off has an entry with all that it has stored (S5, Q4.6)", () =>
    Effect.gen(function* () {
      const { tenant, waypost, workspace } = yield* importOf;
      const rows = Array.from({ length: 4_500 }, (_, index) =>
        JSON.stringify({ ...row, installation_id: `phone-${index}` }),
      );
      const sent = Stream.succeed(new TextEncoder().encode(rows.join("\n")));
      const exit = yield* Effect.exit(
        imported(tenant, Stream.concat(sent, Stream.fail(new Error("The client is gone.")))),
      );
      assert.isTrue(Exit.isFailure(exit));
      const { body } = yield* waypost.operator(`/workspaces/${workspace.id}/production/activity`);
      const [entry, ...others] = body.data.filter(({ action }: any) => action === "import");
      assert.deepStrictEqual(others, []);
      // The second batch is stored or not, depending on when the body breaks off.
      const sql = yield* SqlClient.SqlClient;
      const [stored] = yield* sql<{ readonly count: number }>`
        SELECT count(*)::int AS count FROM device WHERE workspace_id = ${tenant.workspaceId}`;
      assert.isAtLeast(stored?.count ?? 0, 2_000);
      assert.deepStrictEqual(entry.changes.created, { old: null, new: stored?.count });
    }),
  );

  it.effect("beside other workspaces an import stores small batches, with pauses (running.neighbours)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* importOf;
      // The time of the computer stands still, so that the request of the other workspace stays recent.
      vi.spyOn(performance, "now").mockReturnValue(performance.now());
      noteRequest(-1);
      const rows = Array.from({ length: 1_200 }, (_, index) =>
        JSON.stringify({ ...row, installation_id: `phone-${index}` }),
      );
      const sql = yield* SqlClient.SqlClient;
      let pauses = 0;
      const results = yield* imported(tenant, Stream.succeed(new TextEncoder().encode(rows.join("\n")))).pipe(
        Effect.provideService(ReadPause, (_, resume) => {
          pauses++;
          resume();
        }),
        Effect.ensuring(Effect.sync(() => void vi.restoreAllMocks())),
      );
      assert.strictEqual(results.summary.created, 1_200);
      assert.strictEqual(pauses, 3);
      const batches = yield* sql<{ readonly devices: number }>`
        SELECT count(*)::int AS devices FROM device WHERE workspace_id = ${tenant.workspaceId}
        GROUP BY xmin::text ORDER BY min(key)`;
      assert.deepStrictEqual(
        batches.map(({ devices }) => devices),
        [500, 500, 200],
      );
    }),
  );

  it.effect("an import may take the database longer than other requests (Q4.7)", () =>
    Effect.gen(function* () {
      const { devices, tenant } = yield* importOf;
      const sent = Stream.succeed(new TextEncoder().encode(JSON.stringify(row)));
      const results = yield* imported(tenant, sent).pipe(
        Effect.provideService(CurrentDatabaseTime, new DatabaseTime(0)),
      );
      assert.strictEqual(results.summary.created, 1);
      assert.lengthOf(yield* devices, 1);
    }),
  );
});
