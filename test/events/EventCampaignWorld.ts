import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { ok } from "../given/Given.ts";
import { type Answer, testStart } from "../TestWaypost.ts";
import { campaignBody, eventNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

/** A campaign of type `event` with a notification, and a device. */
export const eventCampaign = (trigger: object = {}, campaign: object = {}, content: object = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* givenWorkspace();
    const { production } = world;
    const body = campaignBody({ type: "event", ...campaign });
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
        const event = yield* eventNow(undefined, { type: "custom", name, ...more });
        return ok(yield* phone.report([event])).deliveries.map(
          ({ headline }: { headline: string }) => headline,
        ) as Array<string>;
      });
    const send = (more: object) =>
      Effect.map(
        production.platform("/events", {
          body: { events: [{ id: randomUUID(), name: "basket.filled", ...more }] },
        }),
        ok,
      );
    const change = (fields: object) => production.change(campaignId, { ...body, ...fields });
    const edit = (fields: object) => production.edit(campaignId, notificationId, { ...draft, ...fields });
    const phone = yield* production.phone();
    const messages = (device = phone) => Effect.map(device.inbox(), ({ length }) => length);
    const own = { campaignId, notificationId, phone, happen, send, change, edit, messages };
    return { ...world, ...production, ...own };
  });
