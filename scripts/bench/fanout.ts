/**
 * The bar of fixed sends: a send to 100,000 and to 1,000,000 inboxes creates at least half as many deliveries
 * a second as one bare `INSERT INTO delivery SELECT … FROM device` of the same rows with the same indexes,
 * measured alternately on one durable PostgreSQL. The rate is flat over both sizes, and requests meanwhile
 * have a p99 of 100 ms. A send with quiet hours and a cap by user has at least half the rate of one without.
 * The p99 without a send and during the bare insert are printed for comparison.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { instant, jsonb } from "../../src/database/Rows.ts";
import { median } from "./BenchChild.ts";
import { operatorKey, post, withService } from "./BenchService.ts";
import { type PacedRequest, pacedLoad, quantile } from "./PacedLoad.ts";

const bar = 0.5;
const maxP99 = 100;
/** The minimum rate at the largest size, as a share of that at the smallest. */
const flat = 0.8;
const connections = 8;
const sizes = (process.env["BENCH_SIZES"] ?? "100000,1000000").split(",").map(Number);
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 2);
/** Devices that one statement inserts or changes. */
const partSize = 25_000;
/** The size of the sends and inserts during which requests are measured. */
const beside = Number(process.env["BENCH_BESIDE"] ?? Math.max(...sizes));

interface Campaign {
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly content_key: number;
  readonly workspace_id: number;
}

/** Creates a push campaign of today with a message over HTTP, and inserts its devices. */
const prepare = Effect.fnUntraced(function* (origin: string) {
  const sql = yield* SqlClient.SqlClient;
  const operator = `${origin}/operator/v1/workspaces`;
  const plan = {
    production_requests_per_minute: null,
    production_writes_per_minute: null,
    production_requests_per_day: null,
  };
  const { id } = yield* post(operator, operatorKey, { name: "Bench", plan });
  yield* post(`${operator}/${id}`, operatorKey, { platform_api_enabled: true }, "PATCH");
  const environment = "production";
  const abilities = ["campaigns:read", "campaigns:write", "notifications:write"];
  const { token } = yield* post(`${operator}/${id}/tokens`, operatorKey, {
    name: "Bench",
    environment,
    abilities,
  });
  const { sdk_key } = yield* post(`${operator}/${id}/production/sdk-keys`, operatorKey, { name: "Bench" });
  const campaigns = `${origin}/platform/v1/campaigns`;
  const starts_at = new Date((yield* Clock.currentTimeMillis) + 86_400_000).toISOString().slice(0, 10);
  const campaign = yield* post(campaigns, token, { name: "Bench", type: "push", timezone: "UTC", starts_at });
  yield* post(`${campaigns}/${campaign.id}/notifications`, token, {
    name: "Note",
    type: "message",
    headline: "Hello",
    body: "World",
    trigger_type: "fixed_time",
    trigger_config: { send_at: "12:00" },
  });
  // A device for each connection, so that requests compete with the send only.
  const own = yield* Effect.forEach(Array.from({ length: connections }).keys(), (key) =>
    post(`${origin}/device/v1/devices/bench-${key}`, sdk_key, { platform: "ios" }, "PUT"),
  );
  const largest = Math.max(...sizes);
  // In parts: the client gives up a server that does not answer for half a minute.
  for (let from = connections + 1; from <= largest; from += partSize) {
    yield* sql`
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
        token_digest, registered_at, last_seen_at)
      SELECT t.workspace_id, t.environment, n, gen_random_uuid(), 'installation-' || n, 'android', 'inbox',
        decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
      FROM tenant t,
        generate_series(${from}::int, ${Math.min(from + partSize - 1, largest)}::int) AS n
      WHERE t.environment = 'production'`;
  }
  yield* sql`VACUUM ANALYZE device`.unprepared;
  const [numbers] = yield* sql<Campaign>`
    SELECT s.workspace_id, s.campaign_key, s.notification_key, n.content_key
    FROM send s JOIN notification n ON n.id = s.notification_id`;
  if (numbers === undefined) return yield* Effect.die(new Error("The campaign has no send"));
  const requests = own.flatMap(({ device_token }): ReadonlyArray<PacedRequest> => [
    { method: "GET", url: campaigns, token },
    {
      method: "PATCH",
      url: `${origin}/device/v1/devices/me`,
      token: device_token,
      body: '{"locale":"nl-NL"}',
    },
    { method: "GET", url: `${origin}/device/v1/messages`, token: device_token },
  ]);
  return { numbers, requests };
});

/** Everything as it was, and on disk. */
const clear = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`TRUNCATE delivery`.unprepared;
  yield* sql`UPDATE tenant SET last_device_key = ${size} WHERE environment = 'production'`;
  yield* sql`CHECKPOINT`.unprepared;
});

/** The rows a second of one bare statement. */
const bare = Effect.fnUntraced(function* (
  { campaign_key, content_key, notification_key, workspace_id }: Campaign,
  size: number,
) {
  const sql = yield* SqlClient.SqlClient;
  yield* clear(size);
  const now = instant(yield* Clock.currentTimeMillis);
  const began = performance.now();
  yield* sql`
    INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
      content_key, content_type, trigger_type, transport, status, created_at, settled_at)
    SELECT d.workspace_id, d.environment, 1, d.key, ${campaign_key}, ${notification_key}, ${content_key},
      'message', 'fixed_time', d.transport, 'delivered', ${now}, ${now}
    FROM device d
    WHERE d.workspace_id = ${workspace_id} AND d.environment = 'production' AND d.key <= ${size}`;
  return (size / (performance.now() - began)) * 1000;
});

/** The deliveries a second of a send, from its start to its end. */
const send = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient;
  yield* clear(size);
  yield* sql`
    WITH first AS (DELETE FROM send RETURNING *)
    INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
      notification_key, due_at, status)
    SELECT workspace_id, environment, id, campaign_id, campaign_key, notification_id, notification_key,
      ${instant(yield* Clock.currentTimeMillis)}, 'scheduled' FROM first`;
  while (true) {
    const [state] = yield* sql<{
      readonly status: string;
      readonly targeted: number;
      readonly began: number;
    }>`
      SELECT status, targeted, (extract(epoch FROM started_at) * 1000)::float8 AS began FROM send`;
    if (state?.status === "done") {
      if (state.targeted !== size)
        return yield* Effect.die(new Error(`${state.targeted} of ${size} are delivered or held`));
      return (size / ((yield* Clock.currentTimeMillis) - state.began)) * 1000;
    }
    yield* Effect.sleep(5);
  }
});

/** Gives the devices up to a key people, and time zones around the world. */
const populate = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient;
  for (let from = 1; from <= size; from += partSize) {
    const part = (key: string) => sql`${sql(key)} BETWEEN ${from} AND ${Math.min(from + partSize - 1, size)}`;
    yield* sql`
      WITH person AS (
        INSERT INTO device_user (workspace_id, environment, user_id)
        SELECT workspace_id, environment, 'person-' || key FROM device WHERE ${part("key")}
        ON CONFLICT (user_id, workspace_id, environment) DO UPDATE SET user_id = EXCLUDED.user_id
        RETURNING key, user_id
      )
      UPDATE device SET user_id = person.user_id, user_key = person.key,
        timezone = (ARRAY['Asia/Tokyo', 'Asia/Kolkata', 'Europe/Paris', 'UTC', 'America/New_York',
          'America/Los_Angeles', 'Pacific/Auckland', NULL])[device.key % 8 + 1]
      FROM person WHERE ${part("device.key")} AND person.user_id = 'person-' || device.key`;
  }
  yield* sql`VACUUM ANALYZE device`.unprepared;
});

/** Gives the campaign quiet hours, which always hold for some devices, and a cap by user; or neither. */
const restrict = Effect.fnUntraced(function* (isOn: boolean) {
  const sql = yield* SqlClient.SqlClient;
  const quiet = isOn ? { from: "20:00", to: "08:00", action: "hold" } : null;
  yield* sql`
    UPDATE campaign SET quiet_hours = ${jsonb(quiet)}, cap_by = ${isOn ? "user" : "device"},
      frequency_cap_count = ${isOn ? 3 : null}, frequency_cap_period = ${isOn ? "day" : null}`;
});

/** The rate of a send with quiet hours and a cap by user, as a share of one without, to the same devices. */
const restricted = Effect.fnUntraced(function* (size: number) {
  yield* populate(size);
  const ratios: Array<number> = [];
  for (let round = 0; round < rounds; round++) {
    const free = yield* send(size);
    yield* restrict(true);
    ratios.push((yield* send(size)) / free);
    yield* restrict(false);
  }
  const ratio = median(ratios);
  console.log(
    `${String(size).padStart(9)} devices: a send with quiet hours and a cap by user has ` +
      `${ratio.toFixed(2)} of the rate of one without (bar: ${bar})`,
  );
  return ratio;
});

const bench = Effect.fnUntraced(function* (origin: string) {
  const sql = yield* SqlClient.SqlClient;
  const { numbers, requests } = yield* prepare(origin);
  yield* sql`UPDATE campaign SET starts_at = starts_at - interval '1 day'`;
  const figures = (rate: number) => `${String(Math.round(rate)).padStart(8)} rows/s`;
  const ratios: Array<number> = [];
  const rates: { readonly bare: Array<number>; readonly send: Array<number> } = { bare: [], send: [] };
  for (const size of sizes) {
    const sides: { readonly bare: Array<number>; readonly send: Array<number> } = { bare: [], send: [] };
    for (let round = 0; round < rounds; round++) {
      sides.bare.push(yield* bare(numbers, size));
      sides.send.push(yield* send(size));
    }
    const ratio = median(sides.send.map((rate, round) => rate / (sides.bare[round] ?? Number.NaN)));
    ratios.push(ratio);
    rates.bare.push(median(sides.bare));
    rates.send.push(median(sides.send));
    console.log(
      `${String(size).padStart(9)} devices: bare insert ${figures(median(sides.bare))}, ` +
        `send ${figures(median(sides.send))}, ratio ${ratio.toFixed(2)} (bar: ${bar})`,
    );
  }
  const flatness = (all: ReadonlyArray<number>) => (all.at(-1) ?? Number.NaN) / (all[0] ?? Number.NaN);
  console.log(
    `rate of the largest to that of the smallest: ${flatness(rates.send).toFixed(2)} (bar: ${flat}), ` +
      `of the bare insert ${flatness(rates.bare).toFixed(2)}`,
  );
  yield* requestsDuring("a pause", requests, Effect.as(Effect.sleep("5 seconds"), null));
  yield* requestsDuring(`a bare insert of ${beside}`, requests, bare(numbers, beside));
  const p99 = yield* requestsDuring(`a send of ${beside}`, requests, send(beside));
  ratios.push(yield* restricted(beside));
  if (Math.min(...ratios) < bar || flatness(rates.send) < flat || p99 > maxP99) process.exitCode = 1;
});

/** Sends requests at a modest pace during some work. Returns their p99 in milliseconds. */
const requestsDuring = Effect.fnUntraced(function* <E, R>(
  what: string,
  requests: ReadonlyArray<PacedRequest>,
  work: Effect.Effect<number | null, E, R>,
) {
  let isOver = false;
  const load = pacedLoad(requests, connections, () => isOver);
  const rate = yield* work;
  isOver = true;
  const times = yield* Effect.promise(() => load);
  const duration = (part: number) => `${quantile(times, part).toFixed(1)} ms`;
  const speed = rate === null ? "" : ` (${Math.round(rate)} rows/s)`;
  console.log(
    `${String(times.length).padStart(6)} requests during ${what}${speed}: median ${duration(0.5)}, ` +
      `p99 ${duration(0.99)}, max ${duration(1)} (bar: p99 ${maxP99} ms)`,
  );
  return quantile(times, 0.99);
});

withService(bench).pipe(NodeRuntime.runMain);
