/**
 * How long the search for a part of a name takes among BENCH_ROWS (100,000 if unset) locations of one
 * environment: a page of a common part, of a rare one, of one that no name has, and the same without the
 * index.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocationsRepository } from "../../src/locations/LocationsRepository.ts";
import { locationsSql } from "../../src/locations/LocationsSql.ts";
import { searchPattern } from "../../src/wire/SearchText.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { median } from "./BenchChild.ts";
import { benchClient, onSchema } from "./BenchDatabase.ts";

const rows = Number(process.env["BENCH_ROWS"] ?? 100_000);
const maxMillis = 50;
const rounds = 9;
const searches = { common: "store", rare: "nr 77777 ", none: "museum", short: "zq", "not latin": "музей" };

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const locations = yield* LocationsRepository;
  yield* sql`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', 'UTC', '2025-01-01Z', '2025-01-01Z')`;
  yield* sql`INSERT INTO tenant SELECT 1, e FROM unnest(ARRAY['sandbox', 'production']) e
    ON CONFLICT DO NOTHING`;
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT 1, 'production', gen_random_uuid(), 'Store nr ' || n || ' ' || md5(n::text), 'circle', 52, 5, 100,
      '2025-01-01Z', '2025-01-01Z'
    FROM generate_series(1, ${rows}::int) n`;
  yield* sql`VACUUM ANALYZE location`.unprepared;
  const tenant = { workspaceId: 1, environment: "production" } as unknown as Tenant;
  let misses = 0;
  const measure = Effect.fnUntraced(function* (about: string) {
    for (const [name, text] of Object.entries(searches)) {
      const times: Array<number> = [];
      let found = 0;
      for (let round = 0; round < rounds; round++) {
        const started = performance.now();
        const page = yield* locations.page(
          tenant,
          { search: searchPattern(text) },
          { before: null, limit: 21 },
        );
        times.push(performance.now() - started);
        found = page.length;
      }
      const millis = median(times);
      if (about === "with the index" && millis > maxMillis) misses++;
      console.log(`${about}, ${name.padEnd(10)} ${millis.toFixed(1)} ms (bar: ${maxMillis}), ${found} found`);
    }
  });
  yield* measure("with the index");
  yield* sql`DROP INDEX location_search`;
  yield* measure("without it");
  if (misses > 0) process.exitCode = 1;
});

const directory = mkdtempSync(join(tmpdir(), "waypost-bench-"));
NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(onSchema(locationsSql, benchClient(directory))),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))),
    Effect.scoped,
  ),
);
