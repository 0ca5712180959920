/**
 * The bar of reading: a `GET` of 20 campaigns costs at most 1.5 times the CPU of a hand-written Fastify + `pg` handler (see
 * CampaignsTwin.ts) that does the same query and answers the same JSON. Both are processes of their own on one PostgreSQL, in
 * turns; what counts is the CPU time, user and system, of each Node process by request. The access log is on, as it is by default.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer, References } from "effect";
import { SqlClient } from "effect/sql";
import { deepStrictEqual } from "node:assert";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Tokens } from "../../src/access/Tokens.ts";
import { EmbeddedPostgres } from "../../src/database/EmbeddedPostgres.ts";
import { MigrationFiles, migrate } from "../../src/database/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { WorkspaceChanges } from "../../src/database/WorkspaceChanges.ts";
import { Submission } from "../../src/wire/Submission.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { median, started } from "./BenchChild.ts";
import { keepAliveLoad } from "./KeepAliveLoad.ts";

const bar = 1.5;
const connections = 64;
const rounds = 9;
const warmUp = 6_000;
const perRound = 4_000;
const ticksPerSecond = 100;

/** Seconds of CPU, user and system, that a process has used up. */
const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

/** Twenty campaigns with three locations and a group each, as they are stored. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const now = 1_795_262_400_000;
  const { id } = yield* workspaces.create(
    Submission.of({ name: "Bench", plan: { production_requests_per_minute: null } }),
  );
  yield* workspaces.update(id, Submission.of({ platform_api_enabled: true }));
  const { workspaceId } = yield* workspaces.find(id);
  const { token } = yield* (yield* Tokens).issueToken(
    workspaceId,
    Submission.of({
      name: "Bench",
      environment: "production" as const,
      abilities: ["campaigns:read" as const],
    }),
  );
  const ids = (count: number) =>
    arrayOf(
      "uuid",
      Array.from({ length: count }, () => idAt(now)),
    );
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters, created_at, updated_at)
    SELECT ${tenant}, id, 'Shop', 'circle', 52, 5, 100, ${instant(now)}, ${instant(now)} FROM unnest(${ids(60)}) AS id`;
  yield* sql`
    INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
    SELECT ${tenant}, id, 'Region ' || n, ${instant(now)}, ${instant(now)}
    FROM unnest(${ids(20)}) WITH ORDINALITY AS g (id, n)`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at, created_at, updated_at)
    SELECT ${tenant}, id, 'Opening week of region ' || n, 'geo', 'Europe/Amsterdam', ${instant(now)},
      CASE WHEN n % 2 = 0 THEN ${instant(now + 4e11)} END, ${instant(now)}, ${instant(now)}
    FROM unnest(${ids(20)}) WITH ORDINALITY AS c (id, n)`;
  yield* sql`
    INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT c.workspace_id, c.environment, c.id, l.id, l.n
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM campaign) c
    JOIN (SELECT *, row_number() OVER (ORDER BY id) AS n FROM location) l ON (l.n - 1) / 3 = c.n - 1`;
  yield* sql`
    INSERT INTO campaign_location_group (workspace_id, environment, campaign_id, group_id, position)
    SELECT c.workspace_id, c.environment, c.id, g.id, 1
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM campaign) c
    JOIN (SELECT *, row_number() OVER (ORDER BY id) AS n FROM location_group) g ON g.n = c.n`;
  yield* sql`ANALYZE`.unprepared;
  return { workspaceId, token };
});

const bench = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-campaigns-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const server = yield* EmbeddedPostgres.make({ directory: folder });
  const { database, socketPath, username } = server;
  const client = postgresLayer({ _tag: "socket", path: socketPath, username, database });
  const schema = MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url));
  const { token, workspaceId } = yield* Effect.andThen(migrate, prepare).pipe(
    Effect.provide(
      Layer.mergeAll(Tokens.layer, Workspaces.layer).pipe(
        Layer.provideMerge(WorkspaceChanges.layer),
        Layer.provideMerge(Layer.merge(client, schema)),
      ),
    ),
  );

  const socketFolder = dirname(socketPath);
  const path = process.env["PATH"] ?? "";
  const twin = yield* started(
    [
      new URL("CampaignsTwin.ts", import.meta.url).pathname,
      socketFolder,
      username,
      database,
      `${workspaceId}`,
      "production",
    ],
    { PATH: path, NODE_ENV: "production" },
    join(folder, "twin.log"),
  );
  const waypost = yield* started(
    [new URL("../../src/main.ts", import.meta.url).pathname, "serve"],
    {
      PATH: path,
      NODE_ENV: "production",
      PORT: "0",
      WAYPOST_DATA_DIR: join(folder, "data"),
      DATABASE_URL: `postgresql://${username}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`,
      WAYPOST_LOG_FORMAT: "json",
    },
    join(folder, "waypost.log"),
  );

  const sides = [
    { name: "Fastify + pg", url: `${twin.origin}/campaigns`, headers: {}, pid: twin.child.pid ?? 0 },
    {
      name: "Waypost",
      url: `${waypost.origin}/platform/v1/campaigns`,
      headers: { authorization: `Bearer ${token}` },
      pid: waypost.child.pid ?? 0,
    },
  ] as const;
  const [first, second] = yield* Effect.promise(() =>
    Promise.all(
      sides.map(({ headers, url }) => fetch(url, { headers }).then((response) => response.json() as unknown)),
    ),
  );
  deepStrictEqual(second, first);

  const measured = sides.map(() => ({ micros: [] as Array<number>, perSecond: [] as Array<number> }));
  for (let round = -1; round < rounds; round++) {
    for (const [at, { headers, pid, url }] of sides.entries()) {
      const count = round < 0 ? warmUp : perRound;
      const before = cpuOf(pid);
      const { perSecond } = yield* Effect.promise(() => keepAliveLoad(url, headers, connections, count));
      if (round < 0) continue;
      measured[at]?.micros.push(((cpuOf(pid) - before) / count) * 1e6);
      measured[at]?.perSecond.push(perSecond);
    }
  }
  console.log(
    `\nGET of 20 campaigns from ${connections} connections, ${rounds} rounds of ${perRound}, medians`,
  );
  for (const [at, { name }] of sides.entries()) {
    const cpu = Math.round(median(measured[at]?.micros ?? []));
    const rate = Math.round(median(measured[at]?.perSecond ?? []));
    console.log(
      `${name.padEnd(14)} ${String(cpu).padStart(5)} µs of CPU a request   ${String(rate).padStart(6)} requests/s`,
    );
  }
  const ratio = median(measured[1]?.micros ?? []) / median(measured[0]?.micros ?? []);
  console.log(`ratio ${ratio.toFixed(2)} (bar: ${bar})`);
  if (ratio > bar) process.exitCode = 1;
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
