import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { type Answer, testStart } from "../TestWaypost.ts";
import { eventWorld, fromNow, message } from "./EventWorld.ts";

/** A campaign of type `event` with a notification, and a device. */
export const eventCampaign = (trigger: object = {}, campaign: object = {}, content: object = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* eventWorld();
    const { production } = world;
    const body = { name: randomUUID(), type: "event", timezone: "UTC", starts_at: "2026-11-21", ...campaign };
    const campaignId = yield* production.campaign(body);
    const draft = {
      trigger_type: "on_event",
      trigger_config: { event: "basket.filled", ...trigger },
      ...content,
    };
    const notificationId = yield* production.notification(campaignId, draft);
    /** Reports an event, by default of now, and gives the headlines that it triggered. */
    const happen = (
      phone: { readonly report: (events: unknown) => Effect.Effect<Answer> },
      name = "basket.filled",
      more: object = {},
    ) =>
      Effect.gen(function* () {
        const occurred_at = yield* fromNow(0);
        const event = { id: randomUUID(), type: "custom", name, occurred_at, ...more };
        const { body } = yield* phone.report([event]);
        return body.data.deliveries.map(({ headline }: { headline: string }) => headline) as Array<string>;
      });
    const send = (more: object) =>
      Effect.map(
        production.platform("/events", {
          body: { events: [{ id: randomUUID(), name: "basket.filled", ...more }] },
        }),
        ({ body }) => body.data,
      );
    const change = (fields: object) =>
      production.platform(`/campaigns/${campaignId}`, { method: "PATCH", body: { ...body, ...fields } });
    const edit = (fields: object) =>
      production.platform(`/campaigns/${campaignId}/notifications/${notificationId}`, {
        method: "PATCH",
        body: { ...message, ...draft, ...fields },
      });
    const phone = yield* production.phone();
    const messages = (device = phone) => Effect.map(device.inbox(), ({ length }) => length);
    return {
      ...world,
      ...production,
      campaignId,
      notificationId,
      phone,
      happen,
      send,
      change,
      edit,
      messages,
    };
  });
