/**
 * The bars of single writes, from 64 connections in one environment: registrations of new devices,
 * registrations of known ones that present their token, and creates of campaigns at a location. Each at no
 * less than half the rate of a baseline with one statement a request (WritesBaseline.ts), or at a rate of its
 * own. Both are processes of their own on one durable PostgreSQL, measured alternately. The access log is on,
 * as by default.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Context, Effect, Layer, References } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { Tokens } from "../../src/access/Tokens.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { instant, unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey, idAt } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { pinApart } from "./Cores.ts";
import { alternating, type Figures, lineOf, programs, rounds } from "./Programs.ts";
import { postHead, putHead, requestLoad } from "./RequestLoad.ts";

const bar = 0.5;
/** Requests a second that are enough whatever the baseline does. */
const enough = { registrations: 3_000, creates: 600 };
const connections = 64;
const devices = 1_000;
const perRound = 2_000;

const registration = JSON.stringify({
  platform: "android",
  attributes: { plan: "gold", visits: 12 },
  locale: "nl-NL",
  timezone: "Europe/Amsterdam",
  app_version: "4.2.0",
});

/** Inserts a location and a thousand devices, and issues a token and an SDK key. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const tokens = yield* Tokens;
  const now = yield* Clock.currentTimeMillis;
  const unlimited = { production_requests_per_minute: null, production_writes_per_minute: null };
  const { id } = yield* workspaces.create(
    ParsedBody.of({ name: "Bench", plan: { ...unlimited, max_campaigns: 1_000 } }),
  );
  yield* workspaces.update(id, ParsedBody.of({ platform_api_enabled: true }));
  const { workspaceId } = yield* workspaces.find(id);
  const environment = "production" as const;
  const abilities = ["campaigns:write" as const];
  const { token } = yield* tokens.issueToken(
    workspaceId,
    ParsedBody.of({ name: "Bench", environment, abilities }),
  );
  const { sdk_key: sdkKey } = yield* tokens.issueSdkKey(
    workspaceId,
    environment,
    ParsedBody.of({ name: "App" }),
  );
  const at = instant(now);
  const location = idAt(now);
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    VALUES (${workspaceId}, ${environment}, ${location}, 'Shop', 'circle', 52, 5, 100, ${at}, ${at})`;
  const secrets = Array.from({ length: devices }, makeSecret);
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
      token_digest, token_used, registered_at, last_seen_at)
    SELECT ${workspaceId}, ${environment}, ord, id, 'known-' || ord, 'android', 'inbox', true, digest, true,
      ${at}, ${at}
    FROM ${unnested("d", secrets, {
      id: ["uuid", () => idAt(now)],
      digest: ["bytea", digest],
    })}`;
  // The baseline numbers its devices from above.
  yield* sql`UPDATE tenant SET last_device_key = ${devices}`;
  yield* sql`ANALYZE`.unprepared;
  const ownTokens = secrets.map((secret, index) =>
    deviceToken({ workspaceId, environment, deviceKey: DeviceKey(index + 1) }, secret),
  );
  return { workspaceId, token, sdkKey, ownTokens, location };
});

type Headers = Readonly<Record<string, string>>;

/** Registers `count` new devices at an address. */
const registerNew = (address: string, headers: Headers) => (count: number) => {
  const request = (): string =>
    putHead(`${address}/${randomUUID()}`, headers, registration.length) + registration;
  return requestLoad(address, connections, count, request, '"device_token":"');
};

/** Registers known devices again, one after another. */
const registerAgain = (address: string, headers: ReadonlyArray<Headers>) => {
  const requests = headers.map(
    (each, index) => putHead(`${address}/known-${index + 1}`, each, registration.length) + registration,
  );
  let sent = 0;
  return (count: number) =>
    requestLoad(
      address,
      connections,
      count,
      () => requests[sent++ % requests.length] ?? "",
      '"last_seen_at":',
    );
};

/** Creates campaigns at a location. */
const create = (address: string, headers: Headers, location: string) => (count: number) => {
  const bodyOf = (name: string): string =>
    JSON.stringify({
      name,
      type: "geo",
      starts_at: "2099-01-01 00:00",
      timezone: "Europe/Amsterdam",
      location_ids: [location],
    });
  const { length } = bodyOf(randomUUID());
  const head = postHead(address, headers, length);
  return requestLoad(address, connections, count, () => head + bodyOf(randomUUID()), '"location_ids":');
};

const bench = Effect.gen(function* () {
  const { baseline, prepared, target, waypost } = yield* programs(
    "WritesBaseline.ts",
    prepare,
    ({ workspaceId }) => [JSON.stringify({ workspaceId, firstKey: 1_000_000_000 })],
  );
  const client = yield* Layer.build(postgresLayer(target, { maxConnections: 1 }));
  const sql = Context.get(client, SqlClient.SqlClient);
  // A plan's limit counts all campaigns of the environment.
  const withoutCampaigns = Effect.orDie(sql`TRUNCATE campaign CASCADE`.unprepared).pipe(Effect.asVoid);
  const machine = pinApart([baseline.pid, waypost.pid]);
  const app = { authorization: `Bearer ${prepared.sdkKey}` };
  const known = prepared.ownTokens.map((token) => ({ ...app, "x-device-token": token }));
  const registrations = `${waypost.origin}/device/v1/devices`;
  const campaigns = `${waypost.origin}/platform/v1/campaigns`;
  const own = { authorization: `Bearer ${prepared.token}` };
  const { location } = prepared;
  const comparison = Effect.fnUntraced(function* (
    bare: (count: number) => ReturnType<typeof requestLoad>,
    ask: (count: number) => ReturnType<typeof requestLoad>,
    count: number,
    reset: Effect.Effect<void> = Effect.void,
  ) {
    const sides = [
      { name: "node:http + pg", program: baseline, ask: bare, reset },
      { name: "Waypost", program: waypost, ask, reset },
    ];
    const [first, second] = yield* alternating(sides, count);
    if (first === undefined || second === undefined) return yield* Effect.die("A side was not measured");
    return [first, second] as const;
  });
  const results: ReadonlyArray<readonly [string, readonly [Figures, Figures], number]> = [
    [
      "PUT of a new device",
      yield* comparison(registerNew(`${baseline.origin}/new`, {}), registerNew(registrations, app), perRound),
      enough.registrations,
    ],
    [
      "PUT of a known device",
      yield* comparison(
        registerAgain(
          `${baseline.origin}/again`,
          known.map(() => ({})),
        ),
        registerAgain(registrations, known),
        perRound,
      ),
      enough.registrations,
    ],
    [
      "POST of a campaign",
      yield* comparison(
        create(`${baseline.origin}/campaigns`, {}, location),
        create(campaigns, own, location),
        perRound / 4,
        withoutCampaigns,
      ),
      enough.creates,
    ],
  ];
  console.log(`\n${connections} connections, medians of ${rounds} rounds; ${machine}`);
  for (const [name, [bare, measured], rate] of results) {
    const ratio = measured.perSecond / bare.perSecond;
    console.log(`
${name}
${lineOf("node:http + pg", bare)}
${lineOf("Waypost", measured)}
ratio ${ratio.toFixed(2)} (bar: ${bar}, or ${rate} requests/s)`);
    if (ratio < bar && measured.perSecond < rate) process.exitCode = 1;
  }
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
