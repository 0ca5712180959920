/**
 * The bars of positions: `POST /device/v1/positions` with one position among 10,000 polygons, from 64 connections, at no less than a
 * third of the rate of a bare node:http + `pg` program that does only the necessary write (see PositionsTwin.ts), with 99 of 100 answers
 * within 50 ms; and the index alone at no less than 500,000 look-ups a second. Devices walk, so that one position in about
 * twenty shows an enter or exit. Both programs are processes of their own on one PostgreSQL that is durable, in turns. The access
 * log is on, as it is by default.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, Layer, References } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { EmbeddedPostgres } from "../../src/database/EmbeddedPostgres.ts";
import { migrate, MigrationFiles } from "../../src/database/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { WorkspaceChanges } from "../../src/database/WorkspaceChanges.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { boundingCircle } from "../../src/locations/BoundingCircle.ts";
import type { Position } from "../../src/locations/Location.ts";
import { placeOf } from "../../src/locations/Place.ts";
import { PlaceIndex } from "../../src/locations/PlaceIndex.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { Submission } from "../../src/wire/Submission.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { median, started } from "./BenchChild.ts";
import { type Loaded, postHead, postLoad } from "./PostLoad.ts";

const bar = 1 / 3;
const indexBar = 500_000;
const slowest = 50;
const connections = 64;
const devices = 1_000;
const rounds = 5;
const perRound = 10_000;
/** Polygons a side: a square of them, one in each cell of a hundredth of a degree. */
const side = 100;
const cell = 0.01;
const corners = 40;

/** A star in each cell, which fills about a third of it. */
const polygons = Array.from({ length: side * side }, (_, at) => {
  const x = 4 + ((at % side) + 0.5) * cell;
  const y = 51 + (Math.floor(at / side) + 0.5) * cell;
  const ring = Array.from({ length: corners }, (_, corner): Position => {
    const turn = (2 * Math.PI * corner) / corners;
    const reach = cell * (corner % 2 === 0 ? 0.45 : 0.2);
    return [x + reach * Math.cos(turn), y + reach * Math.sin(turn)];
  });
  const rings = [[...ring, ...ring.slice(0, 1)]];
  return { rings, circle: boundingCircle({ type: "Polygon", coordinates: rings }) };
});

/** Walkers that turn a little with each step, which is a sixtieth of a cell. */
const walkers = Array.from({ length: devices }, (_, at) => ({
  x: 4 + ((at * 37) % side) * cell,
  y: 51 + ((at * 61) % side) * cell,
  direction: at,
}));
const step = (at: number): Position => {
  const walker = walkers[at % devices] ?? { x: 4.5, y: 51.5, direction: 0 };
  walker.direction += Math.random() - 0.5;
  walker.x = 4 + ((walker.x - 4 + (cell / 60) * Math.cos(walker.direction) + side * cell) % (side * cell));
  walker.y = 51 + ((walker.y - 51 + (cell / 60) * Math.sin(walker.direction) + side * cell) % (side * cell));
  return [walker.x, walker.y];
};

const lookUpsPerSecond = (): number => {
  const index = new PlaceIndex(
    new Map(
      polygons.map(({ circle: { latitude, longitude, radiusMeters }, rings }, no) => [
        no,
        placeOf({ no, id: String(no), revision: 0, latitude, longitude, radius_meters: radiusMeters, rings }),
      ]),
    ),
  );
  const points = Array.from({ length: 100_000 }, (): Position => [
    4 + Math.random() * side * cell,
    51 + Math.random() * side * cell,
  ]);
  const rates = Array.from({ length: 7 }, () => {
    // Time on the processor, so that others on the machine do not count.
    const began = process.cpuUsage();
    let found = 0;
    for (const point of points) found += index.at(point).length;
    if (found === 0) throw new Error("The index finds nothing.");
    const { system, user } = process.cpuUsage(began);
    return (points.length / (system + user)) * 1_000_000;
  });
  return median(rates);
};

/** The polygons and a thousand devices, as they are stored. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const now = yield* Clock.currentTimeMillis;
  const { id } = yield* workspaces.create(Submission.of({ name: "Bench" }));
  const { workspaceId } = yield* workspaces.find(id);
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  const at = instant(now);
  const ids = polygons.map(() => idAt(now));
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters, rings, created_at, updated_at)
    SELECT ${tenant}, id, 'Star', 'polygon', latitude, longitude, radius, rings, ${at}, ${at}
    FROM unnest(${arrayOf("uuid", ids)}, ${arrayOf(
      "float8",
      polygons.map(({ circle }) => circle.latitude),
    )}, ${arrayOf(
      "float8",
      polygons.map(({ circle }) => circle.longitude),
    )}, ${arrayOf(
      "int4",
      polygons.map(({ circle }) => circle.radiusMeters),
    )}, ${arrayOf(
      "jsonb",
      polygons.map(({ rings }) => rings),
    )}) AS p (id, latitude, longitude, radius, rings)`.unprepared;
  const secrets = Array.from({ length: devices }, makeSecret);
  yield* sql`
    INSERT INTO device (workspace_id, environment, no, id, installation_id, platform, transport, approved, token_digest, token_used,
      registered_at, last_seen_at)
    SELECT ${tenant}, n, id, 'installation-' || n, 'android', 'inbox', true, digest, true, ${at}, ${at}
    FROM unnest(${arrayOf(
      "uuid",
      secrets.map(() => idAt(now)),
    )}, ${arrayOf("bytea", secrets.map(digest))}) WITH ORDINALITY AS d (id, digest, n)`;
  yield* sql`ANALYZE`.unprepared;
  return { workspaceId, secrets };
});

const load = (url: string, headers: ReadonlyArray<Readonly<Record<string, string>>>): Promise<Loaded> => {
  let turn = 0;
  const request = (): string => {
    const [longitude, latitude] = step(turn);
    const body = JSON.stringify({
      positions: [{ latitude, longitude, accuracy_meters: 10, recorded_at: new Date().toISOString() }],
    });
    return postHead(url, headers[turn++ % headers.length] ?? {}, body.length) + body;
  };
  return postLoad(url, connections, perRound, request, '"accepted":1');
};

const bench = Effect.gen(function* () {
  const lookUps = lookUpsPerSecond();
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
  const client = postgresLayer({ _tag: "socket", path: socketPath, username, database });
  const schema = MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url));
  const { secrets, workspaceId } = yield* Effect.andThen(migrate, prepare).pipe(
    Effect.provide(
      Workspaces.layer.pipe(
        Layer.provideMerge(WorkspaceChanges.layer),
        Layer.provideMerge(Layer.merge(client, schema)),
      ),
    ),
  );
  const socketFolder = dirname(socketPath);
  const path = process.env["PATH"] ?? "";
  const twin = yield* started(
    [
      new URL("PositionsTwin.ts", import.meta.url).pathname,
      socketFolder,
      username,
      database,
      `${workspaceId}`,
    ],
    { PATH: path, NODE_ENV: "production" },
    join(folder, "twin.log"),
  );
  const waypost = yield* started(
    [
      ...(process.env["BENCH_PROFILE"] === undefined
        ? []
        : ["--cpu-prof", `--cpu-prof-dir=${process.env["BENCH_PROFILE"]}`]),
      new URL("../../src/main.ts", import.meta.url).pathname,
      "serve",
    ],
    {
      PATH: path,
      NODE_ENV: "production",
      PORT: "0",
      WAYPOST_DATA_DIR: join(folder, "data"),
      DATABASE_URL: `postgresql://${username}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`,
      WAYPOST_LOG_FORMAT: "json",
    },
    join(folder, "waypost.log"),
  );

  const key = { workspaceId, environment: "production" } as const;
  const sides = [
    {
      name: "node:http + pg",
      url: `${twin.origin}/positions`,
      headers: secrets.map((_, at) => ({ "x-device-no": `${at + 1}` })),
    },
    {
      name: "Waypost",
      url: `${waypost.origin}/device/v1/positions`,
      headers: secrets.map((secret, at) => ({
        authorization: `Bearer ${deviceToken({ ...key, no: at + 1 }, secret)}`,
      })),
    },
  ];
  const loads = sides.map((): Array<Loaded> => []);
  for (let round = -1; round < rounds; round++) {
    for (const [at, { headers, url }] of sides.entries()) {
      const loaded = yield* Effect.promise(() => load(url, headers));
      if (round >= 0) loads[at]?.push(loaded);
    }
  }
  const [bare = Number.NaN, own = Number.NaN] = loads.map((each) =>
    median(each.map(({ perSecond }) => perSecond)),
  );
  const [bareP99 = Number.NaN, p99 = Number.NaN] = loads.map((each) => median(each.map((one) => one.p99)));
  console.log(`
POST of a position among ${polygons.length} polygons, from ${connections} connections, ${rounds} rounds of ${perRound}, medians
node:http + pg ${String(Math.round(bare)).padStart(6)} posts/s, p99 ${bareP99.toFixed(1)} ms
Waypost        ${String(Math.round(own)).padStart(6)} posts/s, p99 ${p99.toFixed(1)} ms (bar: ${slowest})
ratio ${(own / bare).toFixed(2)} (bar: ${bar.toFixed(2)})
the index alone ${Math.round(lookUps)} look-ups/s (bar: ${indexBar})`);
  if (own / bare < bar || p99 > slowest || lookUps < indexBar) process.exitCode = 1;
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
