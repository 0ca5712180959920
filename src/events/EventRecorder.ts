import { Context, Effect, Layer } from "effect";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import type { DueDelivery } from "../sending/Delivery.ts";
import { Deliveries } from "../sending/Deliveries.ts";
import type { Message } from "../sending/Message.ts";
import { messageId } from "../sending/MessageId.ts";
import { utcText } from "../time/LocalTime.ts";
import { EventsSql, type Firing, type Recorded } from "./EventsSql.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";
import type { ReportBatch, Sighting } from "./EventBatch.ts";
import { firingSpan } from "./Transition.ts";

/** What an event set off: one message for its device, before the frequency caps. */
interface Shot {
  readonly sighting: Sighting;
  readonly firing: Firing;
  readonly due: DueDelivery;
}

/** How enters and exits are written, whoever noticed them: they are counted, move their devices, and campaigns fire. */
export class Sightings extends Context.Service<Sightings>()("waypost/events/Sightings", {
  make: Effect.gen(function* () {
    const repository = yield* EventsSql;
    const deliveries = yield* Deliveries;
    const { media: mediaBase } = yield* PublicAddresses;

    const shotsOf = (sighting: Sighting, { address_gone, approved, transport }: Recorded): Array<Shot> => {
      const reachable = !address_gone && (approved || sighting.environment === "production");
      if (!reachable) return [];
      return sighting.firings
        .filter((firing) => canFire(firing, sighting))
        .map((firing) => ({ sighting, firing, due: dueDelivery(firing, sighting, transport) }));
    };

    return {
      /** Looks up where the events of a batch happened, and what can fire there. */
      place: Effect.fnUntraced(function* (batch: ReportBatch) {
        const places = batch.places;
        if (places.length > 0) batch.settle(yield* repository.places(places, batch.span(firingSpan)));
      }),

      /** Stores what is new and makes the deliveries that it fires, in the transaction at hand. */
      write: Effect.fnUntraced(function* (toStore: ReadonlyArray<Sighting>) {
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
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Sightings, Sightings.make).pipe(Layer.provide(EventsSql.layer));
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
