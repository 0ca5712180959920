/**
 * Starts a Waypost of its own, gives one person of a workspace 40,000 devices (an app that signs everybody in
 * as "guest"), and has 300 events with a delay name the person; a neighbour has one such event. Prints how
 * late the messages were, the peak memory of the process, the time of 500 events of a server that name the
 * person, and how late an event of the neighbour is beside 300,000 due ones of the workspace. Exit code 1 if
 * the process died, lost a message, was over 600 MB, or a message of the neighbour was over 5 seconds late
 * (contract TR3, running.turns).
 *
 *     node scripts/attack/guests.ts
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { insertDevices, workspaceKey } from "../bench/BenchRows.ts";
import { BenchWorld, runBench } from "../bench/BenchWorld.ts";
import { ask, dayFromNow, newWorkspace, note } from "../bench/ServiceApi.ts";

const devices = 40_000;
const delayed = 300;
const together = 500;
const queued = 300_000;
/** Rows of a statement: the client gives up one that takes half a minute. */
const part = 20_000;
const waitedMillis = 180_000;

/** An event campaign with a message a minute after `basket.filled`, and at once after `order.placed`. */
const prepare = Effect.fnUntraced(function* (origin: string, count: number) {
  const sql = yield* SqlClient.SqlClient;
  const abilities = ["campaigns:write", "notifications:write", "events:write"];
  const { id: workspace, platform, token } = yield* newWorkspace(origin, abilities);
  const campaign = { name: "Basket", type: "event", timezone: "UTC", starts_at: dayFromNow(0) };
  const { id } = yield* ask(`${platform}/campaigns`, token, campaign);
  for (const [event, delay_minutes] of [
    ["basket.filled", 1],
    ["order.placed", 0],
  ] as const) {
    yield* ask(`${platform}/campaigns/${id}/notifications`, token, {
      ...note,
      name: event,
      trigger_type: "on_event",
      trigger_config: { event, delay_minutes },
    });
  }
  const key = yield* workspaceKey(workspace);
  yield* insertDevices(key, 1, count);
  yield* sql`
    WITH person AS (
      INSERT INTO device_user (workspace_id, environment, user_id) VALUES (${key}, 'production', 'guest')
      RETURNING key
    )
    UPDATE device SET user_id = 'guest', user_key = person.key FROM person WHERE workspace_id = ${key}`;
  yield* sql`VACUUM ANALYZE device`.unprepared;
  /** Reports events that name the person. */
  const report = (name: string, events: number) =>
    ask(`${platform}/events`, token, {
      events: Array.from({ length: events }, () => ({ id: randomUUID(), name, user_id: "guest" })),
    });
  const messages = Effect.map(
    sql<{ readonly messages: number; readonly last: Date | null }>`
      SELECT count(*)::int AS messages, max(created_at) AS last FROM delivery WHERE workspace_id = ${key}`,
    ([row]) => ({ messages: row?.messages ?? 0, last: row?.last?.getTime() ?? 0 }),
  );
  /** Adds events of the first device that are due when the event is that waits. */
  const copies = Effect.fnUntraced(function* (total: number) {
    for (let made = 0; made < total; made += part)
      yield* sql`
        INSERT INTO dwell (workspace_id, environment, device_key, event_id, attachment_id, content_key,
          content_type, entered_at, recorded_at, due_at, unit, properties)
        SELECT w.workspace_id, w.environment, 1, gen_random_uuid(), w.attachment_id, w.content_key,
          w.content_type, w.entered_at, w.recorded_at, w.due_at, 1, w.properties
        FROM (SELECT * FROM dwell WHERE workspace_id = ${key} LIMIT 1) AS w,
          generate_series(1, ${part}::int)`.unprepared;
  });
  return { report, messages, copies };
});

/** The peak memory of a process in MB; null if it has died. */
const peakOf = (pid: number): number | null => {
  try {
    const [, kilobytes = ""] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === "" ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
};

const trial = Effect.gen(function* () {
  const { origin, pid } = yield* BenchWorld.waypost();
  const crowd = yield* prepare(origin, devices);
  const neighbour = yield* prepare(origin, 1);
  const since = yield* Clock.currentTimeMillis;
  for (let sent = 0; sent < delayed; sent += 10) yield* crowd.report("basket.filled", 10);
  yield* neighbour.report("basket.filled", 1);
  const due = (yield* Clock.currentTimeMillis) + 60_000;
  console.log(`${delayed} events with a delay: ${due - 60_000 - since} ms to report`);
  let peak = peakOf(pid);
  while ((yield* Clock.currentTimeMillis) < since + waitedMillis) {
    yield* Effect.sleep(1_000);
    peak = peakOf(pid);
    if (peak === null || (yield* crowd.messages).messages >= delayed) break;
  }
  const [own, other] = [yield* crowd.messages, yield* neighbour.messages];
  const lateOf = ({ last }: { readonly last: number }) => (last === 0 ? null : (last - due) / 1000);
  console.log(`person: ${own.messages} messages, the last ${lateOf(own)} s after its minute`);
  console.log(`neighbour: ${other.messages} message, ${lateOf(other)} s after its minute`);
  console.log(peak === null ? "the process has died" : `peak memory ${peak} MB`);
  if (peak !== null) {
    const begun = yield* Clock.currentTimeMillis;
    yield* crowd.report("order.placed", together);
    const millis = (yield* Clock.currentTimeMillis) - begun;
    peak = peakOf(pid);
    console.log(`${together} events at once: ${millis} ms, peak memory ${peak} MB`);
  }
  yield* crowd.report("basket.filled", 1);
  yield* crowd.copies(queued);
  yield* neighbour.report("basket.filled", 1);
  const dueNext = (yield* Clock.currentTimeMillis) + 60_000;
  let next = yield* neighbour.messages;
  while (next.messages < 2 && (yield* Clock.currentTimeMillis) < dueNext + waitedMillis) {
    yield* Effect.sleep(1_000);
    next = yield* neighbour.messages;
  }
  const lateNext = next.messages < 2 ? Infinity : (next.last - dueNext) / 1000;
  console.log(`neighbour beside ${queued} due events of another workspace: ${lateNext} s after its minute`);
  const isLate = lateNext > 5 || other.messages === 0 || (lateOf(other) ?? 0) > 5;
  if (peak === null || peak > 600 || own.messages < delayed || isLate) process.exitCode = 1;
});

runBench(trial);
