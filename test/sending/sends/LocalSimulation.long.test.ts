import { assert, layer } from "@effect/vitest";
import { Context, Effect, Exit, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { TestDatabase } from "../../database/TestDatabase.ts";
import { type Cut, CutConnections } from "../../matrices/CutConnections.ts";
import { Dice } from "../Dice.ts";
import { locally } from "./LocalWorld.ts";
import { drain, manualWorkersOn, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";
import { begun, type OffsetPeriod, periodsOf, shown } from "./ZoneOracle.ts";

/** A model of contract P3 without a database: which devices a send at a local time reaches, and when. */

interface LocalDevice {
  readonly key: number;
  /** Null: that of the campaign. */
  zone: string | null;
  registered: boolean;
}

interface LocalSendModel {
  readonly notification: string;
  readonly day: number;
  /** `HH:MM`. */
  readonly time: string;
  readonly zone: string;
  readonly late: "send" | "skip";
  readonly plannedAt: number;
  /** The devices that it reached. */
  readonly reached: Set<number>;
  /** Parts up to this instant are fixed. */
  fixedUntil: number;
  hasRun: boolean;
  isOver: boolean;
}

/** Workers run the parts that are due. */
const work = (
  send: LocalSendModel,
  devices: ReadonlyArray<LocalDevice>,
  periodsOf: (zone: string) => ReadonlyArray<OffsetPeriod>,
  now: number,
): void => {
  const registered = devices.filter((device) => device.registered && !send.isOver);
  const local = Date.parse(`${new Date(send.day).toISOString().slice(0, 10)}T${send.time}:00Z`);
  const instants = registered.map(({ zone }) => shown(periodsOf(zone ?? send.zone), local));
  const reached = registered.filter(({ key, zone }, index) => {
    const due = instants[index] ?? Infinity;
    if (due <= send.fixedUntil || due > now || send.reached.has(key)) return false;
    if (due < send.plannedAt) return send.late === "send";
    const dayEnds = begun(periodsOf(zone ?? send.zone), send.day + DAY_MS) - 1000;
    return now <= dayEnds || now < due + 60_000;
  });
  for (const { key } of reached) send.reached.add(key);
  send.hasRun ||= reached.length > 0;
  send.fixedUntil = now;
  if (send.hasRun && instants.every((due) => due <= now)) send.isOver = true;
  if (now >= local + DAY_MS / 2) send.isOver = true;
};

const MINUTE_MS = 60_000;
/** On the 28th of March 2027 clocks change in Europe; the days before and after are ordinary ones. */
const begin = Date.UTC(2027, 2, 26, 9);
const zones = [
  "UTC",
  "Europe/Amsterdam",
  "America/New_York",
  "America/Nuuk",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Asia/Kathmandu",
];
const timelines = new Map(zones.map((zone) => [zone, periodsOf(zone, begin, begin + 10 * DAY_MS)]));
const periods = (zone: string) => timelines.get(zone) ?? [];

class Connections extends Context.Service<Connections, CutConnections>()("waypost/test/LocalConnections") {
  static readonly layer = Layer.effect(Connections, CutConnections.make);
}
const overCutConnections = Layer.unwrap(
  Effect.map(Connections, ({ path }) => manualWorkersOn(TestDatabase.layerThrough(path))),
).pipe(Layer.provideMerge(Connections.layer));

layer(overCutConnections)("Simulated sends at local times", (it) => {
  it.effect("moving devices and failing workers end as in the model (P3.1, P3.3, P3.4, X25, X27)", () =>
    Effect.gen(function* () {
      const dice = new Dice(77);
      const connections = yield* Connections;
      const sql = yield* SqlClient.SqlClient;
      const { production } = yield* sendWorld();
      yield* TestClock.setTime(begin);
      const devices: Array<LocalDevice> = [];
      const phones = new Map<number, Effect.Success<ReturnType<typeof production.phone>>>();
      const sends: Array<LocalSendModel> = [];
      let cuts = 0;

      const anyZone = () => (dice.chance(0.2) ? null : (dice.one(zones) ?? null));
      const join = Effect.gen(function* () {
        const zone = anyZone();
        const key = devices.length + 1;
        phones.set(key, yield* production.phone(`phone-${key}`, zone === null ? {} : { timezone: zone }));
        devices.push({ key, zone, registered: true });
      });
      const change = Effect.gen(function* () {
        const device = dice.one(devices.filter(({ registered }) => registered));
        const phone = device && phones.get(device.key);
        if (device === undefined || phone === undefined) return;
        if (dice.chance(0.2)) {
          yield* phone.ask("/devices/me", { method: "DELETE" });
          device.registered = false;
          return;
        }
        const timezone = anyZone();
        const answer = yield* phone.ask("/devices/me", { method: "PATCH", body: { timezone } });
        assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
        device.zone = timezone;
      });
      const plan = Effect.fnUntraced(function* (now: number) {
        const zone = dice.one(zones) ?? "UTC";
        const day = Math.floor(begin / DAY_MS) * DAY_MS + (1 + dice.below(2)) * DAY_MS;
        const time = dice.one(["00:00", "02:30", "09:00", "23:30"] as const) ?? "09:00";
        const late = dice.chance(0.5) ? "send" : "skip";
        const starts_at = new Date(day).toISOString().slice(0, 10);
        const created = yield* production.platform("/campaigns", {
          body: { name: `Campaign ${sends.length}`, type: "push", timezone: zone, starts_at },
        });
        if (created.status !== 201) return;
        const id = created.body.data.id as string;
        const notification = yield* production.notification(id, locally(time, { late }));
        const fixed = { fixedUntil: -Infinity, hasRun: false, isOver: false };
        sends.push({ notification, day, time, zone, late, plannedAt: now, reached: new Set(), ...fixed });
      });

      const anyCut = (): Cut =>
        dice.chance(0.5)
          ? { at: "statement", number: 1 + dice.below(12) }
          : { at: dice.chance(0.5) ? "before commit" : "after commit" };
      const isOpen = Effect.map(
        sql`SELECT FROM send_batch b WHERE b.workspace_id = ${production.workspaceId}`,
        (rows) => rows.length > 0,
      );
      /** Runs workers, some of which lose their database, until no work is left; in less than a minute. */
      const runWorkers = Effect.gen(function* () {
        for (let round = 0; round < 4; round++) {
          const cut = round < 2 && dice.chance(0.5) ? connections.arm(anyCut()) : null;
          const exits = [yield* Effect.exit(start)];
          exits.push(...(yield* Effect.all([Effect.exit(drain), Effect.exit(drain)], { concurrency: 2 })));
          if (cut?.isDone() === true) cuts++;
          const isSound = exits.every((exit) => Exit.isSuccess(exit));
          connections.disarm();
          if (cut === null && isSound && !(yield* isOpen)) break;
          // Leases of a dead worker expire after ten seconds.
          yield* TestClock.adjust("11 seconds");
        }
        yield* start;
        yield* drain;
      });

      for (let count = 0; count < 30; count++) yield* join;
      for (let step = 0; step < 3 * 96; step++) {
        const now = begin + step * 15 * MINUTE_MS;
        yield* TestClock.setTime(now);
        if (step < 96 && step % 12 === 3) yield* plan(now);
        // From time to time no worker runs for an hour or two.
        if (step % 40 < 34) {
          for (const send of sends) work(send, devices, periods, now);
          yield* runWorkers;
        }
        yield* dice.chance(0.2) ? join : dice.chance(0.5) ? change : Effect.void;
      }
      yield* start;

      assert.isAbove(cuts, 20);
      assert.isAbove(sends.filter(({ hasRun }) => hasRun).length, 5);
      for (const send of sends) {
        const rows = yield* sql<{ readonly keys: ReadonlyArray<number> | null }>`
          SELECT array_agg(d.device_key ORDER BY d.device_key) AS keys
          FROM delivery d JOIN notification n ON n.key = d.notification_key
          WHERE n.id = ${send.notification}`;
        const expected = [...send.reached].toSorted((a, b) => a - b);
        assert.deepStrictEqual(rows[0]?.keys ?? [], expected, JSON.stringify(send));
      }
      const listed = yield* production.sends();
      for (const { delivered, finished_at, parts, status, targeted } of listed) {
        assert.include(["done", "skipped", "missed"], status);
        assert.isNotNull(finished_at);
        assert.strictEqual(delivered, targeted);
        assert.strictEqual(
          parts.reduce((sum: number, part: any) => sum + part.targeted, 0),
          targeted,
        );
      }
    }),
  );
});
