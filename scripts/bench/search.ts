/**
 * How long the search for a part of a name takes among BENCH_ROWS (100,000 if unset) locations of one
 * environment: a page of a common part, of a rare one, of one that no name has, and the same without the
 * index.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { LocationsSql } from "../../src/locations/LocationsSql.ts";
import { searchPattern } from "../../src/wire/SearchText.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { atMost, median, setting, timed } from "./Rounds.ts";

const rows = setting("ROWS", 100_000);
const searches = { common: "store", rare: "nr 77777 ", none: "museum", short: "zq", "not latin": "музей" };

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const locations = yield* LocationsSql;
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
  const measure = Effect.fnUntraced(function* (about: string) {
    for (const [name, text] of Object.entries(searches)) {
      const page = locations.page(tenant, { search: searchPattern(text) }, { before: null, limit: 21 });
      const rounds = yield* Effect.replicateEffect(timed(page), 9);
      const millis = rounds.map(({ seconds }) => seconds * 1000);
      const shown = about === "with the index" ? atMost(millis, 50, 1) : median(millis).toFixed(1);
      console.log(`${about}, ${name.padEnd(10)} ${shown} ms, ${rounds[0]?.result.length} found`);
    }
  });
  yield* measure("with the index");
  yield* sql`DROP INDEX location_search`;
  yield* measure("without it");
});

runBench(Effect.provide(bench, onSchema(LocationsSql.layer)));
