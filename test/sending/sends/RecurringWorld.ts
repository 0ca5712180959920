import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { OccurrencePlanner } from "../../../src/campaigns/recurrence/OccurrencePlanner.ts";
import { at, drain, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";

/** Plans the dates that are due, and starts and runs the sends that are. */
export const runAt = (time: string) =>
  Effect.gen(function* () {
    yield* at(time);
    yield* Effect.flatMap(OccurrencePlanner, ({ planDue }) => planDue);
    yield* start;
    yield* drain;
  });

/** A campaign in UTC that recurs from Saturday, 2026-11-21, 12:00 on, with a notification, in Production. */
export const recurringWorld = (rule: string, sendAt = "18:00", campaign: object = {}) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const { production } = world;
    const body = { name: "Newsletter", type: "push", timezone: "UTC", starts_at: "2026-11-21" };
    const fields = { ...body, recurrence: { rule }, ...campaign };
    const campaignId = yield* production.push(fields);
    const notificationId = yield* production.sent(campaignId, sendAt);
    const update = (changes: object) =>
      Effect.map(
        production.platform(`/campaigns/${campaignId}`, { method: "PATCH", body: { ...fields, ...changes } }),
        ({ body: { data, error }, status }) => {
          assert.strictEqual(status, 200, JSON.stringify(error));
          return data;
        },
      );
    /** Each send with its date, time and status, by date. */
    const sends = Effect.map(production.sends(), (all) =>
      all
        .map(({ due_at, occurrence, status }) => `${occurrence} ${due_at.slice(5, 16)} ${status}`)
        .toSorted(),
    );
    const idOf = (occurrence: string) =>
      Effect.map(production.sends(), (all) => all.find((send) => send.occurrence === occurrence)?.id);
    const occurrences = (query = "") =>
      Effect.map(
        production.platform(`/campaigns/${campaignId}/occurrences${query}`),
        (answer) => answer.body,
      );
    return {
      ...world,
      ...production,
      body,
      fields,
      campaignId,
      notificationId,
      idOf,
      occurrences,
      sends,
      update,
    };
  });
