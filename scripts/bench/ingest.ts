/**
 * What rollups cost those who write (bar: at most 15 % more than without): the CPU of Waypost and PostgreSQL for a request that reports an event, and for a
 * delivery of a send, over HTTP, until everything is rolled up. Beside it the same program on a database without the triggers of the feed and the index of
 * stays, where the chore finds nothing to do. Both start from one year of history, in turns on one PostgreSQL that is durable. A quarter of the events
 * fires a message. The server does not vacuum by itself, which would fall to whoever's turn it is; what rollups need of it is part of their turn.
 *
 * `--keep DIR` keeps the databases there and finds them there the next time (each run adds to them), `--build` only makes them; `--events` and `--sends` measure only those.
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
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey } from "../../src/wire/Ids.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { cpuOf, cpuOfServer, median, started } from "./BenchChild.ts";
import { onSchema } from "./BenchDatabase.ts";
import { buildReportYear, uuidOf } from "./ReportYear.ts";
import { postHead, requestLoad } from "./RequestLoad.ts";

const bar = 1.15;
const connections = 64;
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5);
const perRound = Number(process.env["BENCH_EVENTS"] ?? 10_000);
const reporting = 20_000;
const places = 2000;
const year = { rows: 200_000, devices: 100_000, campaigns: 200, places, timezone: "Europe/Amsterdam" };
const plain = "plain";

const { values: given } = parseArgs({
  options: {
    keep: { type: "string" },
    build: { type: "boolean", default: false },
    events: { type: "boolean", default: false },
    sends: { type: "boolean", default: false },
  },
});

/** The history, rolled up; campaigns at half of the places, each for enters or for exits; and a push campaign. */
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
    FROM unnest(${arrayOf("bytea", secrets.map(digest))}) WITH ORDINALITY AS t (digest, key) WHERE device.key = t.key`;
  yield* sql`UPDATE tenant SET last_device_key = ${year.devices}`;
  yield* run(`INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at, created_at, updated_at)
    SELECT 1, 'production', ${uuidOf("campaign", "0")}, 'Push', 'push', 'UTC', '2025-01-01Z', '2100-01-01Z', '2025-01-01Z', '2025-01-01Z'`);
  yield* run(`INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id, trigger_type, send_at, attached_at, updated_at)
    SELECT 1, 'production', ${uuidOf("campaign", "0")}, ${uuidOf("notification", "1")}, ${uuidOf("pair", "0")}, 'fixed_time', '12:00',
      '2025-01-01Z', '2025-01-01Z'`);
  yield* run(`SELECT setval('delivery_source_id', ${year.rows})`);
  yield* run("VACUUM ANALYZE");
  yield* run("CHECKPOINT");
  return secrets.map((secret, at) =>
    deviceToken({ workspaceId: 1, environment: "production", deviceKey: DeviceKey(at + 1) }, secret),
  );
});

/** Takes away what rollups add to writes. */
const strip = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  for (const table of ["delivery", "geofence_event", "device"])
    yield* sql`ALTER TABLE ${sql(table)} DISABLE TRIGGER USER`;
  yield* sql`DROP INDEX geofence_event_stays`;
});

/** Waits until the feeds are empty, and cleans up behind the chore. */
const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const waits = sql<{ readonly waits: boolean }>`
    SELECT EXISTS (SELECT FROM event_delta) OR EXISTS (SELECT FROM delivery_delta) AS waits`;
  while ((yield* waits)[0]?.waits === true) yield* Effect.sleep(100);
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

/** Reports of visits: a device enters, and leaves again about two thousand requests later; few places have most of them. */
const visits = (
  url: string,
  tokens: ReadonlyArray<string>,
  locations: ReadonlyArray<string>,
): (() => string) => {
  const body = (type: "enter" | "exit", location: string) =>
    `{"events":[{"id":"${randomUUID()}","location_id":"${location}","occurred_at":"${new Date().toISOString()}","type":"${type}"}]}`;
  const { length } = body("enter", randomUUID());
  const heads = tokens.map((token) => postHead(url, { authorization: `Bearer ${token}` }, length));
  const inside: Array<readonly [head: string, location: string]> = [];
  const any = (share: number, count: number) => Math.floor(share * count);
  return () => {
    const left = inside.length > 1000 && Math.random() < 0.5 ? inside.shift() : undefined;
    if (left !== undefined) return `${left[0]}${body("exit", left[1])} `;
    const head = heads[any(Math.random(), heads.length)] ?? "";
    const location = locations[any(Math.random() * Math.random(), locations.length)] ?? "";
    inside.push([head, location]);
    return head + body("enter", location);
  };
};

const reportEvents = ({ origin, request }: Side) =>
  Effect.promise(async () => {
    const load = await requestLoad(origin, connections, perRound, request, '"accepted":1');
    return load.perSecond;
  });

/** A send to all devices, from its start to its end. */
const send = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const due = instant(yield* Clock.currentTimeMillis);
  const id = randomUUID();
  yield* sql`
    INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id, notification_key, due_at, status)
    SELECT c.workspace_id, c.environment, ${id}::uuid, c.id, c.key, n.id, n.key, ${due}, 'scheduled'
    FROM campaign c JOIN campaign_notification a ON a.campaign_id = c.id JOIN notification n ON n.id = a.notification_id
    WHERE c.type = 'push'`;
  for (;;) {
    const [state] = yield* sql<{
      readonly status: string;
      readonly delivered: number;
      readonly took: number;
    }>`
      SELECT status, delivered, extract(epoch FROM finished_at - started_at)::float8 AS took FROM send WHERE id = ${id}::uuid`;
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

/** Both sides in turns, which begins changing with each round; the first round does not count. */
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
  let waited = 0;
  for (let round = -1; round < rounds; round++) {
    const turn = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of turn) {
      const before = [cpuOf(side.pid), cpuOfServer(server)] as const;
      const rate = yield* Effect.provide(ask(side), side.client);
      const began = performance.now();
      if (side.name === plain) yield* Effect.sleep(waited);
      else {
        yield* Effect.provide(settled, side.client);
        waited = performance.now() - began;
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
    console.log(
      `${(sides[at]?.name === plain ? "without rollups" : "with rollups").padEnd(18)} ${median(all).toFixed(1)} µs of CPU (Waypost ${program.toFixed(1)}, ` +
        `PostgreSQL ${ofServer.toFixed(1)}), ${Math.round(rate)} a second   [${all.map((micros) => micros.toFixed(1)).join(" ")}]`,
    );
  }
  const [own, bare] = sums;
  const ratios = (own?.sums ?? []).map((micros, at) => micros / (bare?.sums[at] ?? Number.NaN));
  const ratio = median(own?.sums ?? []) / median(bare?.sums ?? []);
  const clock = (bare?.rate ?? Number.NaN) / (own?.rate ?? Number.NaN);
  console.log(
    `ratio of CPU ${ratio.toFixed(3)} (bar: ${bar}; by round ${ratios.map((each) => each.toFixed(2)).join(" ")}), by the clock ${clock.toFixed(3)}`,
  );
  if (ratio > bar) process.exitCode = 1;
});

const bench = Effect.gen(function* () {
  const folder = given.keep ?? mkdtempSync(join(tmpdir(), "waypost-bench-"));
  const tokensFile = join(folder, "tokens.json");
  const isNew = !existsSync(tokensFile);
  if (given.keep === undefined)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  else mkdirSync(folder, { recursive: true });
  const { database, pid, socketPath, username } = yield* EmbeddedPostgres.make({
    directory: folder,
    settings: { autovacuum: "off" },
  });
  const client = (name: string) => {
    const target = { _tag: "socket", path: socketPath, username, database: name } as const;
    return Layer.orDie(postgresLayer(target, { maxConnections: 1 }));
  };
  if (isNew) {
    const tokens = yield* prepare.pipe(Effect.provide(onSchema(Rollups.layer, client(database))));
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`SET statement_timeout = 0`.unprepared;
      // The session that filled it may not have ended yet.
      yield* Effect.retry(sql`CREATE DATABASE ${sql(plain)} TEMPLATE ${sql(database)}`.unprepared, {
        times: 60,
        schedule: Schedule.spaced("1 second"),
      });
    }).pipe(Effect.provide(client("postgres")));
    yield* Effect.provide(strip, client(plain));
    writeFileSync(tokensFile, JSON.stringify(tokens));
  }
  if (given.build) return;
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
        WAYPOST_DATA_DIR: join(folder, `${name}-data`),
        DATABASE_URL: `postgresql://${username}@localhost/${name}?host=${encodeURIComponent(dirname(socketPath))}`,
        WAYPOST_LOG_FORMAT: "json",
      },
      join(folder, `${name}.log`),
    );
    const request = visits(
      `${origin}/device/v1/events`,
      tokens,
      locations.map(({ id }) => id),
    );
    return { name, origin, pid: child.pid ?? 0, client: client(name), request } satisfies Side;
  });
  const sides = [yield* side(database), yield* side(plain)] as const;
  const server = (yield* pid) ?? 0;
  if (!given.sends) {
    yield* compare(`POST of an event from ${connections} connections`, perRound, sides, server, reportEvents);
  }
  if (!given.events)
    yield* compare("A delivery of a send to inboxes", year.devices, sides, server, () => send);
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
