/**
 * The rate and the memory of an import of devices in one request, compared with bare INSERT … SELECT unnest
 * of the same rows, 2,000 a statement, on the same PostgreSQL with the same driver. The client is another
 * process. `BENCH_DEVICES` sets the number of rows. The bars: 20,000 rows a second, 100 MB of growth, and an
 * event loop that nothing holds for 50 ms. On a busy machine the microseconds of CPU a row say more.
 */
import "effect/schema/SchemaJITCompiler/enable";
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer, Redacted, References } from "effect";
import { SqlClient } from "effect/sql";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Settings } from "../../src/config/Settings.ts";
import { Database } from "../../src/database/Database.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { instant, unnested } from "../../src/database/Rows.ts";
import { PublicAddresses } from "../../src/http/PublicAddresses.ts";
import { MediaWorkers } from "../../src/media/worker/MediaWorkers.ts";
import { ReadyThumbnails } from "../../src/media/Thumbnails.ts";
import { serviceLayer } from "../../src/Waypost.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { memoryMediaStore } from "../../test/media/store/MemoryMediaStore.ts";
import { cpuOfServer } from "./BenchChild.ts";

const rows = Number(process.env["BENCH_DEVICES"] ?? 1_000_000);
const batch = 2_000;
const barRate = 20_000;
const barGrowth = 100;
const barHeldMillis = 50;
const key = "operator-key-of-the-bench-processes";

interface Imported {
  readonly millis: number;
  readonly summary: { readonly created: number; readonly updated: number };
}

const imported = (address: string, format: string) =>
  Effect.promise(async () => {
    const file = join(import.meta.dirname, "DeviceClient.ts");
    const child = spawn(process.execPath, [file, address, key, String(rows), format], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    for await (const piece of child.stdout) text += String(piece);
    return JSON.parse(text) as Imported;
  });

const bareInsert = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = 1_795_262_400_000;
  const digest = new Uint8Array(32);
  for (let from = 0; from < rows; from += batch) {
    const page = Array.from({ length: Math.min(batch, rows - from) }, (_, n) => from + n);
    yield* sql`
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
        approved, attributes, locale, timezone, user_id, token_digest, registered_at, last_seen_at)
      SELECT ${workspaceId}, 'sandbox', d.key, d.id, d.installation_id, 'android', 'fcm', d.address, false,
        d.attributes, 'nl-NL', 'Europe/Amsterdam', d.user_id, ${digest}, ${instant(now)}, ${instant(now)}
      FROM ${unnested("d", page, {
        key: ["int4", (n) => n + 1],
        id: ["uuid", () => idAt(now)],
        installation_id: ["text", (n) => `device-${n}`],
        address: ["jsonb", (n) => ({ token: `registration-token-${n}` })],
        attributes: ["jsonb", (n) => ({ plan: "gold", visits: n % 90 })],
        user_id: ["text", (n) => `user-${n % 700_000}`],
      })}`;
  }
});

/** Seconds of CPU that the PostgreSQL of the data directory has used. */
const postgresCpu = (): number =>
  cpuOfServer(Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0]));

const threadMicros = (): number => {
  const { system, user } = process.threadCpuUsage();
  return user + system;
};

/** Runs the work, and gives its time with the CPU and the memory that it took. */
const measured = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  let held = 0;
  let usedMicros = threadMicros();
  // The CPU of the thread between two turns of the event loop: waiting for a processor does not count.
  const turns = setInterval(() => {
    const now = threadMicros();
    held = Math.max(held, now - usedMicros);
    usedMicros = now;
  }, 1);
  const [ownCpu, serverCpu, began] = [process.cpuUsage(), postgresCpu(), performance.now()];
  const result = yield* work;
  const millis = performance.now() - began;
  clearInterval(turns);
  clearInterval(timer);
  const { system, user } = process.cpuUsage(ownCpu);
  return {
    result,
    millis,
    ownMicros: (user + system) / rows,
    serverMicros: ((postgresCpu() - serverCpu) * 1e6) / rows,
    growth: Math.round((peak - before) / 1e6),
    held: Math.round(held / 1000),
  };
});

const rate = (millis: number) => Math.round((rows / millis) * 1000);

const shown = (figures: Effect.Success<ReturnType<typeof measured>>, bareMillis: number): string =>
  `${rate(figures.millis).toLocaleString("en")} rows/s, ratio of time ` +
  `${(figures.millis / bareMillis).toFixed(2)}, µs of CPU a row ${figures.ownMicros.toFixed(0)} and ` +
  `PostgreSQL ${figures.serverMicros.toFixed(0)}, memory +${figures.growth} MB, loop held ${figures.held} ms`;

const bench = Effect.gen(function* () {
  const workspaces = yield* Workspaces;
  const { origin } = yield* PublicAddresses;
  const { id } = yield* workspaces.create(ParsedBody.of({ name: "Bench" }));
  const { workspaceId } = yield* workspaces.find(id);
  const address = `${origin}/operator/v1/workspaces/${id}/production/devices/import`;
  console.log(`${rows.toLocaleString("en")} devices, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  const bare = yield* measured(bareInsert(workspaceId));
  console.log(`bare INSERT … SELECT unnest: ${shown(bare, bare.millis)}`);
  for (const [format, what] of [
    ["csv", "created"],
    ["ndjson", "updated"],
  ] as const) {
    const figures = yield* measured(imported(address, format));
    if (figures.result.summary[what] !== rows) {
      return yield* Effect.die(
        new Error(`The import ${what} not every device: ${JSON.stringify(figures.result)}`),
      );
    }
    console.log(`${what} from ${format}: ${shown(figures, bare.millis)}`);
    const isMet =
      rate(figures.millis) >= barRate && figures.growth <= barGrowth && figures.held <= barHeldMillis;
    if (what === "created" && !isMet) process.exitCode = 1;
  }
});

const dataDir = mkdtempSync(join(tmpdir(), "waypost-bench-"));
const directory = Layer.succeed(DataDirectory, {
  path: dataDir,
  operatorKey: Redacted.make(key),
  secretKey: Redacted.make("secret-key-of-the-bench-processes"),
});
const noThumbnails = Layer.succeed(ReadyThumbnails, { ready: () => Effect.succeedNone });
const waypost = serviceLayer.pipe(
  Layer.provide([memoryMediaStore, noThumbnails, MediaWorkers.layer]),
  Layer.provideMerge(Database.layer),
  Layer.provide([
    Settings.layerTest({ port: 0, dataDir }),
    MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url)),
    directory,
  ]),
);

bench.pipe(
  Effect.provide(waypost),
  Effect.scoped,
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  Effect.ensuring(Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))),
  NodeRuntime.runMain,
);
