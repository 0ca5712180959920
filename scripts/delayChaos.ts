/**
 * Kills processes by `kill -9` while custom events wait for their delay: workers, or all processes. Each
 * device has one event, whose message is due a moment later; half of them have the event that stops it
 * before that. Afterwards each device must have one message, or none if the event that stops it was
 * acknowledged before its minute (contract V4). One that is stored at that very moment may go either way.
 * Exit code 1 if not.
 *
 *     node scripts/delayChaos.ts --kills 100 --per-kill 20 --workers 3 --seed 1
 */
import { Clock, Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { insertDevices, workspaceKey } from "./bench/BenchRows.ts";
import { ask, dayFromNow, newWorkspace, note, send } from "./bench/ServiceApi.ts";
import {
  ChaosRun,
  embedded,
  runScenario,
  settles,
  spread,
  startApi,
  startTimeoutMillis,
  until,
} from "./chaos/ChaosRun.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    "per-kill": { type: "string", default: "20" },
    workers: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
  },
});
const [kills, perKill, workers] = [Number(values.kills), Number(values["per-kill"]), Number(values.workers)];
const delayMillis = 60_000;

/** An event campaign with a message a minute after `basket.filled`, unless `order.placed` comes. */
const prepare = Effect.fnUntraced(function* (origin: string) {
  const sql = yield* SqlClient.SqlClient;
  const abilities = ["campaigns:write", "notifications:write", "events:write"];
  const workspace = yield* newWorkspace(origin, abilities);
  const { platform, token } = workspace;
  const campaign = { name: "Basket", type: "event", timezone: "UTC", starts_at: dayFromNow(0) };
  const { id } = yield* ask(`${platform}/campaigns`, token, campaign);
  yield* ask(`${platform}/campaigns/${id}/notifications`, token, {
    ...note,
    trigger_type: "on_event",
    trigger_config: { event: "basket.filled", delay_minutes: 1, unless_event: "order.placed" },
  });
  yield* insertDevices(yield* workspaceKey(workspace.id), 1, kills * perKill);
  const devices = yield* sql<{ readonly id: string }>`SELECT id FROM device ORDER BY key`;
  return { platform, token, devices: devices.map((device) => device.id) };
});

interface Outcome {
  readonly device: string;
  readonly messages: number;
  readonly due: number;
  readonly isStopped: boolean;
  readonly fired: number | null;
}

/** Messages of each device beside its events, in epoch milliseconds. */
const outcomes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return yield* sql<Outcome>`
    SELECT v.id AS device, count(d.source_id)::int AS messages,
      (extract(epoch FROM b.occurred_at) * 1000)::float8 + ${delayMillis}::float8 AS due,
      count(o.id) > 0 AS "isStopped",
      (extract(epoch FROM max(d.created_at)) * 1000)::float8 AS fired
    FROM custom_event b
    JOIN device v ON v.key = b.unit
    LEFT JOIN custom_event o ON o.unit = b.unit AND o.name = 'order.placed'
    LEFT JOIN delivery d ON d.device_key = b.unit
    WHERE b.name = 'basket.filled' GROUP BY v.id, b.unit, b.occurred_at`;
});

const settled = Effect.gen(function* () {
  const [open] = yield* (yield* SqlClient.SqlClient)`SELECT FROM dwell WHERE decided_at IS NULL LIMIT 1`;
  return open === undefined ? true : null;
});

const chaos = Effect.gen(function* () {
  const { start } = yield* ChaosRun;
  const first = yield* startApi;
  const { origin } = first;
  let { api } = first;
  const { devices, platform, token } = yield* prepare(origin);
  const processes = Array.from({ length: workers }, () => start("worker"));
  const killed = { workers: 0, APIs: 0 };
  /** Reports events until they are accepted, or were before. */
  const report = async (events: ReadonlyArray<object>): Promise<void> => {
    for (;;) {
      try {
        await send("POST", `${platform}/events`, token, { events });
        return;
      } catch {
        await pause(100);
      }
    }
  };
  const reports: Array<Promise<void>> = [];
  /** When the events that stop a message were acknowledged, by device. */
  const acknowledged = new Map<string, number>();
  for (let kill = 0; kill < kills; kill++) {
    const ready = yield* until(
      "A ready worker",
      Effect.sync(() => {
        const found = processes.flatMap((each, index) => (each.listening() === null ? [] : [index]));
        return found.length === 0 ? null : found;
      }),
      startTimeoutMillis,
    );
    const now = yield* Clock.currentTimeMillis;
    const own = devices.slice(kill * perKill, (kill + 1) * perKill);
    const baskets = yield* Effect.forEach(own, (device_id) =>
      Effect.map(Random.nextIntBetween(200, 2_500), (wait) => ({
        id: randomUUID(),
        device_id,
        name: "basket.filled",
        occurred_at: new Date(now - delayMillis + wait),
      })),
    );
    const orders = own.flatMap((device_id, index) =>
      index % 2 === 0
        ? []
        : [{ id: randomUUID(), device_id, name: "order.placed", occurred_at: new Date(now) }],
    );
    const reportBoth = async (): Promise<void> => {
      await report(baskets);
      await report(orders);
      for (const { device_id } of orders) acknowledged.set(device_id, Date.now());
    };
    reports.push(reportBoth());
    yield* Effect.sleep(yield* Random.nextIntBetween(0, 2_500));
    const choice = yield* Random.nextIntBetween(0, 10);
    const victims = choice < 7 ? ready.slice(0, 1) : [...processes.keys()];
    const all = [...victims.flatMap((index) => processes[index] ?? []), ...(choice >= 9 ? [api] : [])];
    yield* Effect.promise(() => Promise.all(all.map(({ end }) => end("SIGKILL"))));
    if (choice >= 9) api = start("api", new URL(origin).port);
    for (const index of victims) processes[index] = start("worker");
    killed.workers += victims.length;
    killed.APIs += choice >= 9 ? 1 : 0;
  }
  yield* Effect.promise(() => Promise.all(reports));
  const isDone = yield* settles("The end of all delays", settled, 90_000);
  const rows = yield* outcomes;
  const inTime = rows.filter(({ device, due }) => (acknowledged.get(device) ?? Infinity) < due);
  const sent = rows.filter(({ messages }) => messages > 0);
  const late = sent
    .map(({ due, fired }) => Math.max(0, (fired ?? due) - due) / 1000)
    .toSorted((a, b) => a - b);
  return {
    figures: {
      kills,
      "workers killed, APIs killed": `${killed.workers}, ${killed.APIs}`,
      "events that waited": rows.length,
      "messages, and events stopped in time": `${sent.length}, ${inTime.length}`,
      "seconds after the minute, median and most": spread(late),
    },
    faults: {
      "events lost": devices.length - rows.length,
      "messages lost": rows.filter(({ isStopped, messages }) => messages === 0 && !isStopped).length,
      "messages twice": rows.filter(({ messages }) => messages > 1).length,
      "messages although they were stopped": inTime.filter(({ messages }) => messages > 0).length,
      "delays that do not end": isDone ? 0 : 1,
      "nothing stopped, or nothing sent": inTime.length > 0 && sent.length > 0 ? 0 : 1,
    },
  };
});

runScenario({
  seed: values.seed,
  database: (folder) => Effect.map(embedded(folder), (url) => ({ url })),
  run: chaos,
});
