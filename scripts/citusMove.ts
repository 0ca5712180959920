/**
 * Moves an installation from one PostgreSQL to a Citus cluster and back, and compares its reports: `node
 * scripts/citusMove.ts --deliveries 100000`. BENCH_CITUS has the ports of a cluster's nodes on loopback, the
 * coordinator first, with the account `waypost` and no password.
 *
 * 1. A year of deliveries, and a fifth as many events, in a plain database of the first worker.
 * 2. `waypost backup`, `waypost restore` into a new database of the cluster, `waypost database distribute`.
 * 3. Waypost runs on it: a device registers and reports an event, which fires a message.
 * 4. `waypost backup`, `waypost restore` into a plain database of the last worker.
 *
 * Every report of several ranges must be the same before and after each move, and a rebuild of all rollups
 * must change none. It prints the duration of each command, its peak of memory and the sizes. `--folder DIR`
 * keeps the first backup with its reports there and starts from it the next time.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Rollups } from "../src/reports/rollups/Rollups.ts";
import { createCitusDatabase, dropOnNodes, onNode } from "../test/database/CitusCluster.ts";
import { onSchema } from "./bench/BenchDatabase.ts";
import { untilNone } from "./bench/BenchRows.ts";
import { runScript } from "./bench/BenchWorld.ts";
import { buildReportYear, uuidOf, yearOf } from "./bench/ReportYear.ts";
import { ask, dayFromNow, operatorKey, send } from "./bench/ServiceApi.ts";
import { timed } from "./bench/Rounds.ts";
import { beside, command, inDatabase, type Installation, megabytes, run } from "./citus/Installation.ts";

const { values: options } = parseArgs({
  options: { deliveries: { type: "string", default: "100000" }, folder: { type: "string" } },
});
const ports = (process.env["BENCH_CITUS"] ?? "").split(",").filter(Boolean).map(Number);
const deliveries = Number(options.deliveries);
const folder = options.folder ?? mkdtempSync(join(tmpdir(), "waypost-move-"));
const [plain, cluster, back] = ["move_plain", "move_cluster", "move_back"] as const;
const [coordinator] = ports;

const reports = ["summary", "campaigns", "locations", "notifications", "interactions", "surveys"] as const;

/** Facts that survive a move: credentials, the ranges of the reports, and their answers. */
interface Known {
  readonly token: string;
  readonly sdkKey: string;
  readonly ranges: ReadonlyArray<string>;
  readonly answers: Readonly<Record<string, string>>;
}

/** The answers of all reports. */
const answersOf = Effect.fnUntraced(function* (origin: string, { ranges, token }: Known) {
  const answers: Record<string, string> = {};
  const began = performance.now();
  for (const report of reports) {
    for (const range of ranges) {
      const path = `reports/${report}?${range}`;
      answers[path] = JSON.stringify(
        yield* Effect.promise(() => send("GET", `${origin}/platform/v1/${path}`, token)),
      );
    }
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${Object.keys(answers).length} reports in ${seconds} s`);
  return answers;
});

/** Compares all reports with those that are known. */
const compare = Effect.fnUntraced(function* (origin: string, known: Known, where: string) {
  const now = yield* answersOf(origin, known);
  const changed = Object.keys(now).filter((path) => now[path] !== known.answers[path]);
  console.log(changed.length === 0 ? `equal ${where}` : `NOT EQUAL ${where}: ${changed.join(", ")}`);
  if (changed.length > 0) process.exitCode = 1;
});

/** Waits until the rollups of an installation are complete. */
const rolledUp = (installation: Installation) =>
  inDatabase(
    installation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const open = sql`
        SELECT 1 FROM rollup_state WHERE timezone = '' OR rolled_up_from IS DISTINCT FROM '-infinity'`;
      console.log(`rollups are complete after ${(yield* timed(untilNone(open))).seconds.toFixed(1)} s`);
    }),
  );

/** Compares all reports after all rollups were built from source rows. */
const rebuild = Effect.fnUntraced(function* (origin: string, installation: Installation, known: Known) {
  yield* run(installation, "doctor", "--reports", "--rebuild");
  yield* rolledUp(installation);
  yield* compare(origin, known, "after a rebuild of all rollups");
});

/** Problems that the doctor finds. A node without fsync is no fault of Waypost, but it is listed. */
const doctor = Effect.fnUntraced(function* (installation: Installation) {
  const { output } = yield* command(installation, "doctor");
  const problems = output.split("\n").filter((line) => /^  (PROBLEM|WARNING) /.test(line));
  console.log(problems.join("\n"));
});

/** A device registers, reports an event and receives the messages that it fires. */
const useDevice = Effect.fnUntraced(function* (origin: string, { sdkKey }: Known, location: string) {
  const device = `${origin}/device/v1`;
  const { device_token } = yield* ask(
    `${device}/devices/${randomUUID()}`,
    sdkKey,
    { platform: "ios" },
    "PUT",
  );
  const event = { id: randomUUID(), type: "enter", location_id: location, occurred_at: new Date() };
  type Fired = { readonly deliveries: ReadonlyArray<unknown> };
  const { deliveries: fired } = yield* Effect.promise(() =>
    send<Fired>("POST", `${device}/events`, device_token, { events: [event] }),
  );
  console.log(`an event of a new device fires ${fired.length} messages`);
  if (fired.length === 0) process.exitCode = 1;
});

/** Prints how large a database is, on each node that has it. */
const printSizes = (database: string) =>
  Effect.forEach(
    ports,
    (port, index) =>
      inDatabase(
        { port, database: "postgres", dataDir: "" },
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient;
          const [row] = yield* sql<{ readonly bytes: number }>`
            SELECT pg_database_size(datname)::float8 AS bytes FROM pg_database WHERE datname = ${database}`;
          const node = index === 0 ? "coordinator" : `worker ${index}`;
          if (row !== undefined) console.log(`${database} on ${node}: ${megabytes(row.bytes)}`);
        }),
      ),
    { discard: true },
  );

const createDatabase = ({ database, port }: Installation) =>
  inDatabase(
    { port, database: "postgres", dataDir: "" },
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE ${sql(database)}`.unprepared),
  );

const knownFile = join(folder, "known.json");
const files = { there: join(folder, "there.tar.gz"), back: join(folder, "back.tar.gz") };

/** Writes the year into a plain database, keeps its reports and backs it up. */
const prepare = Effect.gen(function* () {
  const source = { port: ports[1], database: plain, dataDir: join(folder, plain) };
  yield* createDatabase(source);
  const year = { ...yearOf(deliveries), events: Math.ceil(deliveries / 5) };
  const build = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    yield* buildReportYear(year);
    yield* sql`UPDATE tenant SET last_device_key = ${year.devices}`;
    yield* sql`SELECT setval('delivery_source_id', ${deliveries})`;
    yield* sql`UPDATE workspace SET platform_api_enabled = true`;
    const { step } = yield* Rollups;
    while (yield* step);
    const [workspace] = yield* sql<{ readonly id: string }>`SELECT public_id AS id FROM workspace`;
    return workspace?.id;
  });
  const workspace = yield* build.pipe(
    Effect.provide(onSchema(Rollups.layer, source.dataDir)),
    Effect.provide(onNode(source.port, plain, 1)),
  );
  yield* printSizes(plain);
  yield* beside(
    source,
    Effect.fnUntraced(function* (origin) {
      const url = `${origin}/operator/v1/workspaces/${workspace}`;
      const token = { name: "Move", environment: "production", abilities: ["reports:read"] };
      const known: Known = {
        token: (yield* ask(`${url}/tokens`, operatorKey, token)).token,
        sdkKey: (yield* ask(`${url}/production/sdk-keys`, operatorKey, { name: "Move" })).sdk_key,
        ranges: [
          [363, 1],
          [90, 1],
          [200, 170],
          [7, 7],
        ].map(([from = 0, to = 0]) => `start=${dayFromNow(-from)}&end=${dayFromNow(-to)}`),
        answers: {},
      };
      yield* rolledUp(source);
      const answers = yield* answersOf(origin, known);
      writeFileSync(knownFile, JSON.stringify({ ...known, answers }));
    }),
  );
  yield* run(source, "backup", files.there);
  yield* dropOnNodes(ports, plain);
});

const move = Effect.gen(function* () {
  if (!existsSync(files.there)) yield* prepare;
  const before = JSON.parse(readFileSync(knownFile, "utf8")) as Known;
  console.log(`the backup has ${megabytes(statSync(files.there).size)}`);

  const there = { port: coordinator, database: cluster, dataDir: join(folder, cluster) };
  yield* createCitusDatabase(ports, cluster);
  yield* run(there, "restore", files.there);
  yield* printSizes(cluster);
  yield* run(there, "database", "distribute", "--yes");
  yield* printSizes(cluster);
  const changed = yield* beside(
    there,
    Effect.fnUntraced(function* (origin) {
      yield* compare(origin, before, "after the move to the cluster");
      const [location] = yield* inDatabase(
        there,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ readonly id: string }>`SELECT ${sql.literal(uuidOf("location", "20"))} AS id`,
        ),
      );
      yield* useDevice(origin, before, location?.id ?? "");
      yield* doctor(there);
      const known = { ...before, answers: yield* answersOf(origin, before) };
      yield* rebuild(origin, there, known);
      return known;
    }),
  );
  yield* run(there, "backup", files.back);
  console.log(`the backup has ${megabytes(statSync(files.back).size)}`);
  yield* dropOnNodes(ports, cluster);

  const home = { port: ports.at(-1), database: back, dataDir: join(folder, back) };
  yield* createDatabase(home);
  yield* run(home, "restore", files.back);
  yield* printSizes(back);
  yield* beside(
    home,
    Effect.fnUntraced(function* (origin) {
      yield* compare(origin, changed, "after the move back");
      yield* doctor(home);
    }),
  );
});

const clean = Effect.gen(function* () {
  for (const name of [plain, cluster, back]) yield* Effect.ignore(dropOnNodes(ports, name));
  for (const name of [plain, cluster, back]) rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(files.back, { force: true });
  if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
});

if (ports.length < 3) {
  console.error("Set BENCH_CITUS to the ports of a coordinator and of two workers or more.");
  process.exitCode = 2;
} else {
  mkdirSync(folder, { recursive: true });
  runScript(Effect.ensuring(move, clean));
}
