import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import type { DeviceCaller } from "../../devices/DeviceCaller.ts";
import { hears } from "../../outbox/EventType.ts";
import { Outbox } from "../../outbox/Outbox.ts";
import { questionsInLanguages } from "../../notifications/templates/MessageTexts.ts";
import { MessageIds } from "../../sending/deliveries/MessageId.ts";
import { utcText } from "../../time/LocalTime.ts";
import { NotFound } from "../../wire/ApiError.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type { Answer, AnswersDraft, SurveyResponse } from "./Answer.ts";
import { readAnswers } from "./AnswerParsing.ts";
import { AnswersSql, type SentSurvey } from "./AnswersSql.ts";
import { ResponseIds } from "../ResponseId.ts";

type Caller = DeviceCaller["Service"];

/** A message of a device, with its questions. */
export interface AnswerableMessage extends SentSurvey {
  readonly id: string;
  readonly sourceId: bigint;
}

/** Answers of devices to surveys. */
export class Answers extends Context.Service<Answers>()("waypost/events/Answers", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const outbox = yield* Outbox;
    const repository = yield* AnswersSql;
    const ids = yield* MessageIds;
    const responses = yield* ResponseIds;

    /** Records `survey.answered`: the response as its list shows it, with choices by their texts. */
    const record = Effect.fnUntraced(function* (
      caller: Caller,
      message: AnswerableMessage,
      answers: ReadonlyArray<Answer>,
      at: number,
    ) {
      const { environment, workspaceId } = caller;
      const { first_answered_at, ...facts } = yield* repository.facts(caller, caller.deviceKey, message);
      const data = {
        id: responses.idOf({
          notificationKey: message.notification_key,
          campaignKey: message.campaign_key,
          deviceKey: caller.deviceKey,
        }),
        device_id: caller.deviceId,
        message_id: message.id,
        ...facts,
        answered_at: utcText(at),
        first_answered_at,
        answers: withTexts(answers, message.questions),
      };
      yield* outbox.record([{ workspaceId, environment, type: "survey.answered", at, data }]);
    });
    return {
      /** A message of the device, also after its campaign has ended or was deleted. @throws 404 */
      find: Effect.fn("Answers.find")(function* (caller: Caller, id: string) {
        const key = ids.keyOf(id);
        if (key === null || key.deviceKey !== caller.deviceKey) return yield* NotFound.resource("message");
        const [sent] = yield* repository.find(caller, key.sourceId, caller.deviceKey);
        if (sent === undefined) return yield* NotFound.resource("message");
        return { ...sent, id: id.toLowerCase(), sourceId: key.sourceId } satisfies AnswerableMessage;
      }),

      /**
       * Stores the answers, replacing earlier ones to the survey of this campaign. A list that answers
       * nothing is no response and stores nothing (contract K9). @throws 422
       */
      answer: Effect.fn("Answers.answer")(function* (
        caller: Caller,
        message: AnswerableMessage,
        body: ParsedBody<AnswersDraft>,
      ) {
        const { fields, problems } = body;
        if (message.type !== "survey") {
          problems.add("answers", "The message is no survey: there is nothing to answer.");
        }
        const answers =
          message.type === "survey" && fields.answers !== undefined
            ? readAnswers(
                fields.answers,
                message.questions,
                problems,
                questionsInLanguages(message, message.locale),
              )
            : [];
        yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const response = { message_id: message.id, answers, answered_at: utcText(now) };
        // Answers that answer nothing are no response, and leave an earlier one as it is (contract K9).
        if (answers.length === 0) return response satisfies SurveyResponse;
        if (message.test) {
          const key = { sourceId: message.sourceId, deviceKey: caller.deviceKey };
          yield* repository.putTest(caller, key, message.content_key, answers, now);
          return response satisfies SurveyResponse;
        }
        const put = Effect.repeat(repository.put(caller, caller.deviceKey, message, answers, now), {
          until: (isStored) => isStored,
        });
        yield* hears(caller.webhookEvents, "survey.answered")
          ? database.atomically(Effect.andThen(put, record(caller, message, answers, now)))
          : put;
        return response satisfies SurveyResponse;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Answers, Answers.make).pipe(
    Layer.provide([AnswersSql.layer, MessageIds.layer, ResponseIds.layer]),
  );
}

/** Answers with the texts of choices instead of their ids. */
const withTexts = (
  answers: ReadonlyArray<Answer>,
  questions: SentSurvey["questions"],
): ReadonlyArray<Answer> => {
  const texts = new Map(
    questions.flatMap(({ choices }) => choices.map(({ id, text }) => [id, text] as const)),
  );
  const textOf = (id: string): string => texts.get(id) ?? id;
  const choiceTypes = new Set(["SINGLE_CHOICE", "MULTIPLE_CHOICE"]);
  const choosing = new Set(questions.filter(({ type }) => choiceTypes.has(type)).map(({ id }) => id));
  return answers.map(({ question_id, value }) => {
    if (!choosing.has(question_id)) return { question_id, value };
    if (typeof value === "string") return { question_id, value: textOf(value) };
    return { question_id, value: Array.isArray(value) ? value.map(textOf) : value };
  });
};
