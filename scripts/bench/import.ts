/**
 * The time of an import of 10,000 circles in one request, compared with a bare INSERT … SELECT unnest of the
 * same rows on the same PostgreSQL with the same driver. Both alternate; the bar is 3 times the time. Then an
 * import of all counties of us-atlas.
 */
import { Effect, Schema } from "effect";
import { SqlClient } from "effect/sql";
import { createRequire } from "node:module";
import { feature } from "topojson-client";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import { ImportReport } from "../../src/locations/LocationImport.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { alternately, figure, setting } from "./Rounds.ts";

const rounds = setting("ROUNDS", 15);
const warmUp = 5;
const size = 10_000;
const bar = 3;

interface Circle {
  readonly name: string;
  readonly externalId: string;
  readonly group: string | null;
  readonly longitude: number;
  readonly latitude: number;
  readonly radius: number;
}

const circles = (groups: number): ReadonlyArray<Circle> =>
  Array.from({ length: size }, (_, n) => ({
    name: `Store number ${n}`,
    externalId: `store-${n}`,
    group: groups === 0 ? null : `Region ${n % groups}`,
    longitude: Math.round(((n * 0.0359) % 360) * 1e5) / 1e5 - 180,
    latitude: Math.round(((n * 0.01731) % 170) * 1e5) / 1e5 - 85,
    radius: 50 + (n % 951),
  }));

const collectionOf = (features: ReadonlyArray<unknown>): string =>
  JSON.stringify({ type: "FeatureCollection", features });

const featureOf = ({ externalId, group, latitude, longitude, name, radius }: Circle): object => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: { name, radius, external_id: externalId, ...(group === null ? {} : { group }) },
});

/** Writes the same rows with one statement per table, in one transaction. Returns the milliseconds. */
const bareInsert = Effect.fnUntraced(function* (workspaceId: number, rows: ReadonlyArray<Circle>) {
  const sql = yield* SqlClient.SqlClient;
  const now = 1_795_262_400_000;
  const ids = rows.map(() => idAt(now));
  const groupIds = new Map(
    rows.flatMap(({ group }) => (group === null ? [] : [[group, idAt(now)] as const])),
  );
  const texts = (value: (row: Circle) => string) => arrayOf("text", rows.map(value));
  const floats = (value: (row: Circle) => number) => arrayOf("float8", rows.map(value));
  const radii = rows.map(({ radius }) => radius);
  const memberships = rows.map(({ group }) => groupIds.get(group ?? "") ?? null);
  const began = performance.now();
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`
        INSERT INTO location (workspace_id, environment, id, name, external_id, type, latitude, longitude,
          radius_meters, created_at, updated_at)
        SELECT ${workspaceId}, 'production', *, ${instant(now)}, ${instant(now)} FROM unnest(
          ${arrayOf("uuid", ids)}, ${texts(({ name }) => name)}, ${texts(({ externalId }) => externalId)},
          ${texts(() => "circle")}, ${floats(({ latitude }) => latitude)},
          ${floats(({ longitude }) => longitude)}, ${arrayOf("int4", radii)})`;
      if (groupIds.size === 0) return;
      yield* sql`
        INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
        SELECT ${workspaceId}, 'production', *, ${instant(now)}, ${instant(now)}
        FROM unnest(${arrayOf("uuid", [...groupIds.values()])}, ${arrayOf("text", [...groupIds.keys()])})`;
      yield* sql`
        INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
        SELECT ${workspaceId}, 'production', *
        FROM unnest(${arrayOf("uuid", memberships)}, ${arrayOf("uuid", ids)})`;
    }),
  );
  return performance.now() - began;
});

const ImportBody = Schema.fromJsonString(Schema.Struct({ data: ImportReport }));

/** Posts a body, and measures the time until the response is there. */
const post = (url: string, token: string, body: string) =>
  Effect.promise(async () => {
    const bytes = new TextEncoder().encode(body);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/geo+json" };
    const began = performance.now();
    const text = await (await fetch(url, { method: "POST", headers, body: bytes })).text();
    return { millis: performance.now() - began, text };
  }).pipe(
    Effect.flatMap(({ millis, text }) =>
      Effect.map(Schema.decodeEffect(ImportBody)(text), ({ data }) => ({ millis, data })),
    ),
    Effect.orDie,
  );

const counties = (): ReadonlyArray<unknown> => {
  const atlas: unknown = createRequire(import.meta.url)("us-atlas/counties-10m.json");
  const { objects } = Schema.decodeUnknownSync(
    Schema.Struct({ objects: Schema.Struct({ counties: Schema.Unknown }) }),
  )(atlas);
  const { features } = Schema.decodeUnknownSync(
    Schema.Struct({ features: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }),
  )(feature(atlas, objects.counties));
  return features.map((county) => ({
    ...county,
    properties: { ...(county["properties"] as object), external_id: county["id"] },
  }));
};

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { origin } = yield* BenchWorld.waypost();
  const { id, platform, token } = yield* newWorkspace(origin, ["locations:write"]);
  const workspaceId = yield* workspaceKey(id);
  const url = `${platform}/locations/import`;
  const empty = sql`TRUNCATE location, location_group CASCADE`.pipe(
    Effect.andThen(sql`CHECKPOINT`.unprepared),
  );

  for (const groups of [0, 50]) {
    const rows = circles(groups);
    const body = collectionOf(rows.map(featureOf));
    const imported = (what: "created" | "updated") =>
      Effect.gen(function* () {
        const { data, millis } = yield* post(url, token, body);
        if (data.summary[what] !== size)
          return yield* Effect.die(new Error("An import did not accept every feature."));
        return millis;
      });
    const sides = {
      bare: Effect.andThen(empty, bareInsert(workspaceId, rows)),
      first: Effect.andThen(empty, imported("created")),
      again: imported("updated"),
    };
    const { again, bare, first } = yield* alternately(rounds, sides, Math.min(rounds, warmUp));
    const about = `10,000 circles ${groups === 0 ? "in no group" : `in ${groups} groups`}`;
    const beside = ["a bare insert", bare] as const;
    figure(`new-${groups}`, `an import of ${about}`, "ms", first, { beside, atMost: bar });
    figure(`again-${groups}`, `the same again, as updates: ${about}`, "ms", again, { beside });
  }

  yield* empty;
  const { data, millis } = yield* post(url, token, collectionOf(counties()));
  const { created, failed } = data.summary;
  const what = `an import of the counties of us-atlas, ${created} accepted and ${failed} rejected`;
  figure("counties", what, "ms", millis);
});

runBench(bench);
