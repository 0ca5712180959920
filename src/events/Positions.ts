import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { grouped } from "../database/Grouped.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import { PlaceIndexes } from "../locations/PlaceIndexes.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Submission } from "../wire/Submission.ts";
import { type Fix, isCoarse, isFix, readFix } from "./Fix.ts";
import { FixBatch, type FixReport } from "./FixBatch.ts";
import { countPositions } from "./PositionMetrics.ts";
import type { FixOutcome, UnreadFixReport } from "./PositionsApi.ts";
import { PositionsSql } from "./PositionsSql.ts";
import { ReportBatch } from "./ReportBatch.ts";
import { Sightings } from "./Sightings.ts";
import type { PlacedFix } from "./Track.ts";

/** Most reports that are written together. */
const mostReports = 128;

/** For how long positions are looked up before others get their turn, in milliseconds. */
const turn = 10;

/** Where devices are: their enters and exits are found here, and count and fire as those that devices report. */
export class Positions extends Context.Service<Positions>()("waypost/events/Positions", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PositionsSql;
    const sightings = yield* Sightings;
    const places = yield* PlaceIndexes;

    /** Runs over so many items, letting others in between; a tenant's places can lie on one another by the thousand. */
    const each = Effect.fnUntraced(function* <A, B>(items: ReadonlyArray<A>, of: (item: A, at: number) => B) {
      const results: Array<B> = [];
      let began = performance.now();
      for (const item of items) {
        results.push(of(item, results.length));
        if (performance.now() - began < turn) continue;
        yield* Effect.yieldNow;
        began = performance.now();
      }
      return results;
    });

    /**
     * Several reports, each answered by itself, in one transaction: a device's row is held while its positions are followed, so two
     * of its reports never both make the same enter, and what is known of it is there together with what it counts for and fires.
     */
    const take = Effect.fnUntraced(function* (batch: FixBatch) {
      const held = yield* repository.hold(batch.devices);
      const tracks = batch.tracks(held, yield* repository.known(batch.devices, batch.candidates));
      const before = tracks.map((track) => track?.last);
      const followed = yield* each(batch.reports, (_, report) => batch.follow(report, tracks));
      const gone = batch.unplaced(tracks);
      if (gone.length > 0) yield* repository.forget(gone);

      const moved = new ReportBatch(batch.reported(followed));
      yield* sightings.place(moved);
      const toStore = moved.toStore;
      const fired = toStore.length === 0 ? [] : yield* sightings.write(toStore);

      const newer = batch.devices.flatMap((device, at) => {
        const last = tracks[at]?.last;
        return last === undefined || last === before[at] ? [] : [{ device, last }];
      });
      if (newer.length > 0) {
        yield* repository.keep(
          newer.map(({ device }) => device),
          newer.map(({ last }) => last),
        );
      }
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

    const together = yield* grouped(mostReports, (reports: ReadonlyArray<FixReport>) =>
      database.atomically(Effect.suspend(() => take(new FixBatch(reports)))),
    );

    return {
      /** Takes 1 to 100 positions of one device, in order; a bad one is rejected alone (contract L9). @throws 401, 422 */
      report: Effect.fnUntraced(function* (
        caller: DeviceCaller["Service"],
        submission: Submission<UnreadFixReport>,
      ) {
        const { positions } = yield* submission.complete;
        const now = yield* Clock.currentTimeMillis;
        const read = positions.map((position) => readFix(position, now));
        const rejected = read.flatMap((fix, index) => (isFix(fix) ? [] : [{ index, reasons: [...fix] }]));
        // Not before the request is there: a place that was answered for before is found.
        const index = yield* places.current(caller);
        const fixes = yield* each(read.filter(isFix), (fix: Fix): PlacedFix => ({
          fix,
          at: isCoarse(fix) ? [] : index.at([fix.longitude, fix.latitude]),
        }));
        const outcome = yield* together({ caller, now, index, fixes });
        if (outcome === null) return yield* endedMeanwhile;
        const answer: FixOutcome = { ...outcome, rejected };
        yield* countPositions(answer);
        return answer;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Positions, Positions.make).pipe(Layer.provide(PositionsSql.layer));
}
