import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { assert, vi } from "vitest";
import { abilities } from "../../src/access/Ability.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { given, ok } from "../given/Given.ts";
import { pixel } from "../given/GivenBodies.ts";
import { box, collection, pointFeature, polygonFeature } from "../locations/Features.ts";
import { type Ask, asker, unlimited } from "../TestWaypost.ts";

/** Creates a workspace with data of every kind. */
const filled = Effect.fnUntraced(function* (origin: string, key: string) {
  const operator = asker(`${origin}/operator/v1`, key);
  const device = (credential: string) => asker(`${origin}/device/v1`, credential);
  const name = 'A "quoted", (odd) \\ name\n';
  const { id } = ok(yield* operator("/workspaces", { body: { name, plan: unlimited } }));
  const issued = { name: "T", environment: "sandbox", abilities };
  const { token } = ok(yield* operator(`/workspaces/${id}/tokens`, { body: issued }));
  const app = { name: "App" };
  const { sdk_key } = ok(yield* operator(`/workspaces/${id}/sandbox/sdk-keys`, { body: app }));
  const platform = asker(`${origin}/sandbox/platform/v1`, token);
  const make = given(platform);
  yield* make.segment({ name: "Gold" });
  const imported = yield* platform("/locations/import", {
    body: collection(
      pointFeature({ group: "G", external_id: "{a,b}" }, [4.123456789012345, 52.1]),
      polygonFeature(box(4, 52, 5, 53)),
    ),
    headers: { "idempotency-key": randomUUID() },
  });
  const form = new FormData();
  form.append("file", new Blob([pixel], { type: "image/png" }), "dot.png");
  const media = ok(yield* platform("/media", { body: form, method: "POST" }));
  const now = new Date().toISOString();
  const campaign = yield* make.campaign({ starts_at: now.slice(0, 10), location_group_names: ["G"] });
  yield* make.notification(campaign, { body: "B 😀", media_asset_id: media.id });
  const registered = ok(
    yield* device(sdk_key)("/devices/phone", {
      method: "PUT",
      body: { platform: "ios", app_version: "1.10.2", attributes: { plan: "gold", n: 0.1 } },
    }),
  );
  ok(yield* platform(`/devices/${registered.id}`, { method: "PATCH", body: { approved: true } }));
  const location_id = ok(imported).results[0].id;
  const event = { id: randomUUID(), type: "enter", location_id, occurred_at: new Date().toISOString() };
  const { deliveries } = ok(yield* device(registered.device_token)("/events", { body: { events: [event] } }));
  assert.lengthOf(deliveries, 1);
  return {
    platform: (path: string, ask?: Ask) => Effect.runPromise(Effect.map(platform(path, ask), ok)),
    mediaUrl: media.url as string,
  };
});
export const fill = (origin: string, key: string) => Effect.runPromise(filled(origin, key));

/** Every row of every table, as JSON. */
export const rowsOf = async (dataDir: string) => {
  const folder = (await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")).split("\n")[4] ?? "";
  const read = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const tables = yield* sql<{ name: string }>`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
    const all: Record<string, ReadonlyArray<string>> = {};
    for (const { name } of tables) {
      const rows = yield* sql<{ line: string }>`SELECT to_jsonb(t)::text AS line FROM ${sql(name)} AS t`;
      all[name] = rows.map(({ line }) => line).toSorted();
    }
    const sequences = yield* sql`SELECT sequencename, last_value::text FROM pg_sequences ORDER BY 1`;
    return { all, sequences };
  });
  const path = join(folder, ".s.PGSQL.5432");
  const client = postgresLayer({ _tag: "socket", path, username: "waypost", database: "waypost" });
  return Effect.runPromise(Effect.provide(read, client));
};

/**
 * Waits until the background jobs have added all deltas and created all thumbnails. Then rows no longer
 * change.
 */
export const jobsDone = (dataDir: string) =>
  vi.waitUntil(
    async () => {
      const { all } = await rowsOf(dataDir);
      const deltas = Object.keys(all).filter((table) => table.endsWith("_delta"));
      const hasDeltas = deltas.some((table) => all[table]?.length !== 0);
      return !hasDeltas && !all["media_file"]?.some((row) => row.includes('"pending"'));
    },
    { timeout: 120_000, interval: 200 },
  );
