/**
 * The CPU time of a `GET` of 20 campaigns, compared with a Fastify and `pg` handler written by hand
 * (CampaignsBaseline.ts) that makes the same query and returns the same JSON. The bar is 1.5 times as much.
 * User and system time of the Node process count. The access log is on, as it is by default.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { deepStrictEqual } from "node:assert";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, each, runBench, type Served } from "./BenchWorld.ts";
import { getRequest, requestLoad } from "./RequestLoad.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { atMost, ratios } from "./Rounds.ts";

const connections = 64;

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
  const baseline = yield* BenchWorld.baseline("CampaignsBaseline.ts", workspaceId);
  const side = ({ pid }: Served, url: string, headers: Readonly<Record<string, string>>) => {
    const request = getRequest(url, headers);
    return {
      pid,
      answer: () => fetch(url, { headers }).then((response) => response.json() as unknown),
      load: (count: number) => requestLoad(url, connections, count, () => request, '{"data":['),
    };
  };
  const bare = side(baseline, `${baseline.origin}/campaigns`, {});
  const own = side(waypost, `${platform}/campaigns`, { authorization: `Bearer ${token}` });
  deepStrictEqual(yield* Effect.promise(own.answer), yield* Effect.promise(bare.answer));
  const what = `GET of 20 campaigns from ${connections} connections`;
  const rounds = yield* BenchWorld.compare(what, 5_000, { "Fastify + pg": bare, Waypost: own });
  const cpu = ratios(each(rounds.Waypost, "cpu"), each(rounds["Fastify + pg"], "cpu"));
  console.log(`ratio of the CPU ${atMost(cpu, 1.5)}`);
});

runBench(bench);
