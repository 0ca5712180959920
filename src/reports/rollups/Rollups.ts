import { Clock, Context, Effect, Layer } from "effect";
import { Worker } from "../../workers/Worker.ts";
import { Database } from "../../database/Database.ts";
import { addDays, dateAt, dayStart } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { deliveryAdditions, eventAdditions } from "./RollupAdditions.ts";
import { RollupBacklogSql } from "./RollupBacklogSql.ts";
import { RollupBuilder } from "./RollupRebuild.ts";
import { noMonth } from "./RollupKeys.ts";
import { countRollupProgress, noteBacklog } from "./RollupMetrics.ts";
import { RollupMonths } from "./RollupMonths.ts";
import type { RollupState, WaitingTenant } from "./RollupTypes.ts";
import { RollupSizes } from "./RollupLimits.ts";
import { RollupsSql } from "./RollupsSql.ts";
import { RollupWriter } from "./RollupWriter.ts";
import { arrayLength } from "./encoding/BinaryArrays.ts";

/** Rows of rollups that one transaction deletes. */
const clearedAtOnce = 100_000;

/** Makes rollups of base rows of the past, or adds what the feed holds to them. */
export class Rollups extends Context.Service<Rollups>()("waypost/reports/Rollups", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* RollupsSql;
    const { backlog } = yield* RollupBacklogSql;
    const builder = yield* RollupBuilder;
    const months = yield* RollupMonths;
    const writer = yield* RollupWriter;

    /** Empties the rollups, which nobody reads meanwhile; the last of it notes that base rows are to be added up, from the newest back. */
    const startAnew = Effect.fnUntraced(function* (tenant: WaitingTenant) {
      if (yield* repository.clear(tenant, clearedAtOnce)) {
        yield* repository.note(tenant, { timezone: "", rolledUpFrom: Infinity, monthsBefore: noMonth });
        return;
      }
      yield* repository.dropDeltas(tenant);
      yield* repository.note(tenant, {
        timezone: tenant.timezone,
        rolledUpFrom: Infinity,
        monthsBefore: noMonth,
      });
    });

    /** Adds up the base rows before those that are; none left, the rollups are complete. */
    const buildNext = Effect.fnUntraced(function* (tenant: WaitingTenant, state: RollupState) {
      const { rolledUpFrom } = state;
      const newest = yield* builder.newest(tenant, rolledUpFrom);
      if (newest === null) {
        yield* repository.note(tenant, { ...state, rolledUpFrom: -Infinity });
        return;
      }
      // The first is noted by itself, for it brings back the reports of the last days.
      const times = rolledUpFrom === Infinity ? 1 : (yield* RollupSizes).times;
      const toMs = Math.min(rolledUpFrom, endOfDay(tenant, newest));
      yield* repository.note(tenant, { ...state, rolledUpFrom: yield* builder.next(tenant, toMs, times) });
    });

    const takeDeliveries = Effect.fnUntraced(function* (tenant: WaitingTenant, state: RollupState) {
      const { deliveries } = yield* RollupSizes;
      const fed = yield* repository.takeDeliveries(tenant, deliveries);
      const additions = deliveryAdditions(state, fed);
      yield* writer.addDeliveries(tenant, additions);
      yield* countRollupProgress(
        "deliveries",
        "feed",
        fed.reduce((sum, { devices }) => sum + arrayLength(devices), 0),
      );
      return fed.length > 0;
    });

    const takeEvents = Effect.fnUntraced(function* (tenant: WaitingTenant, state: RollupState) {
      const { events } = yield* RollupSizes;
      const fed = yield* repository.takeEvents(tenant, events);
      if (fed.length === 0) return false;
      const stays = yield* repository.staysChanged(tenant, fed);
      yield* writer.addEvents(tenant, eventAdditions(state, fed, stays));
      yield* countRollupProgress(
        "events",
        "feed",
        fed.reduce((sum, { types }) => sum + types.length, 0),
      );
      return true;
    });

    /** One step of an environment's work; true if it did anything. */
    const step = (tenant: WaitingTenant, takes: Taking, over: string) =>
      database.atomically(
        Effect.gen(function* () {
          yield* repository.useOneSnapshot;
          yield* repository.begin(tenant);
          const [state] = yield* repository.hold(tenant);
          if (state === undefined) return false;
          const hasCounted = yield* repository.countDevices(tenant);
          if (state.timezone !== tenant.timezone) return yield* Effect.as(startAnew(tenant), true);
          const took = [
            takes === "all" && (yield* takeDeliveries(tenant, state)),
            yield* takeEvents(tenant, state),
          ];
          // In the same step: where something new comes all the time, what is old would never have its turn.
          if (state.rolledUpFrom !== -Infinity) return yield* Effect.as(buildNext(tenant, state), true);
          const monthsBefore = yield* months.next(tenant, state, over);
          if (monthsBefore === null) return hasCounted || took.includes(true);
          return yield* Effect.as(repository.note(tenant, { ...state, monthsBefore }), true);
        }),
      );

    /** One step in each environment where there is work, each in a transaction of its own; true if any did something. */
    const stepEverywhere = (takes: Taking) =>
      Effect.gen(function* () {
        let did = false;
        const over = yield* months.over;
        for (const tenant of yield* repository.waiting(over)) did = (yield* step(tenant, takes, over)) || did;
        return did;
      });

    return {
      /** One step in each environment where there is work, each in a transaction of its own; true if any did something. */
      step: stepEverywhere("all"),
      /** The same without the deliveries in the feed. */
      stepOfEvents: stepEverywhere("events"),
      /** Notes for the metrics what waits. */
      noteBacklog: Effect.flatMap(Effect.flatMap(Clock.currentTimeMillis, backlog), noteBacklog),
    };
  }),
}) {
  static readonly layer = Layer.effect(Rollups, Rollups.make).pipe(
    Layer.provide([
      RollupsSql.layer,
      RollupBacklogSql.layer,
      RollupBuilder.layer,
      RollupMonths.layer,
      RollupWriter.layer,
    ]),
  );
}

/** What a step takes from the feed. */
type Taking = "all" | "events";

const endOfDay = ({ timezone }: WaitingTenant, ms: number): number => {
  const zone = timezone as TimeZoneName;
  return dayStart(zone, addDays(dateAt(zone, ms), 1));
};

/** Rounds after which deliveries are taken too. */
const roundsToDeliveries = 5;
/** Milliseconds after which a round that has not ended takes deliveries too. */
const longWork = 10_000;

/**
 * Rolls up in every worker, events every two seconds and deliveries every ten: two that meet take different environments. More often would cost, for a delivery
 * rewrites sets of all devices of a month; less often would leave reports more of the feed to read, and events are what that takes long for.
 */
export const rollingUp = Layer.effectDiscard(
  Effect.gen(function* () {
    const { noteBacklog, step, stepOfEvents } = yield* Rollups;
    let round = 0;
    const all = Effect.gen(function* () {
      let isForAll = round++ % roundsToDeliveries === 0;
      if (isForAll) yield* noteBacklog;
      let noted = yield* Clock.currentTimeMillis;
      while (yield* isForAll ? step : stepOfEvents) {
        const now = yield* Clock.currentTimeMillis;
        if (now - noted < longWork) continue;
        // Making rollups anew takes minutes: neither the deliveries of others nor the metrics wait for its end.
        isForAll = true;
        noted = now;
        yield* noteBacklog;
      }
    });
    yield* Worker.every("rollups", "2 seconds", all);
  }),
);
