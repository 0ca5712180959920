/** Results of a survey on a campaign (contract M3), and the answers to it (contract M4). */
import { Schema } from "effect";
import { AnswerValue } from "../../events/answers/Answer.ts";
import { Question, QuestionType } from "../../notifications/Survey.ts";
import { shownId, shownInstant, shownInteger, shownText } from "../../wire/ShownFields.ts";

const figure = (description: string, example: number) =>
  Schema.optionalKey(Schema.NullOr(Schema.Finite).annotate({ description, examples: [example] }));

const count = (description: string, example: number) =>
  Schema.optionalKey(shownInteger(description, example));

const ChoiceResult = Schema.Struct({
  id: shownId("Id of the choice.", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b71"),
  text: shownText("The choice as people read it.", "Great"),
  count: shownInteger("Responses that chose it.", 21),
  share: Schema.Finite.annotate({
    description: "Responses that chose it per 100 that answered the question, to one decimal.",
    examples: [52.5],
  }),
}).annotate({ identifier: "ChoiceResult" });

const RatingCount = Schema.Struct({
  value: shownInteger("The rating, 1 to 5.", 5),
  count: shownInteger("Responses that gave it.", 18),
}).annotate({ identifier: "RatingCount" });

/** The figures of one question, by its type. */
export const QuestionResult = Schema.Struct({
  id: Question.fields.id,
  question_text: Question.fields.question_text,
  type: QuestionType,
  answered: shownInteger("Responses that answered the question as it is now.", 40),
  choices: Schema.optionalKey(
    Schema.Array(ChoiceResult).annotate({
      description: "Of a choice question: its choices, in the survey's order.",
    }),
  ),
  mean: figure("Of `RATING`, `SLIDER` and `NUMBER`: the mean, to two decimals; null for no answer.", 4.25),
  distribution: Schema.optionalKey(
    Schema.Array(RatingCount).annotate({ description: "Of `RATING`: responses of each rating, 1 to 5." }),
  ),
  median: figure("Of `SLIDER` and `NUMBER`: the median, to two decimals; null for no answer.", 4.5),
  min: figure("Of `SLIDER` and `NUMBER`: the lowest answer; null for no answer.", 1),
  max: figure("Of `SLIDER` and `NUMBER`: the highest answer; null for no answer.", 5),
  true_count: count("Of `BOOLEAN`: responses that say true.", 30),
  false_count: count("Of `BOOLEAN`: responses that say false.", 10),
}).annotate({ identifier: "QuestionResult" });
export type QuestionResult = typeof QuestionResult.Type;

/** The results of a survey on a campaign. */
export const SurveyResult = Schema.Struct({
  responses: shownInteger("Devices whose first answer to the survey on this campaign is in the range.", 42),
  questions: Schema.Array(QuestionResult).annotate({
    description: "The questions that the survey asks now, in order.",
  }),
}).annotate({ identifier: "SurveyResult" });
export type SurveyResult = typeof SurveyResult.Type;

/** An answer to a question that the survey asks now, with texts for choices. */
const ShownAnswer = Schema.Struct({
  question_id: Question.fields.id,
  value: Schema.NullOr(AnswerValue),
}).annotate({ identifier: "ShownAnswer" });
/** One answer of a response. */
export type ShownAnswer = typeof ShownAnswer.Type;

/** One response to a survey on a campaign: the latest answers of a device. */
export const ShownResponse = Schema.Struct({
  id: shownId("Id of the response.", "00000007-0000-8000-a003-000000000009"),
  device_id: shownId("The device that answered.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64"),
  answered_at: shownInstant("When these answers were given, in UTC.", "2026-11-21T09:35:00+00:00"),
  first_answered_at: shownInstant(
    "When the device first answered the survey on this campaign, in UTC; reports date it by this.",
    "2026-11-21T09:31:30+00:00",
  ),
  answers: Schema.Array(ShownAnswer).annotate({
    description:
      "The answers to questions that the survey asks now, in its order. A choice is its text, of " +
      "`MULTIPLE_CHOICE` a list of texts; choices that were removed since are left out.",
  }),
}).annotate({ identifier: "ShownResponse" });
export type ShownResponse = typeof ShownResponse.Type;
