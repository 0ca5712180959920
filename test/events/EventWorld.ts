import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { type Answer, type Ask, testStart } from "../TestWaypost.ts";
import { devicesOf } from "../devices/TestDevices.ts";
import { collection, pointFeature } from "../locations/Features.ts";
import { EventBounds } from "../../src/events/EventParts.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";

type Asks = (path: string, ask?: Ask) => Effect.Effect<Answer>;

/** An event as a device reports it. */
export interface ReportedEvent {
  readonly id?: string;
  readonly type?: string;
  readonly location_id?: string;
  readonly occurred_at?: string;
}

const ok = (answer: Answer): any => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
};

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

/** The instant so many milliseconds from now, as ISO text. */
export const fromNow = (millis: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => new Date(now + millis).toISOString());

/** An enter of now, or another event. */
export const eventNow = (location_id: string | undefined, event: ReportedEvent = {}) =>
  Effect.map(fromNow(0), (occurred_at) => ({
    id: randomUUID(),
    type: "enter",
    location_id,
    occurred_at,
    ...event,
  }));

/** The content of a message. */
export const message = { name: "Note", type: "message", headline: "Hello", body: "World" };

/** A workspace with helpers to make campaigns fire, through the HTTP interfaces alone. */
export const eventWorld = (options: Parameters<typeof devicesOf>[0] = {}) =>
  Effect.gen(function* () {
    const world = yield* devicesOf(options);
    const sql = yield* SqlClient.SqlClient;

    const locationIn =
      (platform: Asks) =>
      (name = "Store", group?: string) =>
        Effect.map(
          platform("/locations/import", {
            body: collection(pointFeature({ name, ...(group === undefined ? {} : { group }) })),
          }),
          (answer) => ok(answer).results[0].id as string,
        );
    const campaignIn = (platform: Asks) => (fields: object) =>
      Effect.map(
        platform("/campaigns", {
          body: {
            name: `Campaign ${randomUUID()}`,
            type: "geo",
            timezone: "UTC",
            starts_at: "2026-11-21",
            ...fields,
          },
        }),
        (answer) => ok(answer).id as string,
      );
    const notificationIn =
      (platform: Asks) =>
      (campaign: string, fields: object = {}) =>
        Effect.map(
          platform(`/campaigns/${campaign}/notifications`, {
            body: {
              ...message,
              trigger_type: "on_enter",
              ...fields,
            },
          }),
          (answer) => ok(answer).id as string,
        );
    const side = (environment: Environment) => ({
      ...world[environment],
      platform: world.platform[environment],
      location: locationIn(world.platform[environment]),
      campaign: campaignIn(world.platform[environment]),
      notification: notificationIn(world.platform[environment]),
      /** A registered and approved device. */
      phone: (installation: string = randomUUID(), body: object = {}) =>
        Effect.gen(function* () {
          const device = yield* world[environment].device(installation, body);
          const approved = sql`approved = true, approval_decided = true`;
          yield* Effect.orDie(sql`UPDATE device SET ${approved} WHERE id = ${device.id}`);
          const report = (events: unknown) => device.ask("/events", { body: { events } });
          return {
            ...device,
            report,
            /** Reports one event, by default of now, and returns the outcome. */
            sees: (type: "enter" | "exit", location_id: string, event: ReportedEvent = {}) =>
              Effect.map(
                Effect.flatMap(eventNow(location_id, { type, ...event }), (each) => report([each])),
                (answer) =>
                  ok(answer) as {
                    accepted: number;
                    duplicates: number;
                    rejected: Array<{ index: number; reasons: Array<string> }>;
                    deliveries: Array<any>;
                  },
              ),
            /** The messages of its inbox, newest first. */
            inbox: (query = "") =>
              Effect.map(device.ask(`/messages${query}`), (answer) => ok(answer) as Array<any>),
          };
        }),
    });
    return { ...world, sandbox: side("sandbox"), production: side("production") };
  });

/** One campaign with one notification at one location, in Production. */
export const oneCampaign = (
  campaign: object = {},
  notification: object = {},
  options: Parameters<typeof devicesOf>[0] = {},
) =>
  Effect.gen(function* () {
    const world = yield* eventWorld(options);
    const { production } = world;
    const location = yield* production.location();
    const campaignId = yield* production.campaign({ location_ids: [location], ...campaign });
    const notificationId = yield* production.notification(campaignId, notification);
    return { ...world, location, campaignId, notificationId, phone: yield* production.phone() };
  });

/** The same in a Waypost of its own, at the start of its time. */
export const firstCampaign: typeof oneCampaign = (...campaign) =>
  Effect.andThen(TestClock.setTime(testStart), oneCampaign(...campaign));
