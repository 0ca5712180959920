import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { testStart } from "../TestWaypost.ts";
import { oneCampaign } from "./EventWorld.ts";

const choices = ["Bread", "Cheese", "Fish"].map((text) => ({ text }));

/** A question of a type; its choices are Bread, Cheese and Fish. */
export const question = (type: string, more: object = {}) => ({
  question_text: `${type}?`,
  type,
  ...(type.endsWith("CHOICE") ? { choices } : {}),
  ...more,
});

/**
 * A survey with these questions that a phone has received. `answer` sends values in the order of its
 * questions.
 */
export const answering = (questions: ReadonlyArray<object>, campaign: object = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* oneCampaign(campaign, { type: "survey", questions });
    const [message] = (yield* world.phone.sees("enter", world.location)).deliveries;
    const id = (at: number): string => message.questions[at].id;
    const send = (body: unknown, of = world.phone, to: string = message.id) =>
      of.ask(`/messages/${to}/answers`, { body });
    return {
      ...world,
      message,
      id,
      send,
      answer: (values: Readonly<Record<number, unknown>>) =>
        send({
          answers: Object.entries(values).map(([at, value]) => ({ question_id: id(Number(at)), value })),
        }),
      stored: Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        return yield* sql<{ answers: Array<any>; first: Date; last: Date }>`
          SELECT answers, first_answered_at AS first, answered_at AS last FROM survey_response
          WHERE workspace_id = ${world.production.workspaceId} ORDER BY device_key, campaign_key`;
      }).pipe(Effect.orDie),
    };
  });

/** The fields with problems in a response. */
export const fieldsOf = (body: any): ReadonlyArray<string> => Object.keys(body.error?.fields ?? {});
