import { Context, Effect, Layer } from "effect";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import type { DueDelivery } from "../sending/Delivery.ts";
import { Deliveries } from "../sending/Deliveries.ts";
import type { Message } from "../sending/Message.ts";
import { messageId } from "../sending/MessageId.ts";
import { utcText } from "../time/LocalTime.ts";
import { EventsSql, type TriggerMatch, type Recorded } from "./EventsSql.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";
import type { EventBatch, IncomingEvent } from "./EventBatch.ts";
import { triggerSpan } from "./Transition.ts";

/** What an event set off: one message for its device, before the frequency caps. */
interface PendingDelivery {
  readonly incomingEvent: IncomingEvent;
  readonly triggerMatch: TriggerMatch;
  readonly due: DueDelivery;
}

/** How enters and exits are written, whoever noticed them: they are counted, move their devices, and campaigns fire. */
export class EventRecorder extends Context.Service<EventRecorder>()("waypost/events/EventRecorder", {
  make: Effect.gen(function* () {
    const repository = yield* EventsSql;
    const deliveries = yield* Deliveries;
    const { media: mediaBase } = yield* PublicAddresses;

    const pendingDeliveriesOf = (
      incomingEvent: IncomingEvent,
      { address_gone, approved, transport }: Recorded,
    ): Array<PendingDelivery> => {
      const reachable = !address_gone && (approved || incomingEvent.environment === "production");
      if (!reachable) return [];
      return incomingEvent.triggerMatches
        .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
        .map((triggerMatch) => ({
          incomingEvent,
          triggerMatch,
          due: dueDelivery(triggerMatch, incomingEvent, transport),
        }));
    };

    return {
      /** Looks up where the events of a batch happened, and what can fire there. */
      place: Effect.fnUntraced(function* (batch: EventBatch) {
        const places = batch.places;
        if (places.length > 0) batch.settle(yield* repository.places(places, batch.span(triggerSpan)));
      }),

      /** Stores what is new and makes the deliveries that it fires, in the transaction at hand. */
      write: Effect.fnUntraced(function* (toStore: ReadonlyArray<IncomingEvent>) {
        const pendingDeliveries: Array<PendingDelivery> = [];
        const recorded = [...(yield* repository.record(toStore))].sort((a, b) => a.ord - b.ord);
        for (const incomingEvent of toStore) incomingEvent.outcome = "ended";
        for (const row of recorded) {
          const incomingEvent = toStore[row.ord - 1];
          if (incomingEvent === undefined) continue;
          incomingEvent.outcome = row.is_new ? "accepted" : "duplicate";
          if (row.is_new) pendingDeliveries.push(...pendingDeliveriesOf(incomingEvent, row));
        }
        const made = yield* deliveries.make(pendingDeliveries.map((pendingDelivery) => pendingDelivery.due));
        return pendingDeliveries.flatMap(({ due, triggerMatch, incomingEvent }, place) => {
          const delivery = made[place];
          if (delivery === null || delivery === undefined) return [];
          return [
            {
              incomingEvent,
              message: toMessage(
                triggerMatch,
                due,
                delivery.sourceId,
                delivery.status === "delivered",
                mediaBase,
              ),
            },
          ];
        });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(EventRecorder, EventRecorder.make).pipe(
    Layer.provide(EventsSql.layer),
  );
}

const toMessage = (
  triggerMatch: TriggerMatch,
  due: DueDelivery,
  sourceId: bigint,
  isDelivered: boolean,
  mediaBase: string,
): Message => ({
  id: messageId(sourceId, due.deviceKey),
  campaign_id: triggerMatch.campaign_id,
  notification_id: triggerMatch.notification_id,
  type: triggerMatch.type,
  headline: triggerMatch.headline,
  body: triggerMatch.body,
  media: shownMedia(mediaBase, triggerMatch.media),
  cta_label: triggerMatch.cta_label,
  cta_url: triggerMatch.cta_url,
  questions: triggerMatch.questions,
  delivered_at: isDelivered ? utcText(due.now) : null,
  opened_at: null,
});
