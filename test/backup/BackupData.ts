import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { assert, vi } from "vitest";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { collection, pointFeature, polygonFeature } from "../locations/Features.ts";
import { asker } from "../TestWaypost.ts";

/** A picture of one pixel. */
export const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

type Request = (path: string, ask?: Parameters<ReturnType<typeof asker>>[1]) => Promise<any>;

const requests = (base: string, credential: string): Request => {
  const ask = asker(base, credential);
  return async (path, options) => {
    const { body, status } = await Effect.runPromise(ask(path, options));
    assert.isBelow(status, 300, `${path}: ${JSON.stringify(body)}`);
    return body.data;
  };
};

/** Creates a workspace with data of every kind. */
export const fill = async (origin: string, key: string) => {
  const operator = requests(`${origin}/operator/v1`, key);
  const plan = {
    sandbox_requests_per_minute: null,
    sandbox_writes_per_minute: null,
    sandbox_requests_per_day: null,
    device_requests_per_minute: null,
    device_events_per_minute: null,
  };
  const { id } = await operator("/workspaces", { body: { name: 'A "quoted", (odd) \\ name\n', plan } });
  const abilities = [
    "campaigns:write",
    "campaigns:read",
    "locations:write",
    "locations:read",
    "media:write",
    "media:read",
    "notifications:write",
    "notifications:read",
    "reports:read",
    "segments:write",
    "devices:write",
  ];
  const { token } = await operator(`/workspaces/${id}/tokens`, {
    body: { name: "T", environment: "sandbox", abilities },
  });
  const { sdk_key } = await operator(`/workspaces/${id}/sandbox/sdk-keys`, { body: { name: "App" } });
  const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };
  const platform = requests(`${origin}/sandbox/platform/v1`, token);
  await platform("/segments", { body: { name: "Gold", rule } });
  const ring = [
    [4, 52],
    [5, 52],
    [5, 53],
    [4, 53],
    [4, 52],
  ];
  const { results } = await platform("/locations/import", {
    body: collection(
      pointFeature({ group: "G", external_id: "{a,b}" }, [4.123456789012345, 52.1]),
      polygonFeature(ring),
    ),
    headers: { "idempotency-key": randomUUID() },
  });
  const form = new FormData();
  form.append("file", new Blob([pixel], { type: "image/png" }), "dot.png");
  const media = await platform("/media", { body: form, method: "POST" });
  const campaign = await platform("/campaigns", {
    body: {
      name: "C",
      type: "geo",
      timezone: "UTC",
      starts_at: new Date().toISOString().slice(0, 10),
      location_group_names: ["G"],
    },
  });
  await platform(`/campaigns/${campaign.id}/notifications`, {
    body: {
      name: "N",
      type: "message",
      headline: "H",
      body: "B 😀",
      media_asset_id: media.id,
      trigger_type: "on_enter",
    },
  });
  const device = requests(`${origin}/device/v1`, sdk_key);
  const registered = await device("/devices/phone", {
    method: "PUT",
    body: { platform: "ios", app_version: "1.10.2", attributes: { plan: "gold", n: 0.1 } },
  });
  await platform(`/devices/${registered.id}`, {
    method: "PATCH",
    body: { approved: true },
  });
  const { deliveries } = await requests(`${origin}/device/v1`, registered.device_token)("/events", {
    body: {
      events: [
        {
          id: randomUUID(),
          type: "enter",
          location_id: results[0].id,
          occurred_at: new Date().toISOString(),
        },
      ],
    },
  });
  assert.lengthOf(deliveries, 1);
  return { platform, mediaUrl: media.url as string };
};

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
