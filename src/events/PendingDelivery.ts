import { shownMedia } from "../media/MediaAddress.ts";
import { forApp } from "../notifications/push/PushOptions.ts";
import { isSameForAll, type MessageTexts } from "../notifications/templates/MessageTexts.ts";
import { hears } from "../outbox/EventType.ts";
import type { OutgoingEvent } from "../outbox/Outbox.ts";
import type { CreatedDelivery } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import type { Message } from "../sending/rendering/Message.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Recorded } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { type IncomingEvent, isTransition, type RenderedMessage } from "./IncomingEvent.ts";
import { canFire, dueDelivery } from "./TriggerRule.ts";

/** A message that an event triggers for its device, before the frequency caps. */
export interface PendingDelivery {
  readonly incomingEvent: IncomingEvent;
  readonly triggerMatch: TriggerMatch;
  readonly due: DueDelivery;
  /** The texts for the device; null if they cannot be rendered. */
  readonly texts: MessageTexts | null;
}

/** The device that gets a message of an event; null for none. */
const receiverOf = (event: IncomingEvent, triggerMatch: TriggerMatch): DeviceKey | null =>
  isTransition(event) ? event.deviceKey : (event.receivers.get(triggerMatch) ?? null);

/** The messages that a recorded event triggers; their texts are rendered. */
export const pendingDeliveriesOf = (
  incomingEvent: IncomingEvent,
  device: Recorded,
): ReadonlyArray<PendingDelivery> => {
  return incomingEvent.triggerMatches
    .filter((triggerMatch) => canFire(triggerMatch, incomingEvent))
    .flatMap((triggerMatch): ReadonlyArray<PendingDelivery> => {
      const deviceKey = receiverOf(incomingEvent, triggerMatch);
      const receiver =
        deviceKey === null || isTransition(incomingEvent) ? device : incomingEvent.recorded.get(deviceKey);
      if (deviceKey === null || receiver === undefined || receiver.obstacle !== null) return [];
      const due = dueDelivery(triggerMatch, { ...incomingEvent, deviceKey }, receiver);
      const rendered = incomingEvent.texts.get(triggerMatch);
      if (rendered === undefined) return [{ incomingEvent, triggerMatch, due, texts: triggerMatch }];
      const { recipient, result } = rendered;
      if (result._tag === "Failed")
        return [{ incomingEvent, triggerMatch, due: { ...due, failure: result.reason }, texts: null }];
      const kept = recipient.kept(triggerMatch, result.variables);
      return [{ incomingEvent, triggerMatch, due: { ...due, recipient: kept }, texts: result.texts }];
    });
};

/** The messages of an event that vary by device. Their texts are the event's, once they are rendered. */
export const varyingMessages = (incomingEvent: IncomingEvent) => {
  const varying = incomingEvent.triggerMatches.filter(
    (triggerMatch) => !isSameForAll(triggerMatch) && canFire(triggerMatch, incomingEvent),
  );
  if (varying.length === 0) return [];
  const texts = new Map<TriggerMatch, RenderedMessage>();
  incomingEvent.texts = texts;
  const { environment, locationKey, receivedAt, workspaceId } = incomingEvent;
  const event = isTransition(incomingEvent) ? null : incomingEvent.properties;
  return varying.flatMap((triggerMatch) => {
    const deviceKey = receiverOf(incomingEvent, triggerMatch);
    if (deviceKey === null) return [];
    const campaignKey = triggerMatch.campaign_key;
    const key = { workspaceId, environment, deviceKey, locationKey, campaignKey, event };
    return [{ triggerMatch, texts, recipient: null, now: receivedAt, ...key }];
  });
};

/** The event about a delivery whose outcome is known at once, if a webhook listens. */
export const deliveryEvents = (
  { due, incomingEvent }: PendingDelivery,
  delivery: CreatedDelivery | null,
): ReadonlyArray<OutgoingEvent> => {
  if (delivery?.status !== "delivered" && delivery?.status !== "failed") return [];
  const type = `message.${delivery.status}` as const;
  if (!hears(incomingEvent.webhookEvents, type)) return [];
  const { deviceKey, environment, now, workspaceId } = due;
  return [{ workspaceId, environment, type, at: now, sourceId: delivery.sourceId, deviceKey }];
};

/** The message of a created delivery, as its device gets it. */
export const toMessage = (
  id: string,
  { due, triggerMatch }: PendingDelivery,
  { body, cta_label, cta_url, headline, push, questions }: MessageTexts,
  { status }: CreatedDelivery,
  mediaBase: string,
): Message => ({
  id,
  campaign_id: triggerMatch.campaign_id,
  notification_id: triggerMatch.notification_id,
  type: triggerMatch.type,
  headline,
  body,
  media: shownMedia(mediaBase, triggerMatch.media),
  cta_label,
  cta_url,
  questions,
  ...forApp(push),
  ...(push?.silent === true && { silent: true }),
  delivered_at: status === "delivered" ? utcText(due.now) : null,
  opened_at: null,
  clicked_at: null,
});
