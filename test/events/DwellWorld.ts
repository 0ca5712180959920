import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { Dwells } from "../../src/events/Dwells.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { oneCampaign } from "./EventWorld.ts";

/** A Waypost without jobs: the test decides the dwells itself. */
export const withoutJobs = TestWaypost.layerWith({ roles: new Set(["api"]) });

/** Decides the dwells that are due now. */
export const decide = Effect.flatMap(Dwells, ({ runDue }) => runDue);

/** Lets minutes pass, and decides the dwells that are due then. */
export const after = (minutes: number) => Effect.andThen(TestClock.adjust(`${minutes} minutes`), decide);

/** The trigger of an on_dwell notification. */
export const dwelling = (minutes: number, more: object = {}) => ({
  trigger_type: "on_dwell",
  trigger_config: { minutes, ...more },
});

/** A campaign whose notification fires after ten minutes at its location, in Production. */
export const dwellWorld = (campaign: object = {}, notification: object = dwelling(10)) =>
  Effect.gen(function* () {
    const world = yield* oneCampaign(campaign, notification);
    const { campaignId, location, notificationId, phone, production } = world;
    /** How many messages the device has got. */
    const messages = Effect.map(phone.inbox(), ({ length }) => length);
    const change = (fields: object) => production.change(campaignId, { location_ids: [location], ...fields });
    const edit = (fields: object) =>
      production.edit(campaignId, notificationId, { ...notification, ...fields });
    return { ...world, messages, edit, change };
  });

/** The time of an event, in minutes from now. */
export const minutesFromNow = (minutes: number) =>
  Effect.map(fromNow(minutes * 60_000), (occurred_at) => ({ occurred_at }));
