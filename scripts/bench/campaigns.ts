/**
 * The CPU time of a `GET` of 20 campaigns, compared with a Fastify and `pg` handler written by hand
 * (PlatformBaseline.ts) that makes the same query, returns the same JSON and does the same around it: token,
 * rate limit, headers, access log. The bars are as much of Node as the handler, and 0.9 with PostgreSQL. User
 * and system time count. Each connection asks for a page of its own.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { besideBaseline } from "./BesideBaseline.ts";
import { newWorkspace } from "./ServiceApi.ts";

/** Stores 20 campaigns with three locations and a group each. */
const prepare = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = 1_795_262_400_000;
  const ids = (count: number) =>
    arrayOf(
      "uuid",
      Array.from({ length: count }, () => idAt(now)),
    );
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${tenant}, id, 'Shop', 'circle', 52, 5, 100, ${instant(now)}, ${instant(now)}
    FROM unnest(${ids(60)}) AS id`;
  yield* sql`
    INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
    SELECT ${tenant}, id, 'Region ' || n, ${instant(now)}, ${instant(now)}
    FROM unnest(${ids(20)}) WITH ORDINALITY AS g (id, n)`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at, created_at,
      updated_at)
    SELECT ${tenant}, id, 'Opening week of region ' || n, 'geo', 'Europe/Amsterdam', ${instant(now)},
      CASE WHEN n % 2 = 0 THEN ${instant(now + 4e11)} END, ${instant(now)}, ${instant(now)}
    FROM unnest(${ids(20)}) WITH ORDINALITY AS c (id, n)`;
  yield* sql`
    INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT c.workspace_id, c.environment, c.id, l.id, l.n
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM campaign) c
    JOIN (SELECT *, row_number() OVER (ORDER BY id) AS n FROM location) l ON (l.n - 1) / 3 = c.n - 1`;
  yield* sql`
    INSERT INTO campaign_location_group (workspace_id, environment, campaign_id, group_id, position)
    SELECT c.workspace_id, c.environment, c.id, g.id, 1
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM campaign) c
    JOIN (SELECT *, row_number() OVER (ORDER BY id) AS n FROM location_group) g ON g.n = c.n`;
  yield* sql`ANALYZE`.unprepared;
});

const bench = Effect.gen(function* () {
  const waypost = yield* BenchWorld.waypost();
  const { id, platform, token } = yield* newWorkspace(waypost.origin, ["campaigns:read"]);
  const workspaceId = yield* workspaceKey(id);
  yield* prepare(workspaceId);
  const baseline = yield* BenchWorld.baseline("PlatformBaseline.ts", workspaceId);
  const url = `${platform}/campaigns`;
  const different = Array.from({ length: 80 }, (_, n) => `?limit=${n + 21}`);
  const bars = { node: 1, cpu: 0.9 };
  yield* besideBaseline(waypost, baseline, url, token, 5_000, "different", bars, different);
});

runBench(bench);
