/**
 * How long the points of BENCH_ROWS (10,000 if unset) locations take: compressed, plain and as a 304, and the
 * bare query of the same rows. The bar is 100 ms.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { alternately, figure, setting, timed } from "./Rounds.ts";
import { newWorkspace } from "./ServiceApi.ts";

const rows = setting("ROWS", 10_000);

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const waypost = yield* BenchWorld.waypost();
  const { id, platform, token } = yield* newWorkspace(waypost.origin, ["locations:read"]);
  const workspaceId = yield* workspaceKey(id);
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${workspaceId}, 'production', gen_random_uuid(), 'Store ' || n, 'circle',
      52 + (n * 7919 % 1000003) / 1e6, 4 + (n * 104729 % 1000003) / 1e6, 100, '2025-01-01Z', '2025-01-01Z'
    FROM generate_series(1, ${rows}::int) n`;
  yield* sql`VACUUM ANALYZE location`.unprepared;

  const get = (headers: Readonly<Record<string, string>>) =>
    Effect.promise(async () => {
      const answer = await fetch(`${platform}/locations/points`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      return { etag: answer.headers.get("etag") ?? "", bytes: (await answer.arrayBuffer()).byteLength };
    });
  const { bytes, etag } = yield* get({});
  const millis = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.map(timed(effect), ({ seconds }) => seconds * 1000);
  const sides = yield* alternately(15, {
    compressed: millis(get({ "accept-encoding": "gzip" })),
    plain: millis(get({ "accept-encoding": "identity" })),
    known: millis(get({ "if-none-match": etag })),
    query: millis(sql`
      SELECT id, longitude, latitude, CASE type WHEN 'circle' THEN radius_meters END AS radius
      FROM location WHERE workspace_id = ${workspaceId} AND environment = 'production' ORDER BY id DESC`),
  });
  const what = `points of ${rows.toLocaleString("en")} locations, ${Math.round(bytes / 1000)} kB`;
  const beside = ["the bare query", sides.query] as const;
  figure("compressed", `compressed ${what}`, "ms", sides.compressed, { beside, valueAtMost: 100 });
  figure("plain", `plain ${what}`, "ms", sides.plain, { beside });
  figure("known", `a 304 for ${what}`, "ms", sides.known, { beside });
});

runBench(bench);
