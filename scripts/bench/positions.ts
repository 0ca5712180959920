/**
 * The bars of positions: `POST /device/v1/positions` with one position among 10,000 polygons, from 64
 * connections, at no less than 0.7 of the rate of a baseline that does only the necessary write
 * (PositionsBaseline.ts), with a p99 of 50 ms; and the index alone at no less than 500,000 lookups a second.
 * Devices walk, so that about one position in twenty shows an enter or exit. The access log is on, as by
 * default.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { instant, unnested } from "../../src/database/Rows.ts";
import { boundingCircle } from "../../src/locations/geometry/BoundingCircle.ts";
import type { GeoPosition } from "../../src/locations/Location.ts";
import { toIndexedLocation } from "../../src/locations/geometry/IndexedLocation.ts";
import { LocationIndex } from "../../src/locations/geometry/LocationIndex.ts";
import { idAt, LocationKey } from "../../src/wire/Ids.ts";
import { insertReporters, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench, stateLoad } from "./BenchWorld.ts";
import { postHead, requestLoad } from "./RequestLoad.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { figure } from "./Rounds.ts";

const connections = 64;
const devices = 1_000;
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

/** Lookups a second of CPU, of seven rounds. */
const lookupsPerSecond = (): ReadonlyArray<number> => {
  const index = LocationIndex.of(
    new Map(
      polygons.map(({ circle: { latitude, longitude, radiusMeters }, rings }, key) => [
        LocationKey(key),
        toIndexedLocation({
          key: LocationKey(key),
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
  return Array.from({ length: 7 }, () => {
    // CPU time, so that other processes on the machine do not count.
    const began = process.cpuUsage();
    let found = 0;
    for (const point of points) found += index.at(point).length;
    if (found === 0) throw new Error("The index finds nothing.");
    const { system, user } = process.cpuUsage(began);
    return (points.length / (system + user)) * 1_000_000;
  });
};

/** Inserts the polygons and a thousand devices, whose tokens it gives. */
const prepare = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = yield* Clock.currentTimeMillis;
  const at = instant(now);
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      rings, created_at, updated_at)
    SELECT ${workspaceId}::int, 'production', id, 'Star', 'polygon', latitude, longitude, radius, rings,
      ${at}, ${at}
    FROM ${unnested("p", polygons, {
      id: ["uuid", () => idAt(now)],
      latitude: ["float8", ({ circle }) => circle.latitude],
      longitude: ["float8", ({ circle }) => circle.longitude],
      radius: ["int4", ({ circle }) => circle.radiusMeters],
      rings: ["jsonb", ({ rings }) => rings],
    })}`.unprepared;
  const tokens = yield* insertReporters(workspaceId, devices);
  yield* sql`ANALYZE`.unprepared;
  return tokens;
});

const positions = (url: string, headers: ReadonlyArray<Readonly<Record<string, string>>>) => {
  return (count: number) => {
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
};

const bench = Effect.gen(function* () {
  const lookups = lookupsPerSecond();
  const waypost = yield* BenchWorld.waypost();
  const { id } = yield* newWorkspace(waypost.origin, ["campaigns:read"]);
  const workspaceId = yield* workspaceKey(id);
  const tokens = yield* prepare(workspaceId);
  const baseline = yield* BenchWorld.baseline("PositionsBaseline.ts", workspaceId);
  const keys = tokens.map((_, index) => ({ "x-device-key": String(index + 1) }));
  const headers = tokens.map((token) => ({ authorization: `Bearer ${token}` }));
  const what = `positions among 10,000 polygons, from ${connections} connections`;
  const { bare, own } = yield* BenchWorld.compare(10_000, {
    bare: { pid: baseline.pid, load: positions(`${baseline.origin}/positions`, keys) },
    own: { pid: waypost.pid, load: positions(`${waypost.origin}/device/v1/positions`, headers) },
  });
  stateLoad("position", what, own, ["node:http and pg", bare], { rate: 0.7, p99: 50 });
  figure("index", "lookups of the index alone, by CPU", "a second", lookups, { atLeast: 500_000 });
});

runBench(bench);
