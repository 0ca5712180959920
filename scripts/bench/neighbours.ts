/**
 * What the reads, writes and events of a workspace take while another one, with BENCH_DEVICES (200,000 if
 * unset) devices, runs long reads eight at a time: their p99 is at most twice that without them. One process,
 * one durable PostgreSQL; BENCH_ROUNDS (3 if unset) rounds of BENCH_SECONDS (6 if unset) for each kind of
 * read. `--only attributes,near` measures only those.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { parseArgs } from "node:util";
import { insertDevices, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { type PacedRequest, quantile } from "./PacedLoad.ts";
import { alternately, atMost, median, ratios, setting } from "./Rounds.ts";
import {
  ask,
  geoCampaign,
  newWorkspace,
  pushCampaign,
  registerDevices,
  type ServiceWorkspace,
} from "./ServiceApi.ts";

const bar = 2;
const devices = setting("DEVICES", 200_000);
const rounds = setting("ROUNDS", 3);
const millis = setting("SECONDS", 6) * 1000;
const locations = 20_000;
const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });

const abilities = [
  "campaigns:read",
  "campaigns:write",
  "locations:read",
  "locations:write",
  "notifications:write",
  "segments:read",
  "segments:write",
  "devices:read",
  "reports:read",
];

type Next = () => PacedRequest;

/** The status and the duration of a request, whose response is read and thrown away. */
const answered = (agent: Agent, { body = "", headers, method, token, url }: PacedRequest) =>
  new Promise<{ readonly status: number; readonly millis: number }>((resolve, reject) => {
    const began = performance.now();
    const sent = request(
      url,
      {
        agent,
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      },
      (response) => {
        response.once("error", reject).resume();
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, millis: performance.now() - began }),
        );
      },
    );
    sent.once("error", reject).end(body);
  });

/** Repeats requests on so many connections with a pause until the time is over. */
const repeated = async (next: Next, connections: number, pause: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ends = performance.now() + millis;
  const answers: Array<Awaited<ReturnType<typeof answered>>> = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < ends) {
        answers.push(await answered(agent, next()));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }),
  );
  agent.destroy();
  return answers;
};

/** Fills the workspace that runs long reads. */
const fill = Effect.fnUntraced(function* (workspace: ServiceWorkspace) {
  const sql = yield* SqlClient.SqlClient;
  const key = yield* workspaceKey(workspace.id);
  yield* insertDevices(key, 1, devices);
  yield* sql`
    UPDATE device SET attributes = jsonb_build_object('plan', (ARRAY['gold', 'silver', 'free'])[key % 3 + 1],
      'visits', key % 90, 'city', 'city ' || key % 500, 'likes', jsonb_build_array('tea', 'item ' || key % 40))
    WHERE workspace_id = ${key}`;
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${key}::int, 'production', gen_random_uuid(), 'Store nr ' || n, 'circle', 52 + n % 200 * 0.005,
      5 + n / 200 * 0.01, 100, '2026-01-01Z', '2026-01-01Z'
    FROM generate_series(1, ${locations}::int) n`;
  yield* sql`UPDATE tenant SET locations_version = locations_version + 1 WHERE workspace_id = ${key}`;
  const segments: Array<string> = [];
  for (let n = 0; n < 20; n++) {
    const rule = { match: "all", conditions: [{ attribute: "city", op: "contains", value: String(n) }] };
    const draft = { name: `Segment ${n}`, rule };
    segments.push((yield* ask(`${workspace.platform}/segments`, workspace.token, draft)).id);
  }
  const { location } = yield* geoCampaign(workspace);
  for (let n = 0; n < 10; n++) yield* pushCampaign(workspace, { name: `Push ${n}` });
  yield* sql`VACUUM ANALYZE`.unprepared;
  const [device] = yield* sql<{ readonly id: string }>`
    SELECT id FROM device WHERE workspace_id = ${key} AND key = 1`;
  return { device: device?.id ?? "", location, segments };
});

/** The long reads, each different from the one before where it could be kept. */
const longReads = (
  { platform, token }: ServiceWorkspace,
  { device, location, segments }: Effect.Success<ReturnType<typeof fill>>,
): Readonly<Record<string, Next>> => {
  let count = 0;
  const get = (path: () => string): Next => {
    return () => ({ method: "GET", url: `${platform}${path()}`, token });
  };
  const post = (path: string, body: () => object): Next => {
    return () => ({ method: "POST", url: `${platform}${path}`, token, body: JSON.stringify(body()) });
  };
  const rule = () => ({
    match: "all",
    conditions: [{ attribute: "city", op: "contains", value: String(count++) }],
  });
  return {
    attributes: get(() => "/attributes"),
    counts: post("/segments/count", () => ({ rule: rule() })),
    estimates: post("/campaigns/estimate", () => ({
      type: "geo",
      location_ids: [location],
      segment_ids: [segments[count++ % segments.length]],
    })),
    search: get(() => `/devices?q=${count++}`),
    segments: get(() => `/segments?limit=${1 + (count++ % 20)}`),
    near: get(() => `/locations?near=52.5,5.${count++ % 10}&radius_meters=100000`),
    explain: get(() => `/devices/${device}/explain`),
    exports: get(() => "/devices?format=csv"),
    reports: get(() => "/reports/summary?start=2026-01-01&end=2026-12-31"),
  };
};

/** Reads, writes and events of the other workspace. */
const neighbour = Effect.fnUntraced(function* (workspace: ServiceWorkspace) {
  const { device, platform, token } = workspace;
  const { location } = yield* geoCampaign(workspace);
  const phones = yield* registerDevices(workspace, 20);
  let count = 0;
  const event = () => {
    const occurred_at = new Date().toISOString();
    return { events: [{ id: randomUUID(), type: "enter", location_id: location, occurred_at }] };
  };
  return (): PacedRequest => {
    const n = count++;
    if (n % 3 === 0) return { method: "GET", url: `${platform}/campaigns`, token };
    if (n % 3 === 1) {
      const body = JSON.stringify({ name: `Store ${n}` });
      return { method: "PATCH", url: `${platform}/locations/${location}`, token, body };
    }
    const phone = phones[n % phones.length]?.device_token ?? "";
    return { method: "POST", url: `${device}/events`, token: phone, body: JSON.stringify(event()) };
  };
});

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly longReads: Awaited<ReturnType<typeof repeated>>;
}

/** Measures the neighbour's requests, with long reads beside them or without. */
const measure = (next: Next, reads: Next | null) =>
  Effect.promise(async (): Promise<Measured> => {
    const [responses, long] = await Promise.all([
      repeated(next, 4, 10),
      reads === null ? [] : repeated(reads, 8, 20),
    ]);
    const failed = responses.find(({ status }) => status !== 200);
    if (failed !== undefined) throw new Error(`A request of the neighbour got ${failed.status}`);
    const times = responses.map((each) => each.millis).toSorted((a, b) => a - b);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), longReads: long };
  });

const bench = Effect.gen(function* () {
  const { origin } = yield* BenchWorld.waypost();
  const large = yield* newWorkspace(origin, abilities);
  const small = yield* newWorkspace(origin, abilities);
  const kinds = longReads(large, yield* fill(large));
  const next = yield* neighbour(small);
  const only = options.only === "" ? Object.keys(kinds) : options.only.split(",");
  const chosen = Object.entries(kinds).filter(([name]) => only.includes(name));
  const sides: Readonly<Record<string, ReturnType<typeof measure>>> = Object.fromEntries([
    ["quiet", measure(next, null)],
    ...chosen.map(([name, reads]) => [name, measure(next, reads)]),
  ]);
  const results = yield* alternately(rounds, sides);
  const quiet = results["quiet"] ?? [];
  const p99s = (all: ReadonlyArray<Measured>) => all.map(({ p99 }) => p99);
  console.log(`\n${devices.toLocaleString("en")} devices, medians of ${rounds} rounds of ${millis / 1000} s`);
  console.log(
    `quiet       p50 ${median(quiet.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ` +
      `${median(p99s(quiet)).toFixed(1)} ms`,
  );
  for (const [name] of chosen) {
    const loaded = results[name] ?? [];
    const long = loaded.flatMap((each) => each.longReads);
    const times = long.map((each) => each.millis).toSorted((a, b) => a - b);
    const refused = long.filter(({ status }) => status === 503).length;
    const failed = long.find(({ status }) => status !== 200 && status !== 503);
    if (failed !== undefined) throw new Error(`${name} got ${failed.status}`);
    console.log(
      `${name.padEnd(11)} p99 ${median(p99s(loaded)).toFixed(1)} ms, ratio ${atMost(ratios(p99s(loaded), p99s(quiet)), bar)}; ` +
        `${long.length} long reads of ${quantile(times, 0.5).toFixed(0)} ms, ${refused} refused`,
    );
  }
});

runBench(bench);
