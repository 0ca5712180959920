/** The kinds of heavy work that one tenant does in the bench of tenants, each in a workspace of its own. */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { insertDevices, insertLocations, insertReporters, untilNone, workspaceKey } from "./BenchRows.ts";
import { longReads } from "./HeavyReads.ts";
import {
  noteAnswer,
  photo,
  post,
  readSlowly,
  repeated,
  reports,
  sendHeavy,
  several,
} from "./HeavyRequests.ts";
import type { Heavy } from "./Neighbour.ts";
import { exchange, type PacedRequest } from "./PacedLoad.ts";
import { collection, polygon } from "./Polygons.ts";
import { setting } from "./Rounds.ts";
import { ask, dayFromNow, geoCampaign, note, operatorKey, type ServiceWorkspace } from "./ServiceApi.ts";

const scale = setting("SCALE", 1);
/** Rows of a statement: the client gives up one that takes half a minute. */
const part = 50_000;
/** A count of the issue, smaller by `BENCH_SCALE`. */
const scaled = (count: number): number => Math.max(10, Math.round(count * scale));

const eventCampaign = Effect.fnUntraced(function* (
  { platform, token }: ServiceWorkspace,
  config: object,
  notifications: number = 1,
  fields: object = { type: "event" },
  trigger_type: string = "on_event",
) {
  const draft = { name: randomUUID(), timezone: "UTC", starts_at: dayFromNow(0), ...fields };
  const { id } = yield* ask(`${platform}/campaigns`, token, draft);
  for (let n = 0; n < notifications; n++)
    yield* ask(`${platform}/campaigns/${id}/notifications`, token, {
      ...note,
      trigger_type,
      ...(trigger_type === "on_event" && { trigger_config: config }),
    });
  return id;
});

/** A person with many devices. */
const person = Effect.fnUntraced(function* (workspace: ServiceWorkspace, devices: number) {
  const sql = yield* SqlClient.SqlClient;
  const key = yield* workspaceKey(workspace.id);
  yield* insertDevices(key, 1, devices);
  yield* sql`INSERT INTO device_user (workspace_id, environment, user_id)
    VALUES (${key}, 'production', 'guest')`;
  yield* sql`UPDATE device d SET user_id = 'guest', user_key = u.key
    FROM device_user u WHERE u.workspace_id = d.workspace_id AND d.workspace_id = ${key}`;
  yield* sql`VACUUM ANALYZE device`.unprepared;
  return key;
});

/** Events of the person, in requests of a hundred. */
const personsEvents = (
  { platform, token }: ServiceWorkspace,
  name: string,
  count: number,
  ago: number,
): Heavy["work"] => {
  const event = () => ({
    id: randomUUID(),
    user_id: "guest",
    name,
    occurred_at: new Date(Date.now() - ago),
  });
  return async () => {
    const agent = new Agent({ keepAlive: true });
    for (let sent = 0; sent < count; sent += 100)
      await sendHeavy(agent, post(`${platform}/events`, token, { events: several(100, event) }));
    agent.destroy();
  };
};

const positions = Array.from({ length: 366 }, (_, n) => `${n + 1},-${n + 1}`).join(",");
const hostileRules = [
  `FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYSETPOS=${positions};COUNT=1000`,
  "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30;COUNT=1000",
  "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
];

/** A kind of heavy work, or several that share a workspace, by name. */
type Make = (
  workspace: ServiceWorkspace,
  another: ServiceWorkspace,
) => Effect.Effect<Readonly<Record<string, Heavy>>, unknown, SqlClient.SqlClient>;

/** The kinds of work by the name of their group, as issue and contract name them. */
export const heavyWork: Readonly<
  Record<string, { readonly kinds: ReadonlyArray<string>; readonly make: Make }>
> = {
  guest: {
    kinds: ["guest"],
    make: Effect.fnUntraced(function* (workspace) {
      yield* person(workspace, scaled(40_000));
      yield* eventCampaign(workspace, { event: "left", delay_minutes: 1 });
      return { guest: { work: personsEvents(workspace, "left", scaled(300), 59_000) } };
    }),
  },
  due: {
    kinds: ["due"],
    make: Effect.fnUntraced(function* (workspace) {
      const sql = yield* SqlClient.SqlClient;
      const key = yield* workspaceKey(workspace.id);
      const rows = scaled(setting("DUE", 300_000));
      const [token = ""] = yield* insertReporters(key, 1);
      yield* insertDevices(key, 2, 20_001);
      yield* eventCampaign(workspace, { event: "left", delay_minutes: 60 });
      const report = reports(workspace, [token], 1, { type: "custom", name: "left" })();
      yield* Effect.promise(() => exchange(new Agent(), report));
      const multiply = Effect.forEach(several(Math.ceil(rows / part), String), () =>
        Effect.suspend(
          () => sql`
          INSERT INTO dwell SELECT (jsonb_populate_record(w, jsonb_build_object('event_id', gen_random_uuid(),
            'device_key', 2 + n % 20000, 'unit', 2 + n % 20000, 'due_at', ${new Date()}::timestamptz))).*
          FROM dwell w, generate_series(1, ${Math.min(rows, part)}::int) n
          WHERE w.workspace_id = ${key} AND w.device_key = 1`,
        ),
      );
      const clear = untilNone(sql`
        DELETE FROM dwell WHERE ctid = ANY (ARRAY (SELECT ctid FROM dwell
          WHERE workspace_id = ${key} AND device_key > 1 LIMIT ${part})) RETURNING 1`);
      return { due: { before: multiply, work: () => Promise.resolve(), after: clear } };
    }),
  },
  rules: {
    kinds: ["rules"],
    make: Effect.fnUntraced(function* ({ platform, token }) {
      const push = { type: "push", timezone: "UTC", starts_at: "2028-01-01" };
      const leap = { rule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29" };
      const { id } = yield* ask(`${platform}/campaigns`, token, { ...push, name: "Leap", recurrence: leap });
      let count = 0;
      const next = (): PacedRequest => {
        const rule = hostileRules[count++ % 4];
        return rule === undefined
          ? { method: "GET", url: `${platform}/campaigns/${id}/occurrences?limit=100`, token }
          : post(`${platform}/campaigns`, token, { ...push, name: `${count}`, recurrence: { rule } });
      };
      return { rules: { work: repeated(2, next) } };
    }),
  },
  bursts: {
    kinds: ["bursts", "enters"],
    make: Effect.fnUntraced(function* (workspace) {
      const tokens = yield* insertReporters(yield* workspaceKey(workspace.id), 60);
      for (let n = 0; n < scaled(50); n++) yield* eventCampaign(workspace, { event: "burst" }, 20);
      const { location } = yield* geoCampaign(workspace);
      const at = { type: "geo", location_ids: [location] };
      for (let n = 0; n < scaled(20); n++) yield* eventCampaign(workspace, {}, 20, at, "on_enter");
      const burst = reports(workspace, tokens, 100, { type: "custom", name: "burst" });
      const enters = reports(workspace, tokens, 50, { type: "enter", location_id: location });
      return { bursts: { work: repeated(6, burst) }, enters: { work: repeated(6, enters) } };
    }),
  },
  person: {
    kinds: ["person", "export"],
    make: Effect.fnUntraced(function* (workspace) {
      yield* person(workspace, scaled(50_000));
      yield* eventCampaign(workspace, { event: "paid" });
      const url = `${workspace.operator}/production/people/guest`;
      return {
        person: { work: personsEvents(workspace, "paid", 500, 0) },
        export: { work: repeated(2, () => ({ method: "GET", url, token: operatorKey })) },
      };
    }),
  },
  slow: {
    kinds: ["slow"],
    make: Effect.fnUntraced(function* (workspace, another) {
      for (const { id } of [workspace, another])
        yield* insertDevices(yield* workspaceKey(id), 1, scaled(50_000));
      const readers = [workspace, workspace, another, another];
      const work: Heavy["work"] = (stop) =>
        Promise.all(
          readers.map(({ platform, token }) => readSlowly(`${platform}/devices?format=csv`, token, stop)),
        );
      return { slow: { work } };
    }),
  },
  flood: {
    kinds: ["flood"],
    make: Effect.fnUntraced(function* (workspace) {
      const tokens = yield* insertReporters(yield* workspaceKey(workspace.id), 64);
      yield* eventCampaign(workspace, { event: "opened" });
      return {
        flood: { work: repeated(32, reports(workspace, tokens, 5, { type: "custom", name: "opened" })) },
      };
    }),
  },
  uploads: {
    kinds: ["uploads"],
    make: Effect.fnUntraced(function* ({ platform, token }) {
      const file = new Blob([new Uint8Array(yield* photo)], { type: "image/jpeg" });
      const upload = async (): Promise<void> => {
        const body = new FormData();
        body.set("file", file, `${randomUUID()}.jpg`);
        const headers = { authorization: `Bearer ${token}` };
        const answer = await fetch(`${platform}/media`, { method: "POST", headers, body }).catch(() => null);
        noteAnswer(answer?.status ?? 0);
        await answer?.text();
      };
      const work: Heavy["work"] = async (stop) => {
        while (!stop()) await Promise.all(several(8, upload));
      };
      return { uploads: { work } };
    }),
  },
  places: {
    kinds: ["polygons", "search"],
    make: Effect.fnUntraced(function* ({ id, platform, token }) {
      yield* insertLocations(yield* workspaceKey(id), scaled(3_000));
      const body = collection(several(100, (n) => polygon(n, 2_001, false)).join(","));
      const headers = { "content-type": "application/geo+json" };
      const dryRun = { method: "POST", url: `${platform}/locations/import?dry_run=1`, token, body, headers };
      let count = 0;
      const search = () => ({
        method: "GET",
        url: `${platform}/locations?q=store%20nr%20${count++ % 90}`,
        token,
      });
      return { polygons: { work: repeated(8, () => dryRun) }, search: { work: repeated(20, search) } };
    }),
  },
  import: {
    kinds: ["import"],
    make: ({ operator }) => {
      const client = join(import.meta.dirname, "DeviceClient.ts");
      const address = `${operator}/production/devices/import`;
      const command = [client, address, operatorKey, String(scaled(100_000)), "csv"];
      const work = async () => {
        await promisify(execFile)(process.execPath, command);
        noteAnswer(200);
      };
      return Effect.succeed({ import: { work } });
    },
  },
  reads: {
    kinds: ["attributes", "counts", "estimates", "devices", "segments", "near", "explain", "csv", "reports"],
    make: Effect.fnUntraced(function* (workspace) {
      const kinds = yield* longReads(workspace, scaled(200_000));
      return Object.fromEntries(
        Object.entries(kinds).map(([name, next]) => [name, { work: repeated(8, next, 20) }]),
      );
    }),
  },
  erasures: {
    kinds: ["erasures"],
    make: Effect.fnUntraced(function* (workspace) {
      const sql = yield* SqlClient.SqlClient;
      const key = yield* person(workspace, scaled(50_000));
      const give = sql`UPDATE device SET user_id = 'person-' || key % 1000, user_key = NULL
          WHERE workspace_id = ${key} AND erased_at IS NULL`;
      let count = 0;
      const next = (): PacedRequest => ({
        method: "DELETE",
        url: `${workspace.operator}/production/people/person-${count++ % 1_000}`,
        token: operatorKey,
      });
      return { erasures: { before: give, work: repeated(2, next) } };
    }),
  },
};
