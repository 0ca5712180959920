/**
 * The bars of single writes, from 64 connections in one environment: registrations of new devices,
 * registrations of known ones that present their token, and creates of campaigns at a location. Each at no
 * less than half the rate of a baseline with one statement a request (WritesBaseline.ts). The access log is
 * on, as by default.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { instant } from "../../src/database/Rows.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { insertReporters, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench, type Side, stateLoad } from "./BenchWorld.ts";
import { pinApart } from "./Cores.ts";
import { postHead, putHead, requestLoad } from "./RequestLoad.ts";
import { newWorkspace } from "./ServiceApi.ts";

const connections = 64;
const perRound = 2_000;

const registration = JSON.stringify({
  platform: "android",
  attributes: { plan: "gold", visits: 12 },
  locale: "nl-NL",
  timezone: "Europe/Amsterdam",
  app_version: "4.2.0",
});

/** Inserts a location and a thousand devices, and gives its id and their tokens. */
const prepare = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = yield* Clock.currentTimeMillis;
  const [at, location] = [instant(now), idAt(now)];
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    VALUES (${workspaceId}, 'production', ${location}, 'Shop', 'circle', 52, 5, 100, ${at}, ${at})`;
  const tokens = yield* insertReporters(workspaceId, 1_000);
  yield* sql`ANALYZE`.unprepared;
  return { location, tokens };
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
  const sql = yield* SqlClient.SqlClient;
  const waypost = yield* BenchWorld.waypost();
  const { device, id, platform, sdkKey, token } = yield* newWorkspace(waypost.origin, ["campaigns:write"]);
  const workspaceId = yield* workspaceKey(id);
  const { location, tokens } = yield* prepare(workspaceId);
  // The baseline numbers its devices from above.
  const argument = { workspaceId, firstKey: 1_000_000_000 };
  const baseline = yield* BenchWorld.baseline("WritesBaseline.ts", argument);
  console.log(pinApart([baseline.pid, waypost.pid]));
  const app = { authorization: `Bearer ${sdkKey}` };
  const known = tokens.map((each) => ({ ...app, "x-device-token": each }));
  const writing = { authorization: `Bearer ${token}` };
  // A plan's limit counts all campaigns of the environment.
  const reset = sql`TRUNCATE campaign CASCADE`.unprepared;
  const compare = Effect.fnUntraced(function* (
    id: string,
    what: string,
    count: number,
    bare: Side["load"],
    own: Side["load"],
    before: Side["reset"] = Effect.void,
    bars: Parameters<typeof stateLoad>[4] = { rate: 0.5 },
  ) {
    const rounds = yield* BenchWorld.compare(count, {
      bare: { pid: baseline.pid, load: bare, reset: before },
      own: { pid: waypost.pid, load: own, reset: before },
    });
    const about = `${what}, from ${connections} connections`;
    stateLoad(id, about, rounds.own, ["node:http and pg", rounds.bare], bars);
  });
  yield* compare(
    "new",
    "registrations of new devices",
    perRound,
    registerNew(`${baseline.origin}/new`, {}),
    registerNew(`${device}/devices`, app),
  );
  const strangers = known.map(() => ({}));
  yield* compare(
    "known",
    "registrations of known devices",
    perRound,
    registerAgain(`${baseline.origin}/again`, strangers),
    registerAgain(`${device}/devices`, known),
  );
  yield* compare(
    "create",
    "creates of campaigns in one environment",
    perRound / 4,
    create(`${baseline.origin}/campaigns`, {}, location),
    create(`${platform}/campaigns`, writing, location),
    reset,
    { perSecond: 500 },
  );
});

runBench(bench);
