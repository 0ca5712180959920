/**
 * How long the points of BENCH_ROWS (10,000 if unset) locations take: compressed, plain and as a 304, and the
 * bare query of the same rows. The bar is 100 ms.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { alternately, atMost, median, ratios, setting, timed } from "./Rounds.ts";
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
  const ratio = (name: "compressed" | "plain" | "known") =>
    `${median(ratios(sides[name], sides.query)).toFixed(2)} of the query`;
  console.log(
    `${rows} points of ${Math.round(bytes / 1000)} kB: ` +
      `compressed in ${atMost(sides.compressed, 100, 1)} ms, ` +
      `${ratio("compressed")}; plain ${median(sides.plain).toFixed(1)} ms, ${ratio("plain")}; ` +
      `304 in ${median(sides.known).toFixed(1)} ms, ${ratio("known")}; ` +
      `the query ${median(sides.query).toFixed(1)} ms`,
  );
});

runBench(bench);
