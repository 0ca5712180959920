/**
 * Cost of rollups for a request (bar: at most 15 % more CPU than without): the CPU of Waypost and PostgreSQL
 * for a request that reports an event, and for a delivery of a send, over HTTP, until everything is rolled
 * up. The baseline is the same program on a database without the triggers that write deltas and without the
 * index of visits, where the rollup job has no work. Both start from one year of history and alternate on one
 * durable PostgreSQL. A quarter of the events sends a message. Autovacuum is off, so that it does not run in
 * the time of either side; the vacuum that rollups need is part of their time. BENCH_ROUNDS (5 if unset) of
 * BENCH_EVENTS (10,000 if unset) requests each.
 *
 * `--keep DIR` keeps the databases there and reuses them the next time (each run adds to them), `--build`
 * only makes them; `--events` and `--sends` measure only those.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, Layer, References, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { instant, unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey } from "../../src/wire/Ids.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { cpuOf, cpuOfServer, median, started } from "./BenchChild.ts";
import { onSchema } from "./BenchDatabase.ts";
import { buildReportYear, uuidOf } from "./ReportYear.ts";
import { requestLoad } from "./RequestLoad.ts";
import { visitRequests } from "./VisitRequests.ts";

const bar = 1.15;
const connections = 64;
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5);
const perRound = Number(process.env["BENCH_EVENTS"] ?? 10_000);
/** Devices that report events. */
const reporting = 20_000;
const year = {
  rows: 200_000,
  devices: 100_000,
  campaigns: 200,
  locations: 2000,
  timezone: "Europe/Amsterdam",
};
/** The database without rollups. */
const plain = "plain";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    build: { type: "boolean", default: false },
    events: { type: "boolean", default: false },
    sends: { type: "boolean", default: false },
  },
});

/**
 * The history, rolled up, with campaigns at half of the locations, each for entries or exits, and a push
 * campaign.
 */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  const { step } = yield* Rollups;
  yield* buildReportYear(year);
  while (yield* step);
  yield* sql`DELETE FROM campaign_location_group`;
  yield* sql`UPDATE content SET type = 'message', questions = NULL`;
  yield* sql`UPDATE notification SET type = 'message'`;
  const secrets = Array.from({ length: reporting }, makeSecret);
  yield* sql`
    UPDATE device SET token_digest = t.digest, token_used = true
    FROM ${unnested("t", secrets, { digest: ["bytea", digest] })} WHERE device.key = t.ord`;
  yield* sql`UPDATE tenant SET last_device_key = ${year.devices}`;
  yield* run(`INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at,
      created_at, updated_at)
    SELECT 1, 'production', ${uuidOf("campaign", "0")}, 'Push', 'push', 'UTC', '2025-01-01Z', '2100-01-01Z',
      '2025-01-01Z', '2025-01-01Z'`);
  yield* run(`INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
      trigger_type, send_at, attached_at, updated_at)
    SELECT 1, 'production', ${uuidOf("campaign", "0")}, ${uuidOf("notification", "1")},
      ${uuidOf("pair", "0")},
      'fixed_time', '12:00', '2025-01-01Z', '2025-01-01Z'`);
  yield* run(`SELECT setval('delivery_source_id', ${year.rows})`);
  yield* run("VACUUM ANALYZE");
  yield* run("CHECKPOINT");
  return secrets.map((secret, at) =>
    deviceToken({ workspaceId: 1, environment: "production", deviceKey: DeviceKey(at + 1) }, secret),
  );
});

/** Removes the rows and the index that rollups add to writes. Statements still collect the rows. */
const removeRollups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CREATE FUNCTION skip_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;
  for (const table of ["delivery_delta", "event_delta", "device_delta"])
    yield* sql`CREATE TRIGGER skip BEFORE INSERT ON ${sql(table)} FOR EACH ROW EXECUTE FUNCTION skip_row()`;
  yield* sql`DROP INDEX geofence_event_visits`;
});

/** Waits until all deltas are added, and vacuums what the job has written. */
const rolledUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const pending = sql<{ readonly isPending: boolean }>`
    SELECT EXISTS (SELECT FROM event_delta) OR EXISTS (SELECT FROM delivery_delta) AS "isPending"`;
  while ((yield* pending)[0]?.isPending === true) yield* Effect.sleep(100);
  yield* sql`VACUUM event_delta, delivery_delta, event_rollup, delivery_rollup`.unprepared;
});

/** A Waypost and its database. */
interface Side {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  readonly client: Layer.Layer<SqlClient.SqlClient>;
  readonly request: () => string;
}

const reportEvents = ({ origin, request }: Side) =>
  Effect.promise(async () => {
    const load = await requestLoad(origin, connections, perRound, request, '"accepted":1');
    return load.perSecond;
  });

/** Sends to all devices, and gives the deliveries a second. */
const send = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const due = instant(yield* Clock.currentTimeMillis);
  const id = randomUUID();
  yield* sql`
    INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
      notification_key, due_at, status)
    SELECT c.workspace_id, c.environment, ${id}::uuid, c.id, c.key, n.id, n.key, ${due}, 'scheduled'
    FROM campaign c JOIN campaign_notification a ON a.campaign_id = c.id JOIN notification n
      ON n.id = a.notification_id
    WHERE c.type = 'push'`;
  for (;;) {
    const [state] = yield* sql<{
      readonly status: string;
      readonly delivered: number;
      readonly took: number;
    }>`
      SELECT status, delivered, extract(epoch FROM finished_at - started_at)::float8 AS took FROM send
      WHERE id = ${id}::uuid`;
    if (state?.status !== "scheduled" && state?.status !== "running") {
      if (state?.delivered !== year.devices)
        return yield* Effect.die(
          new Error(`The send is ${state?.status}, with ${state?.delivered} delivered`),
        );
      return year.devices / state.took;
    }
    yield* Effect.sleep(20);
  }
});

/**
 * Measures both sides alternately, the first one changing with each round; the first round does not count.
 */
const compare = Effect.fnUntraced(function* <R>(
  what: string,
  count: number,
  sides: readonly [Side, Side],
  server: number,
  ask: (side: Side) => Effect.Effect<number, unknown, R>,
) {
  const figures = sides.map(() => ({
    program: [] as Array<number>,
    server: [] as Array<number>,
    rate: [] as Array<number>,
  }));
  let pause = 0;
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = [cpuOf(side.pid), cpuOfServer(server)] as const;
      const rate = yield* Effect.provide(ask(side), side.client);
      const began = performance.now();
      if (side.name === plain) yield* Effect.sleep(pause);
      else {
        yield* Effect.provide(rolledUp, side.client);
        pause = performance.now() - began;
      }
      if (round < 0) continue;
      const each = figures[sides.indexOf(side)];
      each?.rate.push(rate);
      each?.program.push(((cpuOf(side.pid) - before[0]) / count) * 1e6);
      each?.server.push(((cpuOfServer(server) - before[1]) / count) * 1e6);
    }
  }
  console.log(`\n${what}, ${rounds} rounds of ${count}, medians`);
  const sums = figures.map((each) => {
    const sums = each.program.map((micros, at) => micros + (each.server[at] ?? 0));
    return { sums, program: median(each.program), server: median(each.server), rate: median(each.rate) };
  });
  for (const [at, { program, rate, server: ofServer, sums: all }] of sums.entries()) {
    const name = sides[at]?.name === plain ? "without rollups" : "with rollups";
    const byRound = all.map((micros) => micros.toFixed(1)).join(" ");
    console.log(
      `${name.padEnd(18)} ${median(all).toFixed(1)} µs of CPU (Waypost ${program.toFixed(1)}, ` +
        `PostgreSQL ${ofServer.toFixed(1)}), ${Math.round(rate)} a second   [${byRound}]`,
    );
  }
  const [own, bare] = sums;
  const ratios = (own?.sums ?? []).map((micros, at) => micros / (bare?.sums[at] ?? Number.NaN));
  const ratio = median(own?.sums ?? []) / median(bare?.sums ?? []);
  const clock = (bare?.rate ?? Number.NaN) / (own?.rate ?? Number.NaN);
  const byRound = ratios.map((each) => each.toFixed(2)).join(" ");
  console.log(
    `ratio of CPU ${ratio.toFixed(3)} (bar: ${bar}; by round ${byRound}), by the clock ${clock.toFixed(3)}`,
  );
  if (ratio > bar) process.exitCode = 1;
});

const bench = Effect.gen(function* () {
  const folder = options.keep ?? mkdtempSync(join(tmpdir(), "waypost-bench-"));
  const tokensFile = join(folder, "tokens.json");
  const isNew = !existsSync(tokensFile);
  if (options.keep === undefined)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  else mkdirSync(folder, { recursive: true });
  const { database, pid, socketPath, username } = yield* EmbeddedPostgres.make({
    directory: folder,
    settings: { autovacuum: "off" },
  });
  const socketFolder = encodeURIComponent(dirname(socketPath));
  const client = (name: string) => {
    const target = { _tag: "socket", path: socketPath, username, database: name } as const;
    return Layer.orDie(postgresLayer(target, { maxConnections: 1 }));
  };
  if (isNew) {
    const tokens = yield* prepare.pipe(Effect.provide(onSchema(Rollups.layer, client(database))));
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`SET statement_timeout = 0`.unprepared;
      // The session that filled it may still be open.
      yield* Effect.retry(sql`CREATE DATABASE ${sql(plain)} TEMPLATE ${sql(database)}`.unprepared, {
        times: 60,
        schedule: Schedule.spaced("1 second"),
      });
    }).pipe(Effect.provide(client("postgres")));
    yield* Effect.provide(removeRollups, client(plain));
    writeFileSync(tokensFile, JSON.stringify(tokens));
  }
  if (options.build) return;
  const tokens = JSON.parse(readFileSync(tokensFile, "utf8")) as ReadonlyArray<string>;
  const locations = yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string }>`SELECT id FROM location ORDER BY key`,
  ).pipe(Effect.provide(client(plain)));
  const side = Effect.fnUntraced(function* (name: string) {
    rmSync(join(folder, `${name}.log`), { force: true });
    const { child, origin } = yield* started(
      [new URL("../../src/main.ts", import.meta.url).pathname, "serve"],
      {
        PATH: process.env["PATH"] ?? "",
        NODE_ENV: "production",
        PORT: "0",
        WAYPOST_PROCESSES: "1",
        WAYPOST_DATA_DIR: join(folder, `${name}-data`),
        DATABASE_URL: `postgresql://${username}@localhost/${name}?host=${socketFolder}`,
        WAYPOST_LOG_FORMAT: "json",
      },
      join(folder, `${name}.log`),
    );
    const request = visitRequests(
      `${origin}/device/v1/events`,
      tokens,
      locations.map(({ id }) => id),
    );
    return { name, origin, pid: child.pid ?? 0, client: client(name), request } satisfies Side;
  });
  const sides = [yield* side(database), yield* side(plain)] as const;
  const server = (yield* pid) ?? 0;
  if (!options.sends) {
    const name = `POST of an event from ${connections} connections`;
    yield* compare(name, perRound, sides, server, reportEvents);
  }
  if (!options.events)
    yield* compare("A delivery of a send to inboxes", year.devices, sides, server, () => send);
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
