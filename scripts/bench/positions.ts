/**
 * The bars of positions: `POST /device/v1/positions` with one position among 10,000 polygons, from 64
 * connections, at no less than a third of the rate of a baseline that does only the necessary write
 * (PositionsBaseline.ts), with a p99 of 50 ms; and the index alone at no less than 500,000 lookups a second.
 * Devices walk, so that about one position in twenty shows an enter or exit. Both programs are processes of
 * their own on one durable PostgreSQL, measured alternately. The access log is on, as by default.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, References } from "effect";
import { SqlClient } from "effect/sql";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { instant, unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { boundingCircle } from "../../src/locations/geometry/BoundingCircle.ts";
import type { GeoPosition } from "../../src/locations/Location.ts";
import { toIndexedLocation } from "../../src/locations/geometry/IndexedLocation.ts";
import { LocationIndex } from "../../src/locations/geometry/LocationIndex.ts";
import { DeviceKey, idAt } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { median } from "./BenchChild.ts";
import { alternating, lineOf, programs, rounds } from "./Programs.ts";
import { type Loaded, postHead, requestLoad } from "./RequestLoad.ts";

const bar = 1 / 3;
const indexBar = 500_000;
const maxP99 = 50;
const connections = 64;
const devices = 1_000;
const perRound = 10_000;
/** Polygons on each side of a square grid with cells of a hundredth of a degree. */
const side = 100;
const cell = 0.01;
const corners = 40;

/** A star in each cell that fills about a third of it. */
const polygons = Array.from({ length: side * side }, (_, at) => {
  const x = 4 + ((at % side) + 0.5) * cell;
  const y = 51 + (Math.floor(at / side) + 0.5) * cell;
  const ring = Array.from({ length: corners }, (_, corner): GeoPosition => {
    const angle = (2 * Math.PI * corner) / corners;
    const reach = cell * (corner % 2 === 0 ? 0.45 : 0.2);
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
  });
  const rings = [[...ring, ...ring.slice(0, 1)]];
  return { rings, circle: boundingCircle({ type: "Polygon", coordinates: rings }) };
});

/** Devices that walk a sixtieth of a cell with each step, in slowly changing directions. */
const walkers = Array.from({ length: devices }, (_, at) => ({
  x: 4 + ((at * 37) % side) * cell,
  y: 51 + ((at * 61) % side) * cell,
  direction: at,
}));
const step = (at: number): GeoPosition => {
  const walker = walkers[at % devices] ?? { x: 4.5, y: 51.5, direction: 0 };
  walker.direction += Math.random() - 0.5;
  walker.x = 4 + ((walker.x - 4 + (cell / 60) * Math.cos(walker.direction) + side * cell) % (side * cell));
  walker.y = 51 + ((walker.y - 51 + (cell / 60) * Math.sin(walker.direction) + side * cell) % (side * cell));
  return [walker.x, walker.y];
};

const lookupsPerSecond = (): number => {
  const index = LocationIndex.of(
    new Map(
      polygons.map(({ circle: { latitude, longitude, radiusMeters }, rings }, key) => [
        key,
        toIndexedLocation({
          key,
          id: String(key),
          revision: 0,
          latitude,
          longitude,
          radius_meters: radiusMeters,
          rings,
        }),
      ]),
    ),
  );
  const points = Array.from({ length: 100_000 }, (): GeoPosition => [
    4 + Math.random() * side * cell,
    51 + Math.random() * side * cell,
  ]);
  const rates = Array.from({ length: 7 }, () => {
    // CPU time, so that other processes on the machine do not count.
    const began = process.cpuUsage();
    let found = 0;
    for (const point of points) found += index.at(point).length;
    if (found === 0) throw new Error("The index finds nothing.");
    const { system, user } = process.cpuUsage(began);
    return (points.length / (system + user)) * 1_000_000;
  });
  return median(rates);
};

/** Inserts the polygons and a thousand devices. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const now = yield* Clock.currentTimeMillis;
  const { id } = yield* workspaces.create(ParsedBody.of({ name: "Bench" }));
  const { workspaceId } = yield* workspaces.find(id);
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  const at = instant(now);
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      rings, created_at, updated_at)
    SELECT ${tenant}, id, 'Star', 'polygon', latitude, longitude, radius, rings, ${at}, ${at}
    FROM ${unnested("p", polygons, {
      id: ["uuid", () => idAt(now)],
      latitude: ["float8", ({ circle }) => circle.latitude],
      longitude: ["float8", ({ circle }) => circle.longitude],
      radius: ["int4", ({ circle }) => circle.radiusMeters],
      rings: ["jsonb", ({ rings }) => rings],
    })}`.unprepared;
  const secrets = Array.from({ length: devices }, makeSecret);
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
      token_digest, token_used, registered_at, last_seen_at)
    SELECT ${tenant}, ord, id, 'installation-' || ord, 'android', 'inbox', true, digest, true, ${at}, ${at}
    FROM ${unnested("d", secrets, {
      id: ["uuid", () => idAt(now)],
      digest: ["bytea", digest],
    })}`;
  yield* sql`ANALYZE`.unprepared;
  return { workspaceId, secrets };
});

const load = (
  url: string,
  headers: ReadonlyArray<Readonly<Record<string, string>>>,
  count: number,
): Promise<Loaded> => {
  let sent = 0;
  const request = (): string => {
    const [longitude, latitude] = step(sent);
    const body = JSON.stringify({
      positions: [{ latitude, longitude, accuracy_meters: 10, recorded_at: new Date().toISOString() }],
    });
    return postHead(url, headers[sent++ % headers.length] ?? {}, body.length) + body;
  };
  return requestLoad(url, connections, count, request, '"accepted":1');
};

const bench = Effect.gen(function* () {
  const lookups = lookupsPerSecond();
  const { prepared, baseline, waypost } = yield* programs(
    "PositionsBaseline.ts",
    prepare,
    ({ workspaceId }) => [String(workspaceId)],
  );
  const key = { workspaceId: prepared.workspaceId, environment: "production" } as const;
  const deviceKeys = prepared.secrets.map((_, index) => ({ "x-device-key": String(index + 1) }));
  const tokens = prepared.secrets.map((secret, index) => ({
    authorization: `Bearer ${deviceToken({ ...key, deviceKey: DeviceKey(index + 1) }, secret)}`,
  }));
  const [bare, own] = yield* alternating(
    [
      {
        name: "node:http + pg",
        program: baseline,
        ask: (count) => load(`${baseline.origin}/positions`, deviceKeys, count),
      },
      {
        name: "Waypost",
        program: waypost,
        ask: (count) => load(`${waypost.origin}/device/v1/positions`, tokens, count),
      },
    ],
    perRound,
  );
  if (bare === undefined || own === undefined) return;
  const ratio = own.perSecond / bare.perSecond;
  console.log(`
POST of a position among ${polygons.length} polygons, from ${connections} connections
medians of ${rounds} rounds of ${perRound}
${lineOf("node:http + pg", bare)}
${lineOf("Waypost", own)} (bar: p99 ${maxP99} ms)
ratio ${ratio.toFixed(2)} (bar: ${bar.toFixed(2)})
the index alone ${Math.round(lookups)} lookups/s (bar: ${indexBar})`);
  if (ratio < bar || own.p99 > maxP99 || lookups < indexBar) process.exitCode = 1;
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
