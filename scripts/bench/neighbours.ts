/**
 * The reads, writes and events of a workspace while another one, with BENCH_DEVICES (200,000 if unset)
 * devices, runs long reads eight at a time: their p99 is at most twice that without them. One process,
 * one durable PostgreSQL; BENCH_ROUNDS (3 if unset) rounds of BENCH_SECONDS (6 if unset) for each kind of
 * read. `--only attributes,near` measures only those.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { parseArgs } from "node:util";
import { insertDevices, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, each, type Figures, runBench } from "./BenchWorld.ts";
import { abilities, longReads, type Measured, measure, neighbour, type Next } from "./LongReadLoad.ts";
import { quantile } from "./PacedLoad.ts";
import { alternately, atMost, median, ratios, setting } from "./Rounds.ts";
import { ask, geoCampaign, newWorkspace, pushCampaign, type ServiceWorkspace } from "./ServiceApi.ts";

const bar = 2;
const devices = setting("DEVICES", 200_000);
const rounds = setting("ROUNDS", 3);
const millis = setting("SECONDS", 6) * 1000;
const locations = 20_000;
const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });

/** Fills the workspace that runs long reads. */
const fill = Effect.fnUntraced(function* (workspace: ServiceWorkspace) {
  const sql = yield* SqlClient.SqlClient;
  const key = yield* workspaceKey(workspace.id);
  yield* insertDevices(key, 1, devices);
  yield* sql`
    UPDATE device SET attributes = jsonb_build_object('plan', (ARRAY['gold', 'silver', 'free'])[key % 3 + 1],
      'visits', key % 90, 'city', 'city ' || key % 500,
      'likes', jsonb_build_array('tea', 'item ' || key % 40))
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

const bench = Effect.gen(function* () {
  const { origin, pid } = yield* BenchWorld.waypost();
  const large = yield* newWorkspace(origin, abilities);
  const small = yield* newWorkspace(origin, abilities);
  const kinds = longReads(large, yield* fill(large));
  const next = yield* neighbour(small);
  const only = options.only === "" ? Object.keys(kinds) : options.only.split(",");
  const chosen = Object.entries(kinds).filter(([name]) => only.includes(name));
  const side = (reads: Next | null) => BenchWorld.measured(pid, millis / 1000, measure(next, reads, millis));
  const sides: Record<string, ReturnType<typeof side>> = { quiet: side(null) };
  for (const [name, reads] of chosen) sides[name] = side(reads);
  const results = yield* alternately(rounds, sides);
  const quiet = results["quiet"] ?? [];
  const p99s = (all: ReadonlyArray<Measured>) => all.map(({ p99 }) => p99);
  const cores = (all: ReadonlyArray<Pick<Figures, "cpu" | "databaseCpu">>) =>
    `CPU of Waypost ${(median(each(all, "cpu")) / 1e4).toFixed(0)} %, ` +
    `of PostgreSQL ${(median(each(all, "databaseCpu")) / 1e4).toFixed(0)} %`;
  console.log(`\n${devices.toLocaleString("en")} devices, medians of ${rounds} rounds of ${millis / 1000} s`);
  console.log(
    `quiet       p50 ${median(quiet.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ` +
      `${median(p99s(quiet)).toFixed(1)} ms; ${cores(quiet)}`,
  );
  for (const [name] of chosen) {
    const loaded = results[name] ?? [];
    const long = loaded.flatMap((measured) => measured.longReads);
    const times = long.map((read) => read.millis).toSorted((a, b) => a - b);
    const refused = long.filter(({ status }) => status === 503).length;
    const failed = long.find(({ status }) => status !== 200 && status !== 503);
    if (failed !== undefined) throw new Error(`${name} got ${failed.status}`);
    console.log(
      `${name.padEnd(11)} p50 ${median(loaded.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ` +
        `${median(p99s(loaded)).toFixed(1)} ms, ratio ` +
        `${atMost(ratios(p99s(loaded), p99s(quiet)), bar)}; ${long.length} long reads of ` +
        `${quantile(times, 0.5).toFixed(0)} ms, ${refused} refused; ${cores(loaded)}`,
    );
  }
});

runBench(bench);
