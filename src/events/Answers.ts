import { Clock, Context, Effect, Layer } from "effect";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { deliveryKey } from "../sending/MessageId.ts";
import { utcText } from "../time/LocalTime.ts";
import { NotFound } from "../wire/ApiError.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { SurveyResponse } from "./Answer.ts";
import { readAnswers } from "./AnswerParsing.ts";
import type { UnreadAnswers } from "./AnswersApi.ts";
import { AnswersSql, type SentSurvey } from "./AnswersSql.ts";

type Caller = DeviceCaller["Service"];

/** A message of a device, with its questions. */
export interface AnswerableMessage extends SentSurvey {
  readonly id: string;
}

/** Answers of devices to surveys. */
export class Answers extends Context.Service<Answers>()("waypost/events/Answers", {
  make: Effect.gen(function* () {
    const repository = yield* AnswersSql;
    return {
      /** A message of the device, also after its campaign has ended or was deleted. @throws 404 */
      find: Effect.fnUntraced(function* (caller: Caller, id: string) {
        const key = deliveryKey(id);
        if (key === null || key.deviceKey !== caller.deviceKey) return yield* NotFound.resource("message");
        const [sent] = yield* repository.find(caller, key.sourceId, caller.deviceKey);
        if (sent === undefined) return yield* NotFound.resource("message");
        return { ...sent, id: id.toLowerCase() } satisfies AnswerableMessage;
      }),

      /**
       * Stores the answers, replacing earlier ones to the survey of this campaign. A list that answers
       * nothing is no response and stores nothing (contract K9). @throws 422
       */
      answer: Effect.fn("Answers.answer")(function* (
        caller: Caller,
        message: AnswerableMessage,
        body: ParsedBody<UnreadAnswers>,
      ) {
        const { fields, problems } = body;
        if (message.type !== "survey") {
          problems.add("answers", "The message is no survey: there is nothing to answer.");
        }
        const answers =
          message.type === "survey" && fields.answers !== undefined
            ? readAnswers(fields.answers, message.questions, problems)
            : [];
        yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        if (answers.length > 0) yield* repository.put(caller, caller.deviceKey, message, answers, now);
        return { message_id: message.id, answers, answered_at: utcText(now) } satisfies SurveyResponse;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Answers, Answers.make).pipe(Layer.provide(AnswersSql.layer));
}
