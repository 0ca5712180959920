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
import { figure, millisOf, setting } from "./Rounds.ts";

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
  const measure = Effect.forEach(Object.values(searches), (text) =>
    millisOf(9, locations.page(tenant, { search: searchPattern(text) }, { before: null, limit: 21 })),
  );
  const indexed = yield* measure;
  yield* sql`DROP INDEX location_search`;
  const plain = yield* measure;
  for (const [at, name] of Object.keys(searches).entries()) {
    const what = `search for a part of a name among ${rows.toLocaleString("en")} locations: ${name}`;
    const [own = [], bare = []] = [indexed[at], plain[at]];
    figure(name.replaceAll(" ", "-"), what, "ms", own, {
      beside: ["without the index", bare],
      valueAtMost: 50,
    });
  }
});

runBench(Effect.provide(bench, onSchema(LocationsSql.layer)));
