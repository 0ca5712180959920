/**
 * The bars of reports: over a year of deliveries and geofence events each report is answered from the roll-ups in a small part of the time
 * that plain SQL over the base rows takes, and within a fixed time; both in turns on one PostgreSQL, warm. Also: how long it takes to make
 * the roll-ups anew, how large they are, and for how long a report holds up everything else. BENCH_ROWS (1,000,000 unless told) of each kind.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Database } from "../../src/database/Database.ts";
import { EmbeddedPostgres } from "../../src/database/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../../src/database/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import type { SentParameters } from "../../src/reports/ReportQuery.ts";
import { Reports } from "../../src/reports/Reports.ts";
import { RollUps } from "../../src/reports/RollUps.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { median } from "./BenchChild.ts";

const rows = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const devices = Math.max(1000, rows / 20);
const campaigns = 200;
const places = 2000;
const rounds = 5;
const timezone = "Europe/Amsterdam";
const held = 50;
const share = 0.25;

const uuid = (name: string, no: string) => `md5('${name}' || ${no})::uuid`;

/** A year that ends now, straight into the tables; the triggers sleep, so that all of it has to be rolled up anew. */
const build = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  const own = "1 AS workspace_id, 'production' AS environment";
  yield* run("SET statement_timeout = 0");
  yield* run(`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', '${timezone}', '2026-01-01Z', '2026-01-01Z')`);
  yield* run(
    "INSERT INTO tenant SELECT 1, e, 0 FROM unnest(ARRAY['sandbox', 'production']) e ON CONFLICT DO NOTHING",
  );
  yield* run(`INSERT INTO device (workspace_id, environment, no, id, installation_id, platform, transport, token_digest, registered_at,
      last_seen_at)
    SELECT ${own}, n, gen_random_uuid(), 'i' || n, 'ios', 'inbox', decode(repeat('00', 32), 'hex'), '2025-01-01Z', '2025-01-01Z'
    FROM generate_series(1, ${devices}) n`);
  yield* run(`INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters, created_at, updated_at)
    SELECT ${own}, ${uuid("location", "n")}, 'Place ' || n, 'circle', 52, 5, 100, '2025-01-01Z', '2025-01-01Z' FROM generate_series(1, ${places}) n`);
  yield* run(`INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
    SELECT ${own}, ${uuid("group", "n")}, 'Group ' || n, '2025-01-01Z', '2025-01-01Z' FROM generate_series(1, 20) n`);
  yield* run(`INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
    SELECT ${own}, ${uuid("group", "1 + n % 20")}, ${uuid("location", "n")} FROM generate_series(1, ${places}) n`);
  yield* run(`INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, created_at, updated_at)
    SELECT ${own}, ${uuid("campaign", "n")}, 'Campaign ' || n, 'geo', 'UTC', '2025-01-01Z', '2025-01-01Z', '2025-01-01Z' FROM generate_series(1, ${campaigns}) n`);
  yield* run(`INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT ${own}, ${uuid("campaign", "n")}, ${uuid("location", "n * 10 + p")}, p FROM generate_series(1, ${campaigns}) n, generate_series(0, 4) p
    WHERE n * 10 + p <= ${places}`);
  yield* run(`INSERT INTO campaign_location_group (workspace_id, environment, campaign_id, group_id, position)
    SELECT ${own}, ${uuid("campaign", "n")}, ${uuid("group", "1 + n % 20")}, 0 FROM generate_series(1, ${campaigns}) n`);
  yield* run("ALTER TABLE delivery DISABLE TRIGGER USER");
  yield* run("ALTER TABLE geofence_event DISABLE TRIGGER USER");
  // A few places and campaigns have most of what happens; a third of all events enters what a later one leaves.
  yield* run(`INSERT INTO delivery (workspace_id, environment, origin, device_no, campaign_no, notification_no, content_no, content_type,
      trigger_type, location_no, transport, status, created_at, settled_at)
    SELECT ${own}, n, 1 + floor(random() * ${devices})::int, c, c, 1, CASE WHEN c % 5 = 0 THEN 'survey' ELSE 'message' END,
      CASE WHEN c % 2 = 0 THEN 'on_enter' ELSE 'on_exit' END, 1, 'inbox', CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'delivered' END, at, at
    FROM (
      SELECT n, 1 + floor(random() * random() * ${campaigns})::int AS c,
        date_trunc('milliseconds', statement_timestamp() - random() * interval '365 days') AS at
      FROM generate_series(1, ${rows}) n) AS made`);
  yield* run(`INSERT INTO geofence_event (workspace_id, environment, device_no, id, type, location_no, occurred_at, received_at)
    SELECT ${own}, (1 + (n / 2 * 7919::bigint) % ${devices})::int, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'enter' ELSE 'exit' END,
      (1 + (n / 2 * 104729::bigint % 7919) % ${places})::int, at + (n % 2) * interval '17 minutes', at
    FROM (
      SELECT n, date_trunc('milliseconds', statement_timestamp() - ((n / 2)::float8 * 2 / ${rows}) * interval '365 days') AS at
      FROM generate_series(0, ${rows - 1}) n) AS made`);
  yield* run("INSERT INTO rollup_state VALUES (1, 'production', '', 'infinity')");
  yield* run("ALTER TABLE delivery ENABLE TRIGGER USER");
  yield* run("ALTER TABLE geofence_event ENABLE TRIGGER USER");
  for (const table of ["delivery", "geofence_event", "device", "location", "campaign"])
    yield* run(`VACUUM ANALYZE ${table}`);
});

interface Question {
  readonly name: string;
  readonly report: "summary" | "campaigns" | "locations" | "notifications";
  readonly search: SentParameters;
  readonly millis: number;
  readonly ratio?: number;
}

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const reports = yield* Reports;
  const rollUps = yield* RollUps;
  yield* build;
  const tenant = { workspaceId: 1, environment: "production", workspace: { timezone } } as unknown as Tenant;
  let misses = 0;
  const say = (name: string, figure: string, isMet: boolean) => {
    if (!isMet) misses++;
    console.log(`${name.padEnd(44)} ${figure.padEnd(54)} ${isMet ? "" : "missed"}`);
  };

  const began = performance.now();
  while (yield* rollUps.step);
  const rebuild = (performance.now() - began) / 1000;
  const bound = (30 * rows) / 10_000_000;
  say("roll-ups made anew", `${rebuild.toFixed(1)} s (bar: ${bound.toFixed(1)})`, rebuild <= bound);
  for (const table of ["delivery_rollup", "event_rollup"])
    yield* sql`VACUUM ANALYZE ${sql(table)}`.unprepared;
  const [size] = yield* sql<{ readonly base: number; readonly rolled: number }>`
    SELECT (pg_total_relation_size('delivery') + pg_total_relation_size('geofence_event'))::float8 AS base,
      (pg_total_relation_size('delivery_rollup') + pg_total_relation_size('event_rollup'))::float8 AS rolled`;
  const part = (size?.rolled ?? 0) / (size?.base ?? 1);
  say("size of roll-ups to base rows", `${part.toFixed(3)} (bar: ${share})`, part < share);

  const [ids] = yield* sql<{ readonly campaign: string; readonly location: string; readonly group: string }>`
    SELECT ${sql.literal(uuid("campaign", "7"))} AS campaign, ${sql.literal(uuid("location", "70"))} AS location,
      ${sql.literal(uuid("group", "7"))} AS "group"`;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const year = { start: day(364), end: day(0) };
  const month = { start: day(29), end: day(0) };
  const filters = {
    campaign: { campaign: ids?.campaign ?? "" },
    location: { location: ids?.location ?? "" },
    group: { location_group: ids?.group ?? "" },
    activation: { activation: "on_enter" },
    type: { content_type: "survey" },
  };
  const questions: ReadonlyArray<Question> = [
    { name: "summary, 365 days", report: "summary", search: year, millis: 100, ratio: 30 },
    ...Object.entries(filters).map(([name, filter]) => ({
      name: `summary by ${name}, 365 days`,
      report: "summary" as const,
      search: { ...year, ...filter },
      millis: 150,
    })),
    { name: "campaigns, 365 days", report: "campaigns", search: year, millis: 200, ratio: 30 },
    { name: "locations, 365 days", report: "locations", search: year, millis: 200, ratio: 50 },
    { name: "notifications, 365 days", report: "notifications", search: year, millis: 200 },
    ...(["summary", "campaigns", "locations", "notifications"] as const).map((report) => ({
      name: `${report}, 30 days`,
      report,
      search: month,
      millis: 60,
    })),
  ];
  const timed = (question: Question) =>
    Effect.gen(function* () {
      const began = performance.now();
      const answer = yield* reports[question.report](tenant, question.search);
      return { answer, millis: performance.now() - began };
    });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  for (const question of questions) {
    yield* timed(question);
    const times: Array<number> = [];
    let rolledUp = "";
    loop.reset();
    loop.enable();
    for (let round = 0; round < rounds; round++) {
      const { answer, millis } = yield* timed(question);
      times.push(millis);
      rolledUp = answer;
    }
    loop.disable();
    // In a zone that is not the workspace's the roll-ups are no use, and base rows answer.
    yield* sql`UPDATE rollup_state SET timezone = 'UTC'`;
    yield* timed(question);
    const plain = yield* timed(question);
    yield* sql`UPDATE rollup_state SET timezone = ${timezone}`;
    const millis = median(times);
    const ratio = plain.millis / millis;
    const isExact = plain.answer === rolledUp;
    say(
      question.name,
      `${millis.toFixed(0)} ms (bar: ${question.millis}), plain ${plain.millis.toFixed(0)} ms, 1/${ratio.toFixed(0)}${
        question.ratio === undefined ? "" : ` (bar: 1/${question.ratio})`
      }, held ${(loop.max / 1e6).toFixed(0)} ms${isExact ? "" : ", NOT THE SAME"}`,
      isExact && millis <= question.millis && ratio >= (question.ratio ?? 0) && loop.max / 1e6 <= held,
    );
  }
  if (misses > 0) process.exitCode = 1;
});

const directory = mkdtempSync(join(tmpdir(), "waypost-bench-"));
const client = Layer.unwrap(
  Effect.map(
    EmbeddedPostgres.make({ directory, settings: { max_wal_size: "4GB" } }),
    ({ database, socketPath, username }) =>
      postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 1 }),
  ),
);
const services = Layer.mergeAll(Reports.layer, RollUps.layer).pipe(
  Layer.provideMerge(Layer.effectDiscard(migrate)),
  Layer.provide(MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url))),
  Layer.provideMerge(Database.layerClient),
  Layer.provideMerge(client),
);

NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(services),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))),
    Effect.scoped,
  ),
);
