/**
 * The bars of webhooks, with a receiver, PostgreSQL and Waypost on one machine.
 *
 * - One worker process sends at least 2,000 calls a second singly and 5,000 events a second in batches, by
 *   its CPU on one core (the clock is shared with PostgreSQL and the receiver, and printed too).
 * - A receiver that fails one call in five gets at least half of the calls a second of one that answers.
 * - Of 1,000 receivers 100 hang: the lag of the others has a p99 under a second.
 * - A send with a webhook takes at most 1.3 times as long as without.
 * - An event that fires costs at most 1.25 times the CPU with a webhook that listens to everything.
 *
 * Linux only: CPU times come from /proc.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { cpuOf } from "./BenchChild.ts";
import { insertDevices, sendNow } from "./BenchRows.ts";
import { BenchWorld, each, runBench } from "./BenchWorld.ts";
import { postHead, requestLoad } from "./RequestLoad.ts";
import { ask, geoCampaign, pushCampaign, registerDevices } from "./ServiceApi.ts";
import { alternately, figure, setting } from "./Rounds.ts";
import { failing } from "./WebhookFailing.ts";
import { hanging } from "./WebhookHanging.ts";
import { allSettled, figuresOf, newWorkspace, recordEvents, waitFor } from "./WebhookScenario.ts";

const bars = { singly: 2_000, batches: 5_000, failing: 0.5, lagMillis: 1_000, send: 1.3, ingest: 1.25 };
const rounds = setting("ROUNDS", 3);
const devices = setting("DEVICES", 100_000);

/** The processes of the bench: an API, the worker by its process id, and the receiver. */
interface Setting {
  readonly origin: string;
  readonly worker: number;
  readonly receiver: string;
}

/** Events a second by the clock, and by the CPU of the worker. */
const throughput = Effect.fnUntraced(function* (
  { origin, receiver, worker }: Setting,
  name: string,
  batch: boolean,
  count: number,
) {
  const { platform, token, workspaceId } = yield* newWorkspace(origin);
  const webhooks = `${platform}/webhooks`;
  const webhook = yield* ask(webhooks, token, { url: receiver, events: ["location.entered"], batch });
  const round = Effect.gen(function* () {
    yield* figuresOf(receiver);
    const began = performance.now();
    const before = cpuOf(worker);
    yield* recordEvents(workspaceId, webhook.id, count, 100);
    yield* waitFor(receiver, count, 60);
    const took = (performance.now() - began) / 1000;
    yield* allSettled;
    return { byClock: count / took, byCpu: count / (cpuOf(worker) - before) };
  });
  const { all } = yield* alternately(rounds, { all: round });
  yield* ask(`${webhooks}/${webhook.id}`, token, {}, "DELETE");
  const part = batch ? "batches" : "singly";
  figure(part, `events of webhooks of one core, ${name}`, "a second", each(all, "byCpu"), {
    atLeast: bars[part],
  });
  figure(`${part}-clock`, `events of webhooks by the clock, ${name}`, "a second", each(all, "byClock"));
});

/** A send to inboxes, alternately with a webhook and without. */
const sends = Effect.fnUntraced(function* ({ origin, receiver }: Setting) {
  const sql = yield* SqlClient.SqlClient;
  const workspace = yield* newWorkspace(origin);
  const { platform, token, workspaceId } = workspace;
  yield* insertDevices(workspaceId, 1, devices);
  yield* pushCampaign(workspace);
  yield* sql`ANALYZE`.unprepared;
  const url = `${platform}/webhooks`;
  const webhook = yield* ask(url, token, { url: receiver, events: ["message.delivered"], batch: true });
  const send = Effect.fnUntraced(function* (status: "active" | "disabled") {
    yield* ask(`${url}/${webhook.id}`, token, { status }, "PATCH");
    yield* figuresOf(receiver);
    const took = yield* sendNow(devices, sql`c.workspace_id = ${workspaceId}`);
    if (status === "disabled") return { took, arrived: 0 };
    const began = performance.now();
    yield* waitFor(receiver, devices, 60);
    const arrived = (performance.now() - began) / 1000 + took;
    yield* allSettled;
    return { took, arrived };
  });
  const { bare, own } = yield* alternately(rounds, { bare: send("disabled"), own: send("active") });
  yield* ask(`${url}/${webhook.id}`, token, {}, "DELETE");
  const what = `a send to ${devices.toLocaleString("en")} inboxes with a webhook`;
  const beside = ["the same without", each(bare, "took")] as const;
  figure("send", `time of ${what}`, "s", each(own, "took"), { beside, atMost: bars.send });
  figure("arrived", `time until all events of ${what} have arrived`, "s", each(own, "arrived"));
});

/**
 * Events that fire, alternately with a webhook that listens to everything and without, by a process without
 * workers.
 */
const ingest = Effect.fnUntraced(function* ({ api, origin }: Setting & { readonly api: number }) {
  const sql = yield* SqlClient.SqlClient;
  const workspace = yield* newWorkspace(origin);
  const { platform, token } = workspace;
  const { location } = yield* geoCampaign(workspace);
  const phones = yield* registerDevices(workspace, 500);
  const webhook = yield* ask(`${platform}/webhooks`, token, { url: "http://127.0.0.1:9/", events: ["*"] });
  const status = (to: string) => ask(`${platform}/webhooks/${webhook.id}`, token, { status: to }, "PATCH");
  yield* sql`ANALYZE`.unprepared;
  const occurred_at = new Date(yield* Clock.currentTimeMillis).toISOString();
  const start = '{"events":[{"id":"';
  const end = `","type":"enter","location_id":"${location}","occurred_at":"${occurred_at}"}]}`;
  const url = `${origin}/device/v1/events`;
  const heads = phones.map(({ device_token }) => {
    const headers = { authorization: `Bearer ${device_token}` };
    return postHead(url, headers, start.length + 36 + end.length) + start;
  });
  let sent = 0;
  const count = 5_000;
  const request = (): string => `${heads[sent++ % heads.length]}${randomUUID()}${end}`;
  const load = Effect.promise(() => requestLoad(url, 64, count, request, '"deliveries":[{"'));
  const cost = Effect.fnUntraced(function* (to: "active" | "disabled") {
    yield* status(to);
    const { cpu, databaseCpu } = yield* BenchWorld.measured(api, count, load);
    // No worker takes from a disabled webhook.
    yield* status("disabled");
    return cpu + databaseCpu;
  });
  const { bare, own } = yield* alternately(rounds, { bare: cost("disabled"), own: cost("active") });
  const beside = ["the same without", bare] as const;
  figure("ingest", "CPU of an event that fires, with a webhook on everything", "µs", own, {
    beside,
    atMost: bars.ingest,
  });
});

const bench = Effect.gen(function* () {
  const api = yield* BenchWorld.waypost({ WAYPOST_ROLES: "api" }, "api");
  const worker = yield* BenchWorld.waypost({ WAYPOST_ROLES: "worker" }, "worker");
  const { origin: receiver } = yield* BenchWorld.program("WebhookReceiver.ts");
  const setting = { origin: api.origin, api: api.pid, worker: worker.pid, receiver };
  yield* throughput(setting, "singly", false, 10_000);
  yield* throughput(setting, "in batches of 500", true, 50_000);
  yield* failing(api.origin, receiver, rounds, bars.failing);
  yield* hanging(api.origin, receiver, bars.lagMillis);
  yield* sends(setting);
  yield* ingest(setting);
});

runBench(bench);
