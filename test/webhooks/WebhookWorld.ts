import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { WebhookDispatcher } from "../../src/webhooks/calls/WebhookDispatcher.ts";
import { eventIds } from "../../src/webhooks/EventId.ts";
import { ok } from "../given/Given.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { testSecretKey, testStart } from "../TestWaypost.ts";
import { testReceiver } from "./TestReceiver.ts";

/** Waits until all due calls have been made and their results stored. */
export const called = Effect.flatMap(WebhookDispatcher, ({ caughtUp }) => caughtUp);

/** Moves the time ahead and makes the calls that are due then. */
export const calledAfter = (millis: number) => Effect.andThen(TestClock.adjust(millis), called);

const { keyOf } = eventIds(testSecretKey);

/** Events in the order in which they were recorded; they arrive in any. */
export const asRecorded = <Event extends { readonly id: string }>(events: ReadonlyArray<Event>) =>
  events.toSorted((a, b) => {
    const [first, second] = [keyOf(a.id), keyOf(b.id)];
    if (first === null || second === null) throw new Error("The id of an event holds no key");
    return Number(first.recording - second.recording) || first.index - second.index;
  });

/** A workspace with a receiver, and helpers to make webhooks in Production. */
export const webhookWorld = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const world = yield* sendWorld();
  const receiver = yield* testReceiver;
  const sql = yield* SqlClient.SqlClient;
  const { production } = world;
  const platform = production.platform;
  const make = (body: object = {}) =>
    Effect.map(
      platform("/webhooks", { body: { url: receiver.url, events: ["*"], ...body } }),
      (answer): { id: string; secret: string } => ok(answer),
    );
  /** A campaign at a location with one message, and a phone. */
  const geo = (fields: object = {}) =>
    Effect.gen(function* () {
      const location = yield* production.location();
      const campaign = yield* production.campaign({ location_ids: [location] });
      const notification = yield* production.notification(campaign, fields);
      return { location, campaign, notification, phone: yield* production.phone() };
    });
  return {
    ...world,
    platform,
    receiver,
    make,
    geo,
    attempts: (id: string) =>
      Effect.map(platform(`/webhooks/${id}/attempts?limit=100`), ({ body }) => body.data as Array<any>),
    show: (id: string) => Effect.map(platform(`/webhooks/${id}`), ({ body }) => body.data),
    /** The recordings and calls that wait. */
    waiting: Effect.orDie(
      Effect.map(
        sql<{ readonly events: number; readonly calls: number }>`
          SELECT (SELECT count(*)::int FROM webhook_event WHERE workspace_id = ${production.workspaceId}
              AND called < size) AS events,
            (SELECT count(*)::int FROM webhook_call WHERE workspace_id = ${production.workspaceId}
              AND given_up_at IS NULL) AS calls`,
        ([row]) => row,
      ),
    ),
  };
});
