/**
 * The time of an import of 10,000 circles in one request, compared with a bare INSERT … SELECT unnest of the
 * same rows on the same PostgreSQL with the same driver. Both alternate; the bar is 3 times the time. Then an
 * import of all counties of us-atlas.
 */
import "effect/schema/SchemaJITCompiler/enable";
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer, Redacted, References, Schema } from "effect";
import { SqlClient } from "effect/sql";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { feature } from "topojson-client";
import { abilities } from "../../src/access/Ability.ts";
import { Tokens } from "../../src/access/Tokens.ts";
import { Settings } from "../../src/config/Settings.ts";
import { Database } from "../../src/database/Database.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { PublicAddresses } from "../../src/http/PublicAddresses.ts";
import { ImportReport } from "../../src/locations/LocationImport.ts";
import { MediaWorkers } from "../../src/media/worker/MediaWorkers.ts";
import { memoryMediaStore } from "../../test/media/store/MemoryMediaStore.ts";
import { ReadyThumbnails } from "../../src/media/Thumbnails.ts";
import { serviceLayer } from "../../src/Waypost.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import type { ImportRequest, ImportResponse } from "./ImportClient.ts";

const rounds = 15;
const warmUp = 5;
const size = 10_000;
const bar = 3;

interface Circle {
  readonly name: string;
  readonly externalId: string;
  readonly group: string | null;
  readonly longitude: number;
  readonly latitude: number;
  readonly radius: number;
}

const circles = (groups: number): ReadonlyArray<Circle> =>
  Array.from({ length: size }, (_, n) => ({
    name: `Store number ${n}`,
    externalId: `store-${n}`,
    group: groups === 0 ? null : `Region ${n % groups}`,
    longitude: Math.round(((n * 0.0359) % 360) * 1e5) / 1e5 - 180,
    latitude: Math.round(((n * 0.01731) % 170) * 1e5) / 1e5 - 85,
    radius: 50 + (n % 951),
  }));

const collectionOf = (features: ReadonlyArray<unknown>): string =>
  JSON.stringify({ type: "FeatureCollection", features });

const featureOf = ({ externalId, group, latitude, longitude, name, radius }: Circle): object => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: { name, radius, external_id: externalId, ...(group === null ? {} : { group }) },
});

/** Writes the same rows with one statement per table, in one transaction. Returns the milliseconds. */
const bareInsert = Effect.fnUntraced(function* (workspaceId: number, rows: ReadonlyArray<Circle>) {
  const sql = yield* SqlClient.SqlClient;
  const now = 1_795_262_400_000;
  const ids = rows.map(() => idAt(now));
  const groupIds = new Map(
    rows.flatMap(({ group }) => (group === null ? [] : [[group, idAt(now)] as const])),
  );
  const texts = (value: (row: Circle) => string) => arrayOf("text", rows.map(value));
  const floats = (value: (row: Circle) => number) => arrayOf("float8", rows.map(value));
  const radii = rows.map(({ radius }) => radius);
  const memberships = rows.map(({ group }) => groupIds.get(group ?? "") ?? null);
  const began = performance.now();
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`
        INSERT INTO location (workspace_id, environment, id, name, external_id, type, latitude, longitude,
          radius_meters, created_at, updated_at)
        SELECT ${workspaceId}, 'production', *, ${instant(now)}, ${instant(now)} FROM unnest(
          ${arrayOf("uuid", ids)}, ${texts(({ name }) => name)}, ${texts(({ externalId }) => externalId)},
          ${texts(() => "circle")}, ${floats(({ latitude }) => latitude)},
          ${floats(({ longitude }) => longitude)}, ${arrayOf("int4", radii)})`;
      if (groupIds.size === 0) return;
      yield* sql`
        INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
        SELECT ${workspaceId}, 'production', *, ${instant(now)}, ${instant(now)}
        FROM unnest(${arrayOf("uuid", [...groupIds.values()])}, ${arrayOf("text", [...groupIds.keys()])})`;
      yield* sql`
        INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
        SELECT ${workspaceId}, 'production', *
        FROM unnest(${arrayOf("uuid", memberships)}, ${arrayOf("uuid", ids)})`;
    }),
  );
  return performance.now() - began;
});

const ImportBody = Schema.fromJsonString(Schema.Struct({ data: ImportReport }));

const client = Effect.acquireRelease(
  Effect.sync(() => new Worker(new URL("./ImportClient.ts", import.meta.url))),
  (worker) => Effect.promise(() => worker.terminate()),
).pipe(
  Effect.map(
    (worker) => (request: ImportRequest) =>
      Effect.promise(async () => {
        worker.postMessage(request);
        const [response] = (await once(worker, "message")) as [ImportResponse];
        return response;
      }).pipe(
        Effect.flatMap(({ millis, text }) =>
          Effect.map(Schema.decodeEffect(ImportBody)(text), ({ data }) => ({ millis, data })),
        ),
        Effect.orDie,
      ),
  ),
);

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const counties = (): ReadonlyArray<unknown> => {
  const atlas: unknown = createRequire(import.meta.url)("us-atlas/counties-10m.json");
  const { objects } = Schema.decodeUnknownSync(
    Schema.Struct({ objects: Schema.Struct({ counties: Schema.Unknown }) }),
  )(atlas);
  const { features } = Schema.decodeUnknownSync(
    Schema.Struct({ features: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }),
  )(feature(atlas, objects.counties));
  return features.map((county) => ({
    ...county,
    properties: { ...(county["properties"] as object), external_id: county["id"] },
  }));
};

const kinds = ["MultiPolygon", "lie on each other", "crosses itself", "has no area"];

const bench = Effect.gen(function* () {
  const { base } = yield* PublicAddresses;
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const { id } = yield* workspaces.create(
    ParsedBody.of({ name: "Bench", plan: { max_locations: 20_000, production_writes_per_minute: null } }),
  );
  yield* workspaces.update(id, ParsedBody.of({ platform_api_enabled: true }));
  const { workspaceId } = yield* workspaces.find(id);
  const { token } = yield* (yield* Tokens).issueToken(
    workspaceId,
    ParsedBody.of({ name: "Bench", environment: "production" as const, abilities }),
  );
  const post = yield* client;
  const url = `${base.production}/locations/import`;
  const empty = sql`TRUNCATE location, location_group CASCADE`.pipe(
    Effect.andThen(sql`CHECKPOINT`.unprepared),
  );

  let worst = 0;
  for (const groups of [0, 50]) {
    const rows = circles(groups);
    const body = collectionOf(rows.map(featureOf));
    const bare: Array<number> = [];
    const imported: Array<number> = [];
    const again: Array<number> = [];
    for (let round = 0; round < warmUp + rounds; round++) {
      yield* empty;
      const bareMillis = yield* bareInsert(workspaceId, rows);
      yield* empty;
      const first = yield* post({ url, token, body });
      const second = yield* post({ url, token, body });
      if (first.data.summary.created !== size || second.data.summary.updated !== size) {
        return yield* Effect.die(new Error("An import did not accept every feature."));
      }
      if (round < warmUp) continue;
      bare.push(bareMillis);
      imported.push(first.millis);
      again.push(second.millis);
    }
    const ratio = median(imported) / median(bare);
    worst = Math.max(worst, ratio);
    const ms = (values: ReadonlyArray<number>) => `${Math.round(median(values))} ms`;
    console.log(`
${size} circles ${groups === 0 ? "in no group" : `in ${groups} groups`}, ${rounds} rounds, medians
bare INSERT … SELECT unnest   ${ms(bare)}
import of new ones            ${ms(imported)}   ratio ${ratio.toFixed(2)} (bar: ${bar})
the same again, as updates    ${ms(again)}`);
  }

  yield* empty;
  const { data, millis } = yield* post({ url, token, body: collectionOf(counties()) });
  const { created, failed } = data.summary;
  const reasons = new Map<string, number>();
  for (const reason of data.results.flatMap((result) => result.reasons ?? [])) {
    const kind = kinds.find((each) => reason.includes(each)) ?? reason;
    reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
  }
  console.log(`
us-atlas counties, accepted and rejected: ${created} and ${failed} in ${Math.round(millis)} ms
${[...reasons].map(([kind, count]) => `  ${String(count).padStart(4)}  ${kind}`).join("\n")}`);
  if (worst > bar) process.exitCode = 1;
});

const dataDir = mkdtempSync(join(tmpdir(), "waypost-bench-"));
const config = Settings.layerTest({ port: 0, dataDir });
const migrations = MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url));
const directory = Layer.succeed(DataDirectory, {
  path: dataDir,
  operatorKey: Redacted.make("operator-key-of-the-bench-processes"),
  secretKey: Redacted.make("secret-key-of-the-bench-processes"),
});
const noThumbnails = Layer.succeed(ReadyThumbnails, { ready: () => Effect.succeedNone });
const waypost = serviceLayer.pipe(
  Layer.provide([memoryMediaStore, noThumbnails, MediaWorkers.layer]),
  Layer.provideMerge(Database.layer),
  Layer.provide([config, migrations, directory]),
);

bench.pipe(
  Effect.provide(waypost),
  Effect.scoped,
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  Effect.ensuring(Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))),
  NodeRuntime.runMain,
);
