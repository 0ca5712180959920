/**
 * Events, positions, a fan-out and reports on Citus over 1, 2 and 4 workers, against one PostgreSQL, in one
 * run. The bar: two workers carry 1.6 times the events of one, where the workers are the limit.
 *
 * BENCH_CITUS has the ports of a cluster on loopback, the coordinator and up to four workers; its account is
 * `waypost` without a password. Each variant has a database: over the first workers, or a plain one on the
 * first worker. BENCH_NODE_CORES=0.1 holds each worker to a tenth of a core by a cgroup, which makes it the
 * limit on a small machine, and BENCH_COORDINATOR_CORES the coordinator; Waypost and load are free. Waypost
 * runs with every role, on one variant at a time. BENCH_ROUNDS, _EVENTS, _DEVICES (of a workspace),
 * _CONNECTIONS, _WORKERS (1,2,4) and _KINDS (events,positions,deliveries,summaries) change the run.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { distribute } from "../../src/database/citus/Distribution.ts";
import { migrate } from "../../src/database/migrations/Migrations.ts";
import { programMigrations } from "../../src/database/migrations/ProgramMigrations.ts";
import { createCitusDatabase, dropOnNodes, onNode } from "../../test/database/CitusCluster.ts";
import { started } from "./BenchChild.ts";
import { insertSends, untilNone } from "./BenchRows.ts";
import { runScript, temporaryFolder, waypostSettings } from "./BenchWorld.ts";
import { type ClusterNode, cpuSeconds, holdToCores, nodesOf } from "./CitusNodes.ts";
import { buildWorld, evenWorkspaces, type World } from "./CitusWorld.ts";
import { getRequest, postHead, requestLoad } from "./RequestLoad.ts";
import { ask, dayFromNow, operatorKey } from "./ServiceApi.ts";
import { figure, setting } from "./Rounds.ts";

const bar = 1.6;
const ports = (process.env["BENCH_CITUS"] ?? "").split(",").filter(Boolean).map(Number);
const cores = setting("NODE_CORES", 0);
const coordinatorCores = setting("COORDINATOR_CORES", 0);
const rounds = setting("ROUNDS", 3);
const perRound = setting("EVENTS", 2_000);
const counts = (process.env["BENCH_WORKERS"] ?? "1,2,4").split(",").map(Number);
const connections = setting("CONNECTIONS", 64);
/** A killed run can leave prepared transactions, whose databases cannot be dropped. */
const prefix = `bench_${randomUUID().slice(0, 8)}`;
const devices = setting("DEVICES", 2_000);
const size = { candidates: 128, workspaces: 32, devices, reporting: 32, history: devices };

/** A database that Waypost runs on, over so many workers; none for a plain one. */
interface Variant {
  readonly name: string;
  readonly database: string;
  readonly workers: number;
  readonly port: number;
}

const kinds = ["events", "positions", "deliveries", "summaries"] as const;
type Kind = (typeof kinds)[number];
const chosen = kinds.filter((kind) => (process.env["BENCH_KINDS"] ?? kind).split(",").includes(kind));

const inDatabase = <A, E, R>(
  { database, port }: Pick<Variant, "database" | "port">,
  effect: Effect.Effect<A, E, R>,
) => Effect.provide(effect, onNode(port, database, 1));

const variantsOf = ([
  coordinator = 0,
  first = 0,
  ...others
]: ReadonlyArray<number>): ReadonlyArray<Variant> => [
  { name: "one PostgreSQL", database: `${prefix}_plain`, workers: 0, port: first },
  ...counts
    .filter((count) => count <= others.length + 1)
    .map((count) => ({
      name: count === 1 ? "1 worker" : `${count} workers`,
      database: `${prefix}_${count}`,
      workers: count,
      port: coordinator,
    })),
];

const create = Effect.fnUntraced(function* (variant: Variant) {
  const { database, port, workers } = variant;
  yield* dropOnNodes(ports, database);
  if (workers > 0) yield* createCitusDatabase(ports.slice(0, workers + 1), database);
  else
    yield* inDatabase(
      { port, database: "postgres" },
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE ${sql(database)}`.unprepared),
    );
  const schema = Effect.provide(migrate, programMigrations);
  yield* inDatabase(variant, workers > 0 ? Effect.andThen(schema, distribute) : schema);
});

const hasRollupsLeft = `rolled_up_from <> '-infinity' OR timezone = ''
  OR months_before < date_trunc('month', now() - interval '1 day')`;
const eventRequests = (origin: string, { devices }: World): (() => string) => {
  const occurred_at = new Date().toISOString();
  const bodyOf = (location_id: string): string =>
    JSON.stringify({ events: [{ id: randomUUID(), type: "enter", location_id, occurred_at }] });
  let sent = 0;
  return () => {
    const { location = "", token = "" } = devices[sent++ % devices.length] ?? {};
    const body = bodyOf(location);
    return postHead(`${origin}/device/v1/events`, { authorization: `Bearer ${token}` }, body.length) + body;
  };
};

const positionRequests = (origin: string, { devices }: World): (() => string) => {
  let sent = 0;
  return () => {
    const { token = "" } = devices[sent++ % devices.length] ?? {};
    const position = { latitude: 51 + Math.random() / 10, longitude: 4, accuracy_meters: 10 };
    const body = JSON.stringify({ positions: [{ ...position, recorded_at: new Date().toISOString() }] });
    return (
      postHead(`${origin}/device/v1/positions`, { authorization: `Bearer ${token}` }, body.length) + body
    );
  };
};

/** Requests of the summary of a year, of one workspace after another. */
const summaryRequests = Effect.fnUntraced(function* (origin: string, { workspaces }: World) {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly key: number; readonly id: string }>`
    SELECT id AS key, public_id AS id FROM workspace`;
  const ids = new Map(rows.map(({ id, key }) => [key, id]));
  const url = `${origin}/platform/v1/reports/summary?start=${dayFromNow(-364)}&end=${dayFromNow(0)}`;
  const token = { name: "Bench", environment: "production", abilities: ["reports:read"] };
  const requests = yield* Effect.forEach(workspaces, (key) =>
    Effect.map(ask(`${origin}/operator/v1/workspaces/${ids.get(key)}/tokens`, operatorKey, token), (made) =>
      getRequest(url, { authorization: `Bearer ${made.token}` }),
    ),
  );
  let sent = 0;
  return () => requests[sent++ % requests.length] ?? "";
});

/** Sends to all devices of all workspaces at once; gives the deliveries a second until all are done. */
const fanOut = Effect.fnUntraced(function* (workspaces: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`DELETE FROM send`;
  const began = performance.now();
  yield* insertSends(sql`true`);
  yield* untilNone(sql`SELECT FROM send WHERE status IN ('scheduled', 'running') LIMIT 1`);
  const [sum] = yield* sql<{ readonly delivered: number }>`
    SELECT sum(delivered)::int AS delivered FROM send`;
  if (sum?.delivered !== workspaces.length * size.devices)
    return yield* Effect.die(new Error(`${sum?.delivered} deliveries`));
  return (sum.delivered / (performance.now() - began)) * 1000;
});

/** All rounds of a variant, by kind of work. */
const measured = Effect.fnUntraced(function* (
  variant: Variant,
  world: World,
  nodes: ReadonlyArray<ClusterNode>,
  folder: string,
) {
  const url = `postgresql://waypost@127.0.0.1:${variant.port}/${variant.database}`;
  const { origin, pid } = yield* started(
    [new URL("../../bin/waypost.js", import.meta.url).pathname, "serve"],
    waypostSettings(join(folder, variant.database), url),
    join(folder, `${variant.database}.log`),
  );
  const [event, position] = [eventRequests(origin, world), positionRequests(origin, world)];
  const summary = yield* summaryRequests(origin, world);
  const load = (count: number, next: () => string, expected: string) =>
    Effect.map(
      Effect.promise(() => requestLoad(origin, connections, count, next, expected)),
      ({ perSecond }) => perSecond,
    );
  const works: Record<Kind, Effect.Effect<number, unknown, SqlClient.SqlClient>> = {
    events: load(perRound, event, '"deliveries":[{'),
    positions: load(perRound, position, '"accepted":1'),
    deliveries: fanOut(world.workspaces),
    summaries: load(perRound / 10, summary, '"data":'),
  };
  yield* load(connections * 4, event, '"deliveries":[{');
  // Rollups of the past are built at full speed.
  const sql = yield* SqlClient.SqlClient;
  yield* untilNone(sql`SELECT FROM rollup_state WHERE ${sql.literal(hasRollupsLeft)}`);
  yield* holdToCores(nodes.slice(1), cores);
  yield* holdToCores(nodes.slice(0, 1), coordinatorCores);
  const results: Record<string, Array<number>> = {};
  const measure = Effect.fnUntraced(function* (
    name: Kind | "idle",
    work: Effect.Effect<number, unknown, SqlClient.SqlClient>,
  ) {
    const before = cpuSeconds(nodes, pid);
    const began = performance.now();
    const perSecond = yield* work;
    const seconds = (performance.now() - began) / 1000;
    const busy = cpuSeconds(nodes, pid).map((now, index) => (now - (before[index] ?? 0)) / seconds);
    const cores = busy.map((each) => each.toFixed(2)).join(", ");
    console.log(
      `${variant.name}: ${name} ${Math.round(perSecond)}/s, cores of nodes, Waypost, load: ${cores}`,
    );
    (results[name] ??= []).push(perSecond);
  });
  yield* measure("idle", Effect.as(Effect.sleep("5 seconds"), 0));
  for (let round = 0; round < rounds; round++) {
    for (const kind of chosen) yield* measure(kind, works[kind]);
  }
  return results;
});

type Results = Readonly<Record<string, ReadonlyArray<number>>>;

const ratesOf = (results: Results | undefined, kind: Kind) => results?.[kind] ?? [];

const bench = Effect.gen(function* () {
  const folder = yield* temporaryFolder("bench");
  const variants = variantsOf(ports);
  const nodes = yield* nodesOf(ports);
  yield* Effect.addFinalizer(() =>
    Effect.forEach(variants, ({ database }) => Effect.ignore(dropOnNodes(ports, database))),
  );
  for (const variant of variants) yield* create(variant);
  const [plain, first] = variants;
  if (plain === undefined || first === undefined) return;
  const workspaces = yield* inDatabase(first, evenWorkspaces(size));
  const all = new Map<Variant, Results>();
  for (const variant of variants) {
    const world = yield* inDatabase(variant, buildWorld(size, workspaces));
    all.set(variant, yield* Effect.scoped(inDatabase(variant, measured(variant, world, nodes, folder))));
  }
  for (const kind of chosen) {
    for (const [variant, results] of all) {
      if (variant === plain) continue;
      const beside = ["one PostgreSQL", ratesOf(all.get(plain), kind)] as const;
      const what = `${kind} on Citus with ${variant.name}`;
      figure(`${kind}-${variant.workers}`, what, "a second", ratesOf(results, kind), { beside });
    }
  }
  const two = variants.find(({ workers }) => workers === 2);
  if (two === undefined || first.workers !== 1) return;
  figure("two", "events of two workers", "a second", ratesOf(all.get(two), "events"), {
    beside: ["of one", ratesOf(all.get(first), "events")],
    atLeast: cores > 0 ? bar : undefined,
  });
});

if (ports.length < 2)
  console.log("Skipped: set BENCH_CITUS to the ports of a Citus cluster, the coordinator first.");
else runScript(bench);
