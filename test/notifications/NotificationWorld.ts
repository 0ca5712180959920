import { Effect } from "effect";
import { ContentsSql } from "../../src/notifications/ContentsSql.ts";
import { NotificationId } from "../../src/wire/Ids.ts";
import { given } from "../given/Given.ts";
import { campaignWorld, geo, push } from "../campaigns/CampaignWorld.ts";

/** The required fields of a message on a geo campaign. */
export const message = (more: object = {}) => ({
  name: "Welcome",
  type: "message",
  headline: "Hello",
  body: "Come in.",
  trigger_type: "on_enter",
  ...more,
});

/** The required fields of a survey on a geo campaign. */
export const survey = (questions: ReadonlyArray<object>, more: object = {}) =>
  message({ type: "survey", questions, ...more });

/** The required fields of a message on a push campaign. */
export const sent = (sendAt: string, more: object = {}) =>
  message({ trigger_type: "fixed_time", trigger_config: { send_at: sendAt }, ...more });

/** A tenant at the start of the test, with functions that create campaigns in its Sandbox. */
export const notificationWorld = (options?: Parameters<typeof campaignWorld>[0]) =>
  Effect.gen(function* () {
    const world = yield* campaignWorld(options);
    const contents = yield* ContentsSql;
    let made = 0;
    const make = (body: object) =>
      Effect.map(given(world.sandbox).campaign(body), (id) => `/campaigns/${id}/notifications`);
    return {
      ...world,
      /** The stored questions of a notification. The platform API does not show the ids of their choices. */
      questions: (id: string) =>
        Effect.map(
          contents.find(world.tenantOf("sandbox"), NotificationId(id)),
          (content) => content?.questions ?? [],
        ),
      /** Creates a geo campaign; gives the path of its notifications. */
      geo: (more: object = {}) =>
        Effect.flatMap(world.location(), (location) =>
          make(geo([location], { name: `Geo ${++made}`, ...more })),
        ),
      /** Creates a push campaign; gives the path of its notifications. */
      push: (more: object = {}) => make(push({ name: `Push ${++made}`, ...more })),
    };
  });
