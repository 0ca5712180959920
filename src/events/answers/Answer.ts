import { Schema } from "effect";
import { asSent } from "../../wire/Parts.ts";
import { Timestamp, Uuid } from "../../wire/Text.ts";

const questionIdText = {
  description: "Id of the question, as the message shows it.",
  examples: ["01980a6c-4c1d-7f10-9a41-3f1f5d7a2b70"],
} as const;

/** The value of an answer: a text or the id of a choice, the ids of choices, a number, or a boolean. */
export const AnswerValue = Schema.Union([
  Schema.String,
  Schema.Finite,
  Schema.Boolean,
  Schema.Array(Schema.String),
]).annotate({
  description:
    "By the question's type: a text of up to 2,000 characters (`OPEN_ENDED`), a choice by its id or exact " +
    "text (`SINGLE_CHOICE`), a list of them (`MULTIPLE_CHOICE`), a whole number 1–5 (`RATING`) or 0–100 " +
    "(`SLIDER`), any number (`NUMBER`), or true or false (`BOOLEAN`). Responses show choices by their ids.",
  examples: ["Great"],
});
/** The value of an answer. Numbers are finite. */
export type AnswerValue = typeof AnswerValue.Type;

/** The answer to one question. */
export const Answer = Schema.Struct({
  question_id: Schema.String.annotate({ ...questionIdText, format: "uuid" }),
  value: AnswerValue,
}).annotate({ identifier: "Answer" });
export type Answer = typeof Answer.Type;

/** The answer to one question in a request. Its value is read by the rules of its question. */
export const AnswerDraft = Schema.Struct({
  question_id: Uuid.annotate(questionIdText),
  value: Schema.optionalKey(asSent(Schema.NullOr(AnswerValue))),
}).annotate({ identifier: "AnswerDraft" });

/** The answers to a survey in a request. */
export const AnswersDraft = Schema.Struct({
  answers: Schema.Array(asSent(AnswerDraft))
    .check(Schema.isMaxLength(100, { message: "The answers must hold at most one for each question." }))
    .annotate({
      description: "One for each answered question, in any order. Required questions must be answered.",
    }),
}).annotate({ identifier: "AnswersDraft" });
export type AnswersDraft = typeof AnswersDraft.Type;

/** A device's current answers to a survey. */
export const SurveyResponse = Schema.Struct({
  message_id: Schema.String.annotate({
    description: "Id of the message that was answered.",
    format: "uuid",
    examples: ["c1e07f3a-9d24-8b56-91f8-2a6d4e7b03c5"],
  }),
  answers: Schema.Array(Answer).annotate({
    description: "The answers, in the order of the questions. Questions without an answer are left out.",
  }),
  answered_at: Timestamp.annotate({ description: "When these answers were given, in UTC." }),
}).annotate({ identifier: "SurveyResponse" });
export type SurveyResponse = typeof SurveyResponse.Type;
