/**
 * Cost of rollups for a request (bar: at most 15 % more CPU than without): the CPU of Waypost and PostgreSQL
 * for a request that reports an event, and for a delivery of a send, over HTTP, until everything is rolled
 * up. The baseline is the same program on a database without the triggers that write deltas and without the
 * index of visits, where the rollup job has no work. Both start from one year of history and alternate on one
 * durable PostgreSQL. A quarter of the events sends a message. Autovacuum is off, so that it does not run in
 * the time of either side; the vacuum that rollups need is part of their time. BENCH_ROUNDS (5 if unset) of
 * BENCH_EVENTS (10,000 if unset) requests each.
 *
 * Then BENCH_RATE (2,000 if unset) custom events a second for 20 seconds, each of which queues a push, in
 * requests of BENCH_TOGETHER (1 if unset) events: from the instant at which a request is due to its response,
 * which follows the commit of the rows in the queue (bar: 100 ms at p99). Requests come at their instants,
 * however slow responses are. A bare program (EventsBaseline.ts) gets the same load afterwards, and shows
 * what the machine can do at this rate.
 *
 * `--keep DIR` keeps the databases there and reuses them the next time (each run adds to them);
 * `--events`, `--sends` and `--custom` measure only those.
 */
import { Effect, type Layer, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey } from "../../src/wire/Ids.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { databaseUrl, onSchema } from "./BenchDatabase.ts";
import { insertReporters, sendNow, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, costs, type Figures, runBench, type Served } from "./BenchWorld.ts";
import { buildReportYear, uuidOf, yearOf } from "./ReportYear.ts";
import { postHead, requestLoad } from "./RequestLoad.ts";
import { figure, setting } from "./Rounds.ts";
import { ask, dayFromNow, newWorkspace, note, operatorKey } from "./ServiceApi.ts";
import { visitRequests } from "./VisitRequests.ts";

const bar = 1.15;
const queuedBar = 100;
const rate = setting("RATE", 2_000);
const together = setting("TOGETHER", 1);
const connections = 64;
const rounds = setting("ROUNDS", 5);
const perRound = setting("EVENTS", 10_000);
/** Devices that report events. */
const reporting = 20_000;
const year = yearOf(200_000, 100_000);
/** The database without rollups. */
const plain = "plain";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    events: { type: "boolean", default: false },
    sends: { type: "boolean", default: false },
    custom: { type: "boolean", default: false },
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
  Effect.promise(() => requestLoad(origin, connections, perRound, request, '"accepted":1'));

type Cost = Pick<Figures, "cpu" | "databaseCpu">;

/**
 * Measures both sides alternately, the first one changing with each round; the first round does not count.
 */
const compare = Effect.fnUntraced(function* (
  id: string,
  what: string,
  count: number,
  sides: readonly [Side, Side],
  ask: (side: Side) => Effect.Effect<unknown, unknown, SqlClient.SqlClient>,
) {
  const figures = sides.map((): Array<Cost> => []);
  let pause = 0;
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const work = Effect.gen(function* () {
        yield* ask(side);
        const began = performance.now();
        if (side.name === plain) yield* Effect.sleep(pause);
        else {
          yield* rolledUp;
          pause = performance.now() - began;
        }
        return {};
      }).pipe(Effect.provide(side.client));
      const measured = yield* BenchWorld.measured(side.pid, count, work);
      if (round >= 0) figures[sides.indexOf(side)]?.push(measured);
    }
  }
  const [own = [], bare = []] = figures;
  figure(id, `CPU until rolled up, with PostgreSQL's: ${what}`, "µs", costs(own), {
    beside: ["the same without rollups", costs(bare)],
    atMost: bar,
  });
});

/** Reports custom events at a rate, each of which queues a push, on a database of their own. */
const customEvents = Effect.gen(function* () {
  const { client, server } = yield* BenchWorld;
  const name = "custom";
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE ${sql(name)}`.unprepared).pipe(
    Effect.provide(client("postgres")),
  );
  // No worker takes the pushes, so that they can be counted.
  const settings = { DATABASE_URL: databaseUrl(server, name), WAYPOST_ROLES: "api" };
  const { origin, pid } = yield* BenchWorld.waypost(settings, name);
  const workspace = yield* newWorkspace(origin, ["campaigns:write", "notifications:write"]);
  const { operator, platform, token } = workspace;
  const subject = { subject: "mailto:push@example.com" };
  yield* ask(`${operator}/production/transports/webpush`, operatorKey, subject, "PUT");
  const draft = { name: "Baskets", type: "event", timezone: "UTC", starts_at: dayFromNow(0) };
  const { id } = yield* ask(`${platform}/campaigns`, token, draft);
  const trigger = { trigger_type: "on_event", trigger_config: { event: "basket.filled" } };
  yield* ask(`${platform}/campaigns/${id}/notifications`, token, { ...note, ...trigger });
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const workspaceId = yield* workspaceKey(workspace.id);
    const tokens = yield* insertReporters(workspaceId, 1_000);
    yield* sql`UPDATE device SET transport = 'webpush', address = '{"endpoint": "https://push.example.com"}'`;
    yield* sql`ANALYZE`.unprepared;
    const event = { type: "custom", name: "basket.filled", properties: { total: 59.9, currency: "EUR" } };
    const body = () =>
      JSON.stringify({
        events: Array.from({ length: together }, () => ({
          ...event,
          id: randomUUID(),
          occurred_at: new Date(),
        })),
      });
    const measure = Effect.fnUntraced(function* (
      process: Served,
      path: string,
      headers: ReadonlyArray<Readonly<Record<string, string>>>,
    ) {
      const heads = headers.map((each) => postHead(`${process.origin}${path}`, each, body().length));
      let next = 0;
      const request = () => `${heads[next++ % heads.length]}${body()}`;
      const load = (seconds: number) =>
        Effect.promise(() =>
          requestLoad(
            process.origin,
            connections,
            (seconds * rate) / together,
            request,
            `"accepted":${together}`,
            rate / together,
          ),
        );
      yield* load(5);
      const figures = yield* BenchWorld.measured(process.pid, 20 * rate, load(20));
      const [queued] = yield* sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM push_queue`;
      if (queued?.count !== next * together)
        return yield* Effect.die(new Error(`${queued?.count} pushes of ${next * together} are queued`));
      yield* sql`TRUNCATE push_queue, delivery, custom_event`.unprepared;
      return figures.p99;
    });
    const bearer = tokens.map((each) => ({ authorization: `Bearer ${each}` }));
    const p99 = yield* measure({ origin, pid }, "/device/v1/events", bearer);
    const keys = tokens.map((_, index) => ({ "x-device-key": String(index + 1) }));
    const argument = { workspaceId, campaignKey: 1, notificationKey: 1, message: note };
    const baseline = yield* BenchWorld.baseline("EventsBaseline.ts", argument, name);
    const bare = yield* measure(baseline, "/events", keys);
    const what = `p99 of ${rate} custom events a second, ${together} a request, each queues a push`;
    figure("p99", what, "ms", p99, { beside: ["node:http and pg", bare], valueAtMost: queuedBar });
  }).pipe(Effect.provide(client(name)));
});

const bench = Effect.gen(function* () {
  if (options.custom) return yield* customEvents;
  const { client, folder, server } = yield* BenchWorld;
  const { database } = server;
  const tokensFile = join(folder, "tokens.json");
  if (!existsSync(tokensFile)) {
    const tokens = yield* Effect.provide(prepare, onSchema(Rollups.layer));
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
  const tokens = JSON.parse(readFileSync(tokensFile, "utf8")) as ReadonlyArray<string>;
  const locations = yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string }>`SELECT id FROM location ORDER BY key`,
  ).pipe(Effect.provide(client(plain)));
  const side = Effect.fnUntraced(function* (name: string) {
    rmSync(join(folder, `${name}.log`), { force: true });
    const settings = { DATABASE_URL: databaseUrl(server, name) };
    const { origin, pid } = yield* BenchWorld.waypost(settings, name);
    const request = visitRequests(
      `${origin}/device/v1/events`,
      tokens,
      locations.map(({ id }) => id),
    );
    return { name, origin, pid, client: client(name), request } satisfies Side;
  });
  const sides = [yield* side(database), yield* side(plain)] as const;
  if (!options.sends) yield* compare("events", "a request with an event", perRound, sides, reportEvents);
  if (!options.events)
    yield* compare("sends", "a delivery of a send to inboxes", year.devices, sides, () =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sendNow(year.devices, sql`true`)),
    );
  if (!options.events && !options.sends) yield* customEvents;
});

runBench(bench, { keep: options.keep, settings: { autovacuum: "off" } });
