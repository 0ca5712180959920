/**
 * Kills processes while webhooks send events, by `kill -9`: workers, all processes, or PostgreSQL. Devices
 * report enters meanwhile, each of which fires a message, and sends run. A receiver keeps a ledger of the
 * events that arrive; it refuses some calls. Afterwards every enter and every delivery in the database must
 * have arrived as an event at least once, and nothing else (contract N4). Exit code 1 if not.
 *
 *     node scripts/webhookChaos.ts --kills 12 --devices 2000 --workers 2 --seed 1
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, Random, References } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EmbeddedPostgres } from "../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../src/database/Postgres.ts";
import { instant } from "../src/database/Rows.ts";
import { messageIds } from "../src/sending/deliveries/MessageId.ts";
import { databaseUrl } from "./bench/BenchDatabase.ts";
import { oneStore } from "./bench/BenchService.ts";
import { EventLedger } from "./chaos/EventLedger.ts";
import { startWaypost, type WaypostProcess } from "./chaos/WaypostProcess.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "12" },
    devices: { type: "string", default: "2000" },
    workers: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});
const [kills, devices, workers] = [Number(values.kills), Number(values.devices), Number(values.workers)];
const operatorKey = "chaos-operator-key-of-all-processes";
const secretKey = "chaos-secret-key-of-all-processes";
/** Enters that are reported at a time. */
const reporters = 4;
const endTimeoutMillis = 180_000;

interface Created {
  readonly id: string;
  readonly token: string;
  readonly sdk_key: string;
  readonly device_token: string;
  readonly secret: string;
  readonly results: ReadonlyArray<{ readonly id: string }>;
}

type Method = "POST" | "PUT" | "PATCH";

const ask = async (url: string, token: string, body: object, method: Method = "POST"): Promise<Created> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const { data, error } = (await answer.json()) as { readonly data: Created; readonly error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return data;
};

/** A workspace with two webhooks, a geo campaign with phones, and a push campaign. */
const prepare = async (origin: string, ledger: EventLedger) => {
  const operator = `${origin}/operator/v1/workspaces`;
  const plan = {
    production_requests_per_minute: null,
    production_writes_per_minute: null,
    production_requests_per_day: null,
  };
  const { id } = await ask(operator, operatorKey, { name: "Chaos", plan });
  await ask(`${operator}/${id}`, operatorKey, { platform_api_enabled: true }, "PATCH");
  const { token } = await ask(`${operator}/${id}/tokens`, operatorKey, {
    name: "Chaos",
    environment: "production",
    abilities: ["campaigns:write", "notifications:write", "locations:write", "webhooks:write"],
  });
  const platform = `${origin}/platform/v1`;
  for (const batch of [false, true]) {
    const events = batch ? ["message.delivered"] : ["location.entered"];
    ledger.trust((await ask(`${platform}/webhooks`, token, { url: ledger.url, events, batch })).secret);
  }
  const { results } = await ask(`${platform}/locations/import`, token, oneStore);
  const location = results[0]?.id ?? "";
  const day = (ahead: number): string => new Date(Date.now() + ahead).toISOString().slice(0, 10);
  const geo = { name: "Geo", type: "geo", timezone: "UTC", starts_at: day(0), location_ids: [location] };
  const push = { name: "Push", type: "push", timezone: "UTC", starts_at: day(86_400_000) };
  const note = { name: "Note", type: "message", headline: "Hello", body: "World" };
  const geoCampaign = await ask(`${platform}/campaigns`, token, geo);
  const entering = { ...note, trigger_type: "on_enter" };
  await ask(`${platform}/campaigns/${geoCampaign.id}/notifications`, token, entering);
  const pushCampaign = await ask(`${platform}/campaigns`, token, push);
  const fixed = { ...note, trigger_type: "fixed_time", trigger_config: { send_at: "12:00" } };
  await ask(`${platform}/campaigns/${pushCampaign.id}/notifications`, token, fixed);
  const { sdk_key } = await ask(`${operator}/${id}/production/sdk-keys`, operatorKey, { name: "Chaos" });
  const tokens: Array<string> = [];
  for (let index = 0; index < 50; index++) {
    const url = `${origin}/device/v1/devices/phone-${index}`;
    tokens.push((await ask(url, sdk_key, { platform: "ios" }, "PUT")).device_token);
  }
  return { location, tokens, pushCampaign: pushCampaign.id };
};

/** Polls until there is a result; fails after a timeout. The database may be away meanwhile. */
const until = <A, E, R>(what: string, poll: Effect.Effect<A | null, E, R>, millis: number) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + millis;
    while ((yield* Clock.currentTimeMillis) < end) {
      const found = yield* Effect.catchCause(poll, () => Effect.succeed(null));
      if (found !== null) return found;
      yield* Effect.sleep(50);
    }
    return yield* Effect.die(new Error(`${what}: not within ${millis / 1000} s.`));
  });

const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [open] = yield* sql`
    SELECT FROM send
    WHERE status IN ('scheduled', 'running') AND due_at < ${instant(yield* Clock.currentTimeMillis)}
    UNION ALL SELECT FROM webhook_event WHERE called < size
    UNION ALL SELECT FROM webhook_call LIMIT 1`;
  return open === undefined ? true : null;
});

/** Counts and prints lost, strange and repeated events. Returns whether all is as it must be. */
const verdict = Effect.fnUntraced(function* (ledger: EventLedger, counts: Readonly<Record<string, number>>) {
  const sql = yield* SqlClient.SqlClient;
  const enters = yield* sql<{ readonly id: string }>`SELECT id FROM geofence_event`;
  const deliveries = yield* sql<{ readonly sourceId: bigint; readonly deviceKey: number }>`
    SELECT source_id AS "sourceId", device_key AS "deviceKey" FROM delivery WHERE status = 'delivered'`;
  const { idOf } = messageIds(secretKey);
  const expected = new Set([
    ...enters.map(({ id }) => `location.entered/${id}`),
    ...deliveries.map((key) => `message.delivered/${idOf(key)}`),
  ]);
  const lost = [...expected].filter((key) => !ledger.events.has(key)).length;
  const strange = [...ledger.events.keys()].filter((key) => !expected.has(key)).length;
  const doubled = [...ledger.events.values()].filter((ids) => ids.size > 1).length;
  const repeated = [...ledger.arrivals.values()].filter((count) => count > 1).length;
  const lines: ReadonlyArray<readonly [string, number]> = [
    ...Object.entries(counts),
    ["enters in the database", enters.length],
    ["deliveries in the database", deliveries.length],
    ["events expected", expected.size],
    ["events that arrived", ledger.events.size],
    ["lost", lost],
    ["events of nothing", strange],
    ["two events of one change", doubled],
    ["calls", ledger.calls],
    ["calls refused by the receiver", ledger.refused],
    ["calls with a wrong signature", ledger.unsigned],
    ["events that arrived more than once, with one id", repeated],
  ];
  for (const [name, value] of lines) console.log(`${name.padEnd(52)} ${String(value).padStart(10)}`);
  return lost + strange + doubled + ledger.unsigned === 0 && expected.size > 0;
});

const program = Effect.gen(function* () {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "waypost-chaos-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const dice = yield* Random.Random;
  const ledger = yield* EventLedger.listening(() => dice.nextDoubleUnsafe());
  const database = yield* EmbeddedPostgres.make({ directory: folder, settings: { max_connections: "120" } });
  const running = new Set<WaypostProcess>();
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...running].map(({ end }) => end("SIGTERM")))),
  );
  let started = 0;
  const start = (role: "api" | "worker", port = "0"): WaypostProcess => {
    const name = join(folder, `${role}-${++started}`);
    const settings = {
      PORT: port,
      WAYPOST_DATA_DIR: name,
      WAYPOST_OPERATOR_KEY: operatorKey,
      WAYPOST_SECRET_KEY: secretKey,
      WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
      WAYPOST_LOG_FORMAT: "json",
      WAYPOST_ROLES: role,
      DATABASE_URL: databaseUrl(database),
    };
    const waypost = startWaypost(settings, `${name}.log`);
    running.add(waypost);
    waypost.child.once("exit", () => running.delete(waypost));
    return waypost;
  };
  let api = start("api");
  const origin = yield* until("A listening API", Effect.sync(api.origin), 60_000);
  const { port } = new URL(origin);
  const { location, pushCampaign, tokens } = yield* Effect.promise(() => prepare(origin, ledger));
  const processes = Array.from({ length: workers }, () => start("worker"));

  const chaos = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    yield* sql`
      WITH t AS (UPDATE tenant SET last_device_key = 1000 + ${devices}::int WHERE environment = 'production'
        RETURNING workspace_id)
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
        token_digest, registered_at, last_seen_at)
      SELECT t.workspace_id, 'production', 1000 + n, gen_random_uuid(), 'crowd-' || n, 'android', 'inbox',
        true, decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
      FROM t, generate_series(1, ${devices}::int) AS n`;
    const counts = { "workers killed": 0, "APIs killed": 0, "PostgreSQL killed": 0, "enters accepted": 0 };
    let isOver = false;
    /** Reports enters one after another; one without an answer is reported again with its id. */
    const report = async (reporter: number): Promise<void> => {
      for (let number = reporter; !isOver; number++) {
        const token = tokens[number % tokens.length] ?? "";
        const event = { id: randomUUID(), type: "enter", location_id: location, occurred_at: new Date() };
        for (let isAccepted = false; !isAccepted;) {
          try {
            await ask(`${origin}/device/v1/events`, token, { events: [event] });
            isAccepted = true;
            counts["enters accepted"]++;
          } catch {
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
        }
      }
    };
    const reports = Promise.all(Array.from({ length: reporters }, (_, index) => report(index)));
    const send = Effect.gen(function* () {
      yield* sql`
        INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
          notification_key, due_at, status)
        SELECT s.workspace_id, s.environment, ${randomUUID()}::uuid, s.campaign_id, s.campaign_key,
          s.notification_id, s.notification_key, ${instant(yield* Clock.currentTimeMillis)}, 'scheduled'
        FROM send s WHERE s.campaign_id = ${pushCampaign} LIMIT 1`;
    });
    // The planned send of the next day gives way to those of the script.
    yield* sql`UPDATE send SET due_at = ${instant(yield* Clock.currentTimeMillis)}`;
    for (let kill = 0; kill < kills; kill++) {
      yield* Effect.sleep(yield* Random.nextIntBetween(500, 3_000));
      if (kill % 3 === 2) yield* Effect.ignoreCause(send);
      yield* Effect.sleep(yield* Random.nextIntBetween(0, 800));
      const choice = yield* Random.nextIntBetween(0, 10);
      if (choice < 5) {
        const index = yield* Random.nextIntBetween(0, workers - 1);
        yield* Effect.promise(async () => processes[index]?.end("SIGKILL"));
        processes[index] = start("worker");
        counts["workers killed"]++;
      } else if (choice < 7) {
        yield* Effect.promise(() => Promise.all([api, ...processes].map(({ end }) => end("SIGKILL"))));
        api = start("api", port);
        for (const index of processes.keys()) processes[index] = start("worker");
        counts["workers killed"] += workers;
        counts["APIs killed"]++;
      } else {
        const pid = Number(
          readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0],
        );
        process.kill(pid, "SIGKILL");
        counts["PostgreSQL killed"]++;
        yield* until("PostgreSQL", Effect.as(sql`SELECT`, true), 60_000);
      }
    }
    isOver = true;
    yield* Effect.promise(() => reports);
    // Retries of refused calls come 5 seconds, and then 5 minutes, after the call.
    const ended = yield* Effect.exit(until("The end of all calls", settled, endTimeoutMillis));
    if (ended._tag === "Failure") {
      const open = yield* sql`SELECT attempts, count(*)::int AS calls FROM webhook_call GROUP BY 1`;
      console.log(`Some calls were not made after ${endTimeoutMillis / 1000} s: ${JSON.stringify(open)}`);
    }
    if (!(yield* verdict(ledger, counts))) process.exitCode = 1;
  });
  yield* Effect.provide(
    chaos,
    postgresLayer(
      { _tag: "socket", path: database.socketPath, username: database.username, database: database.database },
      { maxConnections: 2 },
    ),
  );
  console.log(
    `${kills} kills, ${workers} workers, seed ${values.seed}: ${Math.round((Date.now() - began) / 1000)} s`,
  );
});

program.pipe(
  Effect.scoped,
  Random.withSeed(values.seed),
  Effect.provideService(References.MinimumLogLevel, "Error"),
  NodeRuntime.runMain,
);
