/**
 * The rate and the memory of an import of devices in one request, compared with bare INSERT … SELECT unnest
 * of the same rows, 2,000 a statement, on the same PostgreSQL with the same driver. The client is another
 * process. `BENCH_DEVICES` sets the number of rows. The bars: 20,000 rows a second, and 100 MB of growth.
 */
import "effect/schema/SchemaJITCompiler/enable";
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer, Redacted, References } from "effect";
import { SqlClient } from "effect/sql";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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

const rows = Number(process.env["BENCH_DEVICES"] ?? 1_000_000);
const batch = 2_000;
const barRate = 20_000;
const barGrowth = 100;
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
  const began = performance.now();
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
  return performance.now() - began;
});

const bench = Effect.gen(function* () {
  const workspaces = yield* Workspaces;
  const { origin } = yield* PublicAddresses;
  const { id } = yield* workspaces.create(ParsedBody.of({ name: "Bench" }));
  const { workspaceId } = yield* workspaces.find(id);
  const address = `${origin}/operator/v1/workspaces/${id}/production/devices/import`;
  const bare = yield* bareInsert(workspaceId);
  const rate = (millis: number) => Math.round((rows / millis) * 1000);
  const shown = (millis: number) =>
    `${rate(millis).toLocaleString("en")} rows/s   ratio of time ${(millis / bare).toFixed(2)}`;
  console.log(`${rows.toLocaleString("en")} devices\nbare INSERT … SELECT unnest   ${shown(bare)}`);
  for (const [format, what] of [
    ["csv", "created"],
    ["ndjson", "updated"],
  ] as const) {
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
    const result = yield* imported(address, format);
    clearInterval(timer);
    const growth = Math.round((peak - before) / 1e6);
    if (result.summary[what] !== rows) {
      return yield* Effect.die(new Error(`The import ${what} not every device: ${JSON.stringify(result)}`));
    }
    console.log(`${what} from ${format}, memory +${growth} MB   ${shown(result.millis)}`);
    if (what === "created" && (rate(result.millis) < barRate || growth > barGrowth)) process.exitCode = 1;
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
