import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { EventBounds } from "../../src/events/EventParts.ts";
import { type GivenOptions, givenWorkspace } from "../given/GivenWorkspace.ts";
import { testStart } from "../TestWaypost.ts";

/** Bounds of a request with little room: 5 messages of a transaction, 8 of an answer, and 100 ms. */
export const smallBounds = (pace: { readonly millis: number }) => {
  let now = 0;
  return {
    ...EventBounds.defaultValue(),
    messages: 5,
    answerMessages: 8,
    requestMillis: 100,
    /** Each reading takes the milliseconds of `pace`. */
    clock: () => (now += pace.millis),
  };
};

/** One campaign with one notification at one location, in Production. */
export const oneCampaign = (campaign: object = {}, notification: object = {}, options: GivenOptions = {}) =>
  Effect.gen(function* () {
    const world = yield* givenWorkspace(options);
    const { production } = world;
    const location = yield* production.location();
    const campaignId = yield* production.campaign({ location_ids: [location], ...campaign });
    const notificationId = yield* production.notification(campaignId, notification);
    return { ...world, location, campaignId, notificationId, phone: yield* production.phone() };
  });

/** The same in a Waypost of its own, at the start of its time. */
export const firstCampaign: typeof oneCampaign = (...campaign) =>
  Effect.andThen(TestClock.setTime(testStart), oneCampaign(...campaign));
