import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { batched } from "../database/Batched.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import { LocationIndexes } from "../locations/LocationIndexes.ts";
import { mapSliced } from "../workers/TimeSlices.ts";
import { utcText } from "../time/LocalTime.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { type Position, isCoarse, isPosition, parsePosition } from "./Position.ts";
import { PositionBatch, type PositionRequest } from "./PositionBatch.ts";
import { countPositions } from "./PositionMetrics.ts";
import type { PositionsOutcome, PositionsBody } from "./PositionsApi.ts";
import { PositionsSql } from "./PositionsSql.ts";
import { EventBatch } from "../events/EventBatch.ts";
import { EventRecorder } from "../events/EventRecorder.ts";
import type { LocatedPosition, DeviceLocationState } from "./DeviceLocationState.ts";

/** Most reports that are written together. */
const mostReports = 128;

/** How long those gather that show something, in milliseconds: each batch is seven statements, however many are in it. */
const gathering = 4;

/** Where devices are: their enters and exits are found here, and count and fire as those that devices report. */
export class Positions extends Context.Service<Positions>()("waypost/events/Positions", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PositionsSql;
    const incomingEvents = yield* EventRecorder;
    const places = yield* LocationIndexes;

    /** Notes the last positions of devices that have newer ones; gives the devices that have moved on meanwhile. */
    const keep = Effect.fnUntraced(function* (
      batch: PositionBatch,
      states: ReadonlyArray<DeviceLocationState | null>,
      before: ReadonlyArray<number | undefined>,
    ) {
      const newer = batch.devices.flatMap((device, at) => {
        const last = states[at]?.last;
        return last === undefined || last === before[at] ? [] : [{ at, device, last }];
      });
      if (newer.length === 0) return new Set<number>();
      const kept = yield* repository.keep(
        newer.map(({ device }) => device),
        newer.map(({ last }) => last),
        newer.map(({ at }) => (Number.isFinite(before[at]) ? (before[at] ?? null) : null)),
      );
      const late = new Set(newer.map(({ at }) => at));
      for (const { ord } of kept) late.delete(newer[ord - 1]?.at ?? -1);
      return late;
    });

    /**
     * Answers the reports of devices that have not moved in or out of a place, as most have not: no device need be held for
     * them, and one statement does for nearly all. Null for a report that shows more, or that another one overtook.
     */
    const glance = Effect.fnUntraced(function* (batch: PositionBatch) {
      const known = yield* repository.settle(batch.devices, batch.steady, batch.candidates);
      const states = batch.states(
        known,
        known.filter(({ location_key }) => location_key === null),
      );
      const before = states.map((track) => track?.last);
      const followed = yield* mapSliced(batch.reports, (_, report) => batch.follow(report, states));
      const moving = new Set([
        ...batch.deviceOf.filter((_, report) => (followed[report]?.moves ?? []).length > 0),
        ...batch.unplaced(states).map(({ at }) => at),
      ]);
      const quiet = states.map((track, at) => (moving.has(at) ? null : track));
      const late = yield* keep(batch, quiet, before);
      return batch.reports.map(({ fixes }, place) => {
        const device = batch.deviceOf[place] ?? -1;
        if (moving.has(device) || late.has(device)) return null;
        // Nobody follows those that are settled: all their positions are news.
        const { accepted, stale } = followed[place] ?? { accepted: fixes.length, stale: 0 };
        return { accepted, stale, transitions: [], deliveries: [] };
      });
    });

    /**
     * Several reports, each answered by itself, in one transaction: a device's row is held while its positions are followed, so two
     * of its reports never both make the same enter, and what is known of it is there together with what it counts for and fires.
     */
    const take = Effect.fnUntraced(function* (batch: PositionBatch) {
      const held = yield* repository.hold(batch.devices);
      const states = batch.states(yield* repository.known(batch.devices, batch.candidates), held);
      const before = states.map((track) => track?.last);
      const followed = yield* mapSliced(batch.reports, (_, report) => batch.follow(report, states));
      const gone = batch.unplaced(states);
      if (gone.length > 0) yield* repository.forget(gone);

      const moved = new EventBatch(batch.reported(followed));
      yield* incomingEvents.place(moved);
      const toStore = moved.toStore;
      const fired = toStore.length === 0 ? [] : yield* incomingEvents.write(toStore);

      yield* keep(batch, states, before);
      const outcomes = moved.outcomes(fired);
      return followed.map((report, place) => {
        const outcome = outcomes[place];
        if (report === null || outcome === null || outcome === undefined) return null;
        return {
          accepted: report.accepted,
          stale: report.stale,
          transitions: moved.taken(place).map(({ transition: { location_id, occurred_at, type } }) => ({
            type,
            location_id,
            occurred_at: utcText(occurred_at),
          })),
          deliveries: outcome.deliveries,
        };
      });
    });

    const atAGlance = yield* batched(
      mostReports,
      (reports: ReadonlyArray<PositionRequest>) => glance(new PositionBatch(reports)),
      2,
    );
    const together = yield* batched(
      mostReports,
      (reports: ReadonlyArray<PositionRequest>) =>
        database.atomically(Effect.suspend(() => take(new PositionBatch(reports)))),
      gathering,
    );

    return {
      /** Takes 1 to 100 positions of one device, in order; a bad one is rejected alone (contract L9). @throws 401, 422 */
      report: Effect.fnUntraced(function* (caller: DeviceCaller["Service"], body: ParsedBody<PositionsBody>) {
        const { positions } = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const read = positions.map((position) => parsePosition(position, now));
        const rejected = read.flatMap((fix, index) =>
          isPosition(fix) ? [] : [{ index, reasons: [...fix] }],
        );
        // Those of when the request came: a place that was answered for before is found.
        const index = yield* places.current(caller, caller.locationsVersion);
        const fixes = yield* mapSliced(read.filter(isPosition), (fix: Position): LocatedPosition => ({
          fix,
          at: isCoarse(fix) ? [] : index.at([fix.longitude, fix.latitude]),
        }));
        const report = { caller, now, index, fixes };
        const outcome = (yield* atAGlance(report)) ?? (yield* together(report)) ?? (yield* endedMeanwhile);
        const answer: PositionsOutcome = { ...outcome, rejected };
        yield* countPositions(answer);
        return answer;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Positions, Positions.make).pipe(Layer.provide(PositionsSql.layer));
}
