/**
 * The CPU time of a `GET` of 20 campaigns, compared with a Fastify and `pg` handler written by hand
 * (CampaignsBaseline.ts) that makes the same query and returns the same JSON. The bar is 1.5 times as much.
 * Each is a process of its own, and both alternate on one PostgreSQL; user and system time of the Node
 * process count. The access log is on, as it is by default.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, References } from "effect";
import { SqlClient } from "effect/sql";
import { deepStrictEqual } from "node:assert";
import { Tokens } from "../../src/access/Tokens.ts";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { alternating, lineOf, type Program, programs, rounds } from "./Programs.ts";
import { getRequest, requestLoad } from "./RequestLoad.ts";

const bar = 1.5;
const connections = 64;
const perRound = 5_000;

/** Stores 20 campaigns with three locations and a group each. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const now = 1_795_262_400_000;
  const { id } = yield* workspaces.create(
    ParsedBody.of({ name: "Bench", plan: { production_requests_per_minute: null } }),
  );
  yield* workspaces.update(id, ParsedBody.of({ platform_api_enabled: true }));
  const { workspaceId } = yield* workspaces.find(id);
  const { token } = yield* (yield* Tokens).issueToken(
    workspaceId,
    ParsedBody.of({
      name: "Bench",
      environment: "production" as const,
      abilities: ["campaigns:read" as const],
    }),
  );
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
  return { workspaceId, token };
});

const bench = Effect.gen(function* () {
  const { prepared, baseline, waypost } = yield* programs(
    "CampaignsBaseline.ts",
    prepare,
    ({ workspaceId }) => [String(workspaceId), "production"],
  );
  const side = (name: string, program: Program, url: string, headers: Readonly<Record<string, string>>) => ({
    name,
    program,
    answer: () => fetch(url, { headers }).then((response) => response.json() as unknown),
    ask: (count: number) => {
      const request = getRequest(url, headers);
      return requestLoad(url, connections, count, () => request, '{"data":[');
    },
  });
  const sides = [
    side("Fastify + pg", baseline, `${baseline.origin}/campaigns`, {}),
    side("Waypost", waypost, `${waypost.origin}/platform/v1/campaigns`, {
      authorization: `Bearer ${prepared.token}`,
    }),
  ] as const;
  const [first, second] = yield* Effect.promise(() => Promise.all(sides.map(({ answer }) => answer())));
  deepStrictEqual(second, first);
  const [bare, own] = yield* alternating(sides, perRound);
  if (bare === undefined || own === undefined) return;
  const ratio = own.cpu / bare.cpu;
  console.log(`
GET of 20 campaigns from ${connections} connections, ${rounds} rounds of ${perRound}, medians
${lineOf("Fastify + pg", bare)}
${lineOf("Waypost", own)}
ratio of the CPU ${ratio.toFixed(2)} (bar: ${bar})`);
  if (ratio > bar) process.exitCode = 1;
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
