/**
 * The bar of firing: `POST /device/v1/events` with an event that fires a message, from 64 connections, at no less than a third of the
 * rate of a bare node:http + `pg` program that does only the necessary inserts (see EventsTwin.ts). Both are processes of their
 * own on one PostgreSQL that is durable, in turns. The access log is on, as it is by default; the campaign has a cap of its own,
 * so that caps are counted.
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
import { idAt } from "../../src/wire/Ids.ts";
import { Submission } from "../../src/wire/Submission.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { median, started } from "./BenchChild.ts";
import { eventLoad } from "./EventLoad.ts";

const bar = 1 / 3;
const connections = 64;
const devices = 1_000;
const rounds = 7;
const perRound = 6_000;

interface Numbers {
  readonly locationNo: number;
  readonly campaignNo: number;
  readonly notificationNo: number;
  readonly contentNo: number;
}

/** A campaign with a message at a location, and a thousand devices, as they are stored. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const now = yield* Clock.currentTimeMillis;
  const { id } = yield* workspaces.create(Submission.of({ name: "Bench" }));
  const { workspaceId } = yield* workspaces.find(id);
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  const at = instant(now);
  const [location, campaign, notification] = [idAt(now), idAt(now), idAt(now)];
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters, created_at, updated_at)
    SELECT ${tenant}, ${location}::uuid, 'Shop', 'circle', 52, 5, 100, ${at}, ${at}`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, frequency_cap_count,
      frequency_cap_period, created_at, updated_at)
    SELECT ${tenant}, ${campaign}::uuid, 'Opening week', 'geo', 'Europe/Amsterdam', ${instant(now - 86_400_000)}, 1000, 'day',
      ${at}, ${at}`;
  yield* sql`
    INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT ${tenant}, ${campaign}::uuid, ${location}::uuid, 1`;
  yield* sql`
    WITH revision AS (
      INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, cta_label, cta_url, created_at)
      SELECT ${tenant}, ${notification}::uuid, 'message', 'Welcome in our store', 'Show this message for a free coffee.',
        'See the offer', 'https://example.com/offer', ${at}
      RETURNING no
    )
    INSERT INTO notification (workspace_id, environment, id, name, type, content_no, created_at, updated_at)
    SELECT ${tenant}, ${notification}::uuid, 'Welcome', 'message', no, ${at}, ${at} FROM revision`;
  yield* sql`
    INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id, trigger_type, attached_at,
      updated_at)
    SELECT ${tenant}, ${campaign}::uuid, ${notification}::uuid, ${idAt(now)}::uuid, 'on_enter', ${at}, ${at}`;
  const secrets = Array.from({ length: devices }, makeSecret);
  yield* sql`
    INSERT INTO device (workspace_id, environment, no, id, installation_id, platform, transport, approved, token_digest, token_used,
      registered_at, last_seen_at)
    SELECT ${tenant}, n, id, 'installation-' || n, 'android', 'inbox', true, digest, true, ${at}, ${at}
    FROM unnest(${arrayOf(
      "uuid",
      secrets.map(() => idAt(now)),
    )}, ${arrayOf("bytea", secrets.map(digest))}) WITH ORDINALITY AS d (id, digest, n)`;
  const [numbers] = yield* sql<Numbers>`
    SELECT l.no AS "locationNo", c.no AS "campaignNo", n.no AS "notificationNo", n.content_no AS "contentNo"
    FROM location l, campaign c, notification n`;
  yield* sql`ANALYZE`.unprepared;
  const event = { location_id: location, occurred_at: new Date(now).toISOString() };
  return { workspaceId, numbers, secrets, event, campaign, notification };
});

const bench = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
  const client = postgresLayer({ _tag: "socket", path: socketPath, username, database });
  const schema = MigrationFiles.layerFolder(new URL("../../schema/", import.meta.url));
  const made = yield* Effect.andThen(migrate, prepare).pipe(
    Effect.provide(
      Workspaces.layer.pipe(
        Layer.provideMerge(WorkspaceChanges.layer),
        Layer.provideMerge(Layer.merge(client, schema)),
      ),
    ),
  );

  const socketFolder = dirname(socketPath);
  const path = process.env["PATH"] ?? "";
  const message = {
    campaign_id: made.campaign,
    notification_id: made.notification,
    type: "message",
    headline: "Welcome in our store",
    body: "Show this message for a free coffee.",
    media: null,
    cta_label: "See the offer",
    cta_url: "https://example.com/offer",
    questions: [],
    opened_at: null,
  };
  const twin = yield* started(
    [
      new URL("EventsTwin.ts", import.meta.url).pathname,
      socketFolder,
      username,
      database,
      JSON.stringify({ ...made.numbers, workspaceId: made.workspaceId, message }),
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

  const key = { workspaceId: made.workspaceId, environment: "production" } as const;
  const sides = [
    {
      name: "node:http + pg",
      url: `${twin.origin}/events`,
      posters: made.secrets.map((_, at) => ({ headers: { "x-device-no": `${at + 1}` } })),
    },
    {
      name: "Waypost",
      url: `${waypost.origin}/device/v1/events`,
      posters: made.secrets.map((secret, at) => ({
        headers: { authorization: `Bearer ${deviceToken({ ...key, no: at + 1 }, secret)}` },
      })),
    },
  ];
  const rates = sides.map((): Array<number> => []);
  for (let round = -1; round < rounds; round++) {
    for (const [at, { posters, url }] of sides.entries()) {
      const { perSecond } = yield* Effect.promise(() =>
        eventLoad(url, posters, made.event, connections, perRound),
      );
      if (round >= 0) rates[at]?.push(perSecond);
    }
  }
  console.log(
    `\nPOST of an event that fires a message, from ${connections} connections, ${rounds} rounds of ${perRound}, medians`,
  );
  for (const [at, { name }] of sides.entries()) {
    console.log(`${name.padEnd(14)} ${String(Math.round(median(rates[at] ?? []))).padStart(6)} posts/s`);
  }
  const ratio = median(rates[1] ?? []) / median(rates[0] ?? []);
  console.log(`ratio ${ratio.toFixed(2)} (bar: ${bar.toFixed(2)})`);
  if (ratio < bar) process.exitCode = 1;
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
