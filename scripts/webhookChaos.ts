/**
 * Kills processes while webhooks send events, by `kill -9`: workers, all processes, or PostgreSQL. Devices
 * report enters meanwhile, each of which fires a message, and sends run. A receiver keeps a ledger of the
 * events that arrive; it refuses some calls. Afterwards every enter and every delivery in the database must
 * have arrived as an event at least once, and nothing else (contract N4). Exit code 1 if not.
 *
 *     node scripts/webhookChaos.ts --kills 12 --devices 2000 --workers 2 --seed 1
 *     node scripts/webhookChaos.ts --experiment --kills 100 --devices 1000 --phones 2000
 *
 * With `--experiment` there are four campaigns with a holdout, variants and a goal each: opens, clicks,
 * visits and custom events. Phones, half of them in pairs of one person, do such things all the time, and the
 * clocks of some are ahead. Each unit must be enrolled once, no held-out unit gets anything, and each unit
 * converts once, at the first thing that its phones reported.
 */
import { Clock, Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { instant } from "../src/database/Rows.ts";
import { messageIds } from "../src/sending/deliveries/MessageId.ts";
import { insertDevices, insertSends, workspaceKey } from "./bench/BenchRows.ts";
import {
  ask,
  type Created,
  geoCampaign,
  newWorkspace,
  pushCampaign,
  registerDevices,
  secretKey,
  send,
} from "./bench/ServiceApi.ts";
import {
  ChaosRun,
  embedded,
  runScenario,
  settles,
  startApi,
  startTimeoutMillis,
  type Faults,
  until,
} from "./chaos/ChaosRun.ts";
import { EventLedger } from "./chaos/EventLedger.ts";
import { experiment, experimentVerdict } from "./chaos/ExperimentLedger.ts";
import { GoalLedger } from "./chaos/GoalLedger.ts";
import { LedgerServer } from "./chaos/LedgerServer.ts";
import type { DeviceKey } from "../src/wire/Ids.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "12" },
    devices: { type: "string", default: "2000" },
    phones: { type: "string", default: "50" },
    workers: { type: "string", default: "2" },
    experiment: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
  },
});
const [kills, devices, workers] = [Number(values.kills), Number(values.devices), Number(values.workers)];
const phones = Number(values.phones);
/** Enters that are reported at a time. */
const reporters = 4;
const endTimeoutMillis = 180_000;
/** Reports of an experiment's phone one after another, and the pause of a reporter after each. */
const [reportsOfPhone, pauseMillis] = [4, 100];
const customEvent = "order.placed";
/** How far ahead the clocks of some phones are. */
const aheadMillis = 60_000;

interface Answer {
  readonly deliveries: ReadonlyArray<{ readonly id: string; readonly campaign_id: string }>;
}

/** The process of PostgreSQL. */
const pidOf = (folder: string): number =>
  Number(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0]);

/**
 * A workspace with two webhooks, a geo campaign with phones, and a push campaign to a crowd; for an
 * experiment two of each, with a goal each.
 */
const prepare = Effect.fnUntraced(function* (origin: string, ledger: EventLedger) {
  const sql = yield* SqlClient.SqlClient;
  const abilities = ["campaigns", "notifications", "locations", "webhooks", "events"];
  const workspace = yield* newWorkspace(
    origin,
    abilities.map((name) => `${name}:write`),
  );
  for (const batch of [false, true]) {
    const events = batch ? ["message.delivered"] : ["location.entered"];
    const webhook = { url: ledger.url, events, batch };
    ledger.trust((yield* ask(`${workspace.platform}/webhooks`, workspace.token, webhook)).secret);
  }
  const split = values.experiment ? experiment : { campaign: {}, notification: {} };
  const fieldsOf = (type: string, more: object = {}) => ({
    ...split.campaign,
    ...(values.experiment && { name: type, goal: { type, within_hours: 72, ...more } }),
  });
  const { location } = yield* geoCampaign(workspace, fieldsOf("opened"), split.notification);
  yield* pushCampaign(workspace, fieldsOf("visit"), "12:00", split.notification);
  if (values.experiment) {
    const clicked = { ...fieldsOf("clicked"), location_ids: [location] };
    yield* geoCampaign(workspace, clicked, split.notification);
    const event = fieldsOf("event", { event: customEvent });
    yield* pushCampaign(workspace, event, "12:00", split.notification);
  }
  // Of four phones of an experiment two belong to one person.
  const registered = yield* registerDevices(workspace, phones, (index) =>
    values.experiment && index % 4 < 2 ? { user_id: `person-${Math.floor(index / 4)}` } : {},
  );
  // Their keys come after those of the phones.
  yield* insertDevices(yield* workspaceKey(workspace.id), phones + 1_001, phones + 1_000 + devices);
  // The planned send of the next day gives way to those of the script.
  yield* sql`UPDATE send SET due_at = ${instant(yield* Clock.currentTimeMillis)}`;
  return { location, workspace, registered };
});

const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [open] = yield* sql`
    SELECT FROM send
    WHERE status IN ('scheduled', 'running') AND due_at < ${instant(yield* Clock.currentTimeMillis)}
    UNION ALL SELECT FROM webhook_event WHERE called < size
    UNION ALL SELECT FROM enrolment_count WHERE NOT is_sum
    UNION ALL SELECT FROM webhook_call LIMIT 1`;
  return open === undefined ? true : null;
});

/** Counts lost, strange and repeated events. */
const verdict = Effect.fnUntraced(function* (ledger: EventLedger) {
  const sql = yield* SqlClient.SqlClient;
  const enters = yield* sql<{ readonly id: string }>`SELECT id FROM geofence_event`;
  const deliveries = yield* sql<{ readonly sourceId: bigint; readonly deviceKey: DeviceKey }>`
    SELECT source_id AS "sourceId", device_key AS "deviceKey" FROM delivery WHERE status = 'delivered'`;
  const { idOf } = messageIds(secretKey);
  const faults: Faults = { "no events at all": enters.length + deliveries.length > 0 ? 0 : 1 };
  ledger.check("location.entered", new Set(enters.map(({ id }) => id)), faults);
  ledger.check("message.delivered", new Set(deliveries.map((key) => idOf(key))), faults);
  const repeated = [...ledger.arrivals.values()].filter((count) => count > 1).length;
  const figures = {
    "enters in the database": enters.length,
    "deliveries in the database": deliveries.length,
    "events that arrived": ledger.events.size,
    calls: ledger.calls,
    "calls refused by the receiver": ledger.refused,
    "events that arrived more than once, with one id": repeated,
  };
  return { figures, faults };
});

const chaos = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const dice = yield* Random.Random;
  const ledger = yield* LedgerServer.listening(new EventLedger(() => dice.nextDoubleUnsafe()));
  const { folder, start } = yield* ChaosRun;
  const first = yield* startApi;
  const { origin } = first;
  let { api } = first;
  const { location, registered, workspace } = yield* prepare(origin, ledger);
  const goals = new GoalLedger();
  const processes = Array.from({ length: workers }, () => start("worker"));
  const counts = { "workers killed": 0, "APIs killed": 0, "PostgreSQL killed": 0, "enters accepted": 0 };
  let isOver = false;
  /** Repeats a request until it has an answer. */
  const sendSurely = async <A>(url: string, token: string, body: object): Promise<A> => {
    while (true) {
      try {
        return await send<A>("POST", url, token, body);
      } catch {
        await pause(100);
      }
    }
  };
  /** Opens or clicks a message of an experiment, and a custom event reported by the phone or by a server. */
  const reachGoals = async (
    { device_token, id }: Created,
    deliveries: Answer["deliveries"],
    number: number,
    occurred_at: Date,
  ): Promise<void> => {
    await Promise.all(
      deliveries.map(async (message) => {
        const goal = number % 3 === 0 ? "clicked" : "opened";
        await sendSurely(`${workspace.device}/messages/${message.id}/${goal}`, device_token, {});
        goals.add("opened", message.campaign_id, id);
        if (goal === "clicked") goals.add("clicked", message.campaign_id, id);
      }),
    );
    if (number % 3 === 1) return;
    const event = { id: randomUUID(), name: customEvent, occurred_at };
    if (number % 3 === 0)
      await sendSurely(`${workspace.device}/events`, device_token, {
        events: [{ ...event, type: "custom" }],
      });
    else
      await sendSurely(`${workspace.platform}/events`, workspace.token, {
        events: [{ ...event, device_id: id }],
      });
    goals.add(`event:${customEvent}`, null, id, occurred_at.getTime());
  };
  /** Reports enters one after another, with the same id until one is accepted. */
  const report = async (reporter: number): Promise<void> => {
    for (let number = reporter; !isOver; number += reporters) {
      const turn = values.experiment ? Math.floor(number / reportsOfPhone) : number;
      const phone = registered[turn % registered.length];
      if (phone === undefined) return;
      const ahead = values.experiment && number % 5 === 0 ? aheadMillis : 0;
      const occurred_at = new Date(Date.now() + ahead);
      const event = { id: randomUUID(), type: "enter", location_id: location, occurred_at };
      const path = `${workspace.device}/events`;
      const { deliveries } = await sendSurely<Answer>(path, phone.device_token, { events: [event] });
      counts["enters accepted"]++;
      if (!values.experiment) continue;
      goals.add("visit", null, phone.id, occurred_at.getTime());
      await reachGoals(phone, deliveries, number, occurred_at);
      await pause(pauseMillis);
    }
  };
  const reports = Promise.all(Array.from({ length: reporters }, (_, index) => report(index)));
  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.sleep(yield* Random.nextIntBetween(500, 3_000));
    if (kill % 3 === 2) yield* Effect.ignoreCause(insertSends(sql`true`));
    yield* Effect.sleep(yield* Random.nextIntBetween(0, 800));
    const choice = yield* Random.nextIntBetween(0, 10);
    if (choice < 5) {
      const index = yield* Random.nextIntBetween(0, workers - 1);
      yield* Effect.promise(async () => processes[index]?.end("SIGKILL"));
      processes[index] = start("worker");
      counts["workers killed"]++;
    } else if (choice < 7) {
      const all = [api, ...processes];
      yield* Effect.promise(() => Promise.all(all.map(({ end }) => end("SIGKILL"))));
      api = start("api", new URL(origin).port);
      for (const index of processes.keys()) processes[index] = start("worker");
      counts["workers killed"] += workers;
      counts["APIs killed"]++;
    } else {
      const pid = pidOf(folder);
      process.kill(pid, "SIGKILL");
      // The file of a killed one stays until the next one writes its own.
      yield* until(
        "Another PostgreSQL",
        Effect.sync(() => (pidOf(folder) === pid ? null : true)),
        startTimeoutMillis,
      );
      counts["PostgreSQL killed"]++;
      yield* until("PostgreSQL", Effect.as(sql`SELECT`, true), startTimeoutMillis);
    }
  }
  isOver = true;
  yield* Effect.promise(() => reports);
  // Retries of refused calls come 5 seconds, and then 5 minutes, after the call.
  const isDone = yield* settles("The end of all calls", settled, endTimeoutMillis);
  if (!isDone) console.log(yield* sql`SELECT attempts, count(*)::int AS calls FROM webhook_call GROUP BY 1`);
  const { faults, figures } = yield* verdict(ledger);
  const verdicts = values.experiment ? [yield* experimentVerdict, yield* goals.verdict] : [];
  const all = (part: "figures" | "faults") =>
    Object.assign({}, ...verdicts.map((each) => each[part])) as Faults;
  return {
    figures: { kills, workers, ...counts, ...figures, ...all("figures") },
    faults: { ...faults, ...all("faults") },
  };
});

runScenario({
  seed: values.seed,
  database: (folder) => Effect.map(embedded(folder), (url) => ({ url })),
  run: chaos,
});
