import { Context, Effect, Layer, Schedule } from "effect";
import { Config } from "../Config.ts";
import { Database } from "../database/Database.ts";
import { dateAt, dayRange } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { DeviceTally } from "./DeviceSet.ts";
import { deliveryAdditions, eventAdditions } from "./RollUpAdditions.ts";
import type { WaitingTenant } from "./RollUpRows.ts";
import { RollUpsSql } from "./RollUpsSql.ts";

/** How much is done at once: base rows that one transaction takes in, about, and rows of roll-ups that one statement writes. */
export const RollUpSizes = Context.Reference("waypost/reports/RollUps/RollUpSizes", {
  defaultValue: () => ({ deliveries: 100_000, events: 20_000, rows: 500 }),
});

/** Puts base rows of the past into the feed again, or adds what the feed holds to the roll-ups. */
export class RollUps extends Context.Service<RollUps>()("waypost/reports/RollUps", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* RollUpsSql;

    /** The rest of the environment's work in the time zone that it has now is to begin at its oldest base row. */
    const startAnew = Effect.fnUntraced(function* (tenant: WaitingTenant) {
      yield* repository.empty(tenant);
      const oldest = yield* repository.oldest(tenant, null);
      const fedUntil = oldest === null ? null : startOfDay(tenant, oldest);
      yield* repository.note(tenant, { timezone: tenant.timezone, fedUntil });
    });

    /** Feeds the next day that has base rows; none left, the roll-ups are complete. */
    const feedNextDay = Effect.fnUntraced(function* (tenant: WaitingTenant, fedUntil: number) {
      const { timezone } = tenant;
      const next = yield* repository.oldest(tenant, fedUntil);
      if (next === null) {
        yield* repository.note(tenant, { timezone, fedUntil: null });
        return;
      }
      const date = dateAt(timezone as TimeZoneName, next);
      const day = dayRange(timezone as TimeZoneName, date, date);
      yield* repository.feedAgain(tenant, day.fromMs, day.toMs);
      yield* repository.note(tenant, { timezone, fedUntil: day.toMs });
    });

    const takeDeliveries = Effect.fnUntraced(function* (tenant: WaitingTenant, tally: DeviceTally) {
      const sizes = yield* RollUpSizes;
      const fed = yield* repository.takeDeliveries(tenant, sizes.deliveries);
      const sums = deliveryAdditions(tenant.timezone as TimeZoneName, fed);
      for (let at = 0; at < sums.length; at += sizes.rows) {
        const some = sums.slice(at, at + sizes.rows);
        const held = new Map<number, Uint8Array>();
        for (const { devices, ord } of yield* repository.deliveryDevices(tenant, some))
          held.set(ord, devices);
        const additions = some.map(({ devices, ...sum }, place) => {
          const set = united(tally, held.get(place + 1), devices);
          return { ...sum, reached: tally.count, devices: set };
        });
        yield* Effect.yieldNow;
        yield* repository.addDeliveries(tenant, additions);
      }
      return fed.length > 0;
    });

    const takeEvents = Effect.fnUntraced(function* (tenant: WaitingTenant, tally: DeviceTally) {
      const sizes = yield* RollUpSizes;
      const fed = yield* repository.takeEvents(tenant, sizes.events);
      if (fed.length === 0) return false;
      const stays = yield* repository.staysChanged(tenant, fed);
      const sums = eventAdditions(tenant.timezone as TimeZoneName, fed, stays);
      for (let at = 0; at < sums.length; at += sizes.rows) {
        const some = sums.slice(at, at + sizes.rows);
        const held = new Map<number, Uint8Array>();
        for (const { devices, ord } of yield* repository.eventDevices(tenant, some)) held.set(ord, devices);
        const additions = some.map(({ devices, ...sum }, place) => ({
          ...sum,
          devices: united(tally, held.get(place + 1), devices),
        }));
        yield* Effect.yieldNow;
        yield* repository.addEvents(tenant, additions);
      }
      return true;
    });

    /** One step of an environment's work; true if it did anything. */
    const step = (tenant: WaitingTenant) =>
      database.atomically(
        Effect.gen(function* () {
          yield* repository.seeOneSnapshot;
          yield* repository.begin(tenant);
          const [state] = yield* repository.hold(tenant);
          if (state === undefined) return false;
          if (state.timezone !== tenant.timezone) return yield* Effect.as(startAnew(tenant), true);
          const tally = new DeviceTally();
          const took = [yield* takeDeliveries(tenant, tally), yield* takeEvents(tenant, tally)];
          if (took.includes(true)) return true;
          if (state.fedUntil === null) return false;
          return yield* Effect.as(feedNextDay(tenant, state.fedUntil), true);
        }),
      );

    return {
      /** One step in each environment where there is work, each in a transaction of its own; true if any did something. */
      step: Effect.gen(function* () {
        let did = false;
        for (const tenant of yield* repository.waiting) did = (yield* step(tenant)) || did;
        return did;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollUps, RollUps.make).pipe(Layer.provide(RollUpsSql.layer));
}

/** The union of a set that there may be and numbers; left in the tally. */
const united = (tally: DeviceTally, set: Uint8Array | undefined, more: ReadonlyArray<number>): Uint8Array => {
  tally.clear();
  if (set !== undefined) tally.addSets(set);
  for (const no of more) tally.add(no);
  return tally.toSet();
};

const startOfDay = ({ timezone }: WaitingTenant, ms: number): number => {
  const date = dateAt(timezone as TimeZoneName, ms);
  return dayRange(timezone as TimeZoneName, date, date).fromMs;
};

/** Rolls up in every worker, four times a second: two that meet take different environments. */
export const rollingUp = Layer.effectDiscard(
  Effect.gen(function* () {
    const { roles } = yield* Config;
    if (!roles.has("worker")) return;
    const { step } = yield* RollUps;
    const all = Effect.gen(function* () {
      while (yield* step);
    });
    yield* Effect.forkScoped(
      all.pipe(
        // Who asks for anything is told that the database is away; here it would be said four times a second.
        Effect.catchCauseIf(Database.isUnavailable, () => Effect.sleep("1 second")),
        Effect.ignoreCause({ log: "Warn" }),
        Effect.repeat(Schedule.spaced("250 millis")),
      ),
    );
  }),
);
