import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { grouped } from "../database/Grouped.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import type { DueDelivery } from "../sending/Delivery.ts";
import { Deliveries } from "../sending/Deliveries.ts";
import type { Message } from "../sending/Message.ts";
import { messageId } from "../sending/MessageId.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Submission } from "../wire/Submission.ts";
import type { UnreadTransitionReport } from "./EventsApi.ts";
import { EventsSql, type Firing, type Recorded } from "./EventsSql.ts";
import { canFire, dueDelivery } from "./FiringRule.ts";
import { type Report, ReportBatch, type Sighting } from "./ReportBatch.ts";
import { firingSpan } from "./Transition.ts";
import { readTransition } from "./TransitionReading.ts";

/** Most reports that are written together. */
const mostReports = 64;

/** What an event set off: one message for its device, before the frequency caps. */
interface Shot {
  readonly sighting: Sighting;
  readonly firing: Firing;
  readonly due: DueDelivery;
}

/** What devices report: it is counted, and campaigns fire. */
export class Events extends Context.Service<Events>()("waypost/events/Events", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* EventsSql;
    const deliveries = yield* Deliveries;
    const { media: mediaBase } = yield* PublicAddresses;

    /** Of the events that would be rejected, those that were taken earlier: the same again is a duplicate. */
    const findKnown = Effect.fnUntraced(function* (batch: ReportBatch) {
      const doubtful = batch.sightings.filter((sighting) => sighting.problem !== null);
      if (doubtful.length === 0) return;
      for (const { ord } of yield* repository.known(doubtful)) {
        const sighting = doubtful[ord - 1];
        if (sighting !== undefined) sighting.outcome = "duplicate";
      }
    });

    const shotsOf = (sighting: Sighting, { address_gone, approved, transport }: Recorded): Array<Shot> => {
      const reachable = !address_gone && (approved || sighting.environment === "production");
      if (!reachable) return [];
      return sighting.firings
        .filter((firing) => canFire(firing, sighting))
        .map((firing) => ({ sighting, firing, due: dueDelivery(firing, sighting, transport) }));
    };

    /** Stores what is new and makes the deliveries that it fires, in the transaction at hand. */
    const write = Effect.fnUntraced(function* (toStore: ReadonlyArray<Sighting>) {
      const shots: Array<Shot> = [];
      const recorded = [...(yield* repository.record(toStore))].sort((a, b) => a.ord - b.ord);
      for (const sighting of toStore) sighting.outcome = "ended";
      for (const row of recorded) {
        const sighting = toStore[row.ord - 1];
        if (sighting === undefined) continue;
        sighting.outcome = row.is_new ? "accepted" : "duplicate";
        if (row.is_new) shots.push(...shotsOf(sighting, row));
      }
      const made = yield* deliveries.make(shots.map((shot) => shot.due));
      return shots.flatMap(({ due, firing, sighting }, place) => {
        const delivery = made[place];
        if (delivery === null || delivery === undefined) return [];
        return [
          {
            sighting,
            message: toMessage(firing, due, delivery.origin, delivery.status === "delivered", mediaBase),
          },
        ];
      });
    });

    /**
     * Several reports, each answered by itself, in one transaction: what an event counts for and what it fires are there
     * together or not at all (contract L5), and a device's row is held while its caps are counted (contract L4).
     */
    const take = Effect.fnUntraced(function* (batch: ReportBatch) {
      const places = batch.places;
      if (places.length > 0) batch.settle(yield* repository.places(places, batch.span(firingSpan)));
      yield* findKnown(batch);
      const toStore = batch.toStore;
      const fires = toStore.some((sighting) => sighting.firings.some((firing) => canFire(firing, sighting)));
      const written = write(toStore);
      const fired = toStore.length === 0 ? [] : yield* fires ? database.atomically(written) : written;
      return batch.outcomes(fired);
    });

    const together = yield* grouped(mostReports, (reports: ReadonlyArray<Report>) =>
      take(new ReportBatch(reports)),
    );

    return {
      /** Takes 1 to 100 events of one device; a bad one is rejected alone. @throws 401, 422 */
      report: Effect.fnUntraced(function* (
        caller: DeviceCaller["Service"],
        submission: Submission<UnreadTransitionReport>,
      ) {
        const { events } = yield* submission.complete;
        const now = yield* Clock.currentTimeMillis;
        const outcome = yield* together({
          caller,
          now,
          events: events.map((event) => readTransition(event, now)),
        });
        return outcome ?? (yield* endedMeanwhile);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Events, Events.make).pipe(Layer.provide(EventsSql.layer));
}

const toMessage = (
  firing: Firing,
  due: DueDelivery,
  origin: bigint,
  isDelivered: boolean,
  mediaBase: string,
): Message => ({
  id: messageId(origin, due.deviceNo),
  campaign_id: firing.campaign_id,
  notification_id: firing.notification_id,
  type: firing.type,
  headline: firing.headline,
  body: firing.body,
  media: shownMedia(mediaBase, firing.media),
  cta_label: firing.cta_label,
  cta_url: firing.cta_url,
  questions: firing.questions,
  delivered_at: isDelivered ? utcText(due.now) : null,
  opened_at: null,
});
