import { Effect } from "effect";
import { OccurrencePlanner } from "../../../src/campaigns/recurrence/OccurrencePlanner.ts";
import { ok } from "../../given/Given.ts";
import { campaignBody } from "../../given/GivenBodies.ts";
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
    const body = campaignBody({ name: "Newsletter", type: "push" });
    const fields = { ...body, recurrence: { rule }, ...campaign };
    const campaignId = yield* production.push(fields);
    const notificationId = yield* production.sent(campaignId, sendAt);
    const update = (changes: object) =>
      Effect.map(production.change(campaignId, { ...fields, ...changes }), ok);
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
    const own = { body, fields, campaignId, notificationId, idOf, occurrences, sends, update };
    return { ...world, ...production, ...own };
  });
