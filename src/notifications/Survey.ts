import { Schema } from "effect";
import { shownId, shownText } from "../wire/ShownFields.ts";
import { atMost, inParts } from "../wire/Parts.ts";
import { flag, optionalOrNull, text, Uuid } from "../wire/Text.ts";
import { maxLengths } from "./TextLimits.ts";

const questionTypes = [
  "OPEN_ENDED",
  "SINGLE_CHOICE",
  "MULTIPLE_CHOICE",
  "RATING",
  "BOOLEAN",
  "NUMBER",
  "SLIDER",
] as const;

/** How a question is answered (contract F5). */
export const QuestionType = Schema.Literals(questionTypes).annotate({
  description:
    "How the question is answered: free text up to 2,000 characters, one or several of its choices, a " +
    "whole number 1–5 (`RATING`) or 0–100 (`SLIDER`), true or false, or any number.",
  examples: ["SINGLE_CHOICE"],
});
export type QuestionType = typeof QuestionType.Type;

/** Whether a question of this type has choices. */
export const hasChoices = (type: QuestionType): boolean =>
  type === "SINGLE_CHOICE" || type === "MULTIPLE_CHOICE";

const questionText = shownText("The question as people read it.", "How was your visit?");
const isRequired = flag("Whether the survey can be sent only with an answer to this question.", true);

/** One choice of a question. Answers name it by its id, which does not change when the survey is edited. */
const Choice = Schema.Struct({
  id: shownId("Id of the choice.", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b71"),
  text: shownText("The choice as people read it.", "Great"),
}).annotate({ identifier: "Choice" });

/** A question of a survey as it is stored and as devices see it, with the ids that answers name. */
export const Question = Schema.Struct({
  id: shownId("Id of the question.", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b70"),
  question_text: questionText,
  type: QuestionType,
  required: isRequired,
  choices: Schema.Array(Choice).annotate({
    description: "The choices of a choice question; empty for the other types.",
    examples: [[{ id: "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b71", text: "Great" }]],
  }),
}).annotate({ identifier: "Question" });
export type Question = typeof Question.Type;

/** A question in the platform API, with its choices as texts. */
export const ShownQuestion = Schema.Struct({
  id: Question.fields.id,
  question_text: questionText,
  type: QuestionType,
  required: isRequired,
  choices: Schema.Array(Schema.String).annotate({
    description: "The texts of the choices of a choice question; empty for the other types.",
    examples: [["Great", "Could be better"]],
  }),
}).annotate({ identifier: "ShownQuestion" });

/** A question without the ids of its choices. */
export const showQuestion = ({ choices, ...question }: Question): typeof ShownQuestion.Type => ({
  ...question,
  choices: choices.map((choice) => choice.text),
});

const keptId = (noun: string, example: string) =>
  Schema.optionalKey(
    Schema.NullOr(
      shownId(
        `Id of a ${noun} that the notification has already: it keeps its answers. Left out for a new one.`,
        example,
      ).pipe(Schema.decodeTo(Uuid)),
    ),
  );

const maxQuestions = 5;
/** The least choices of a choice question. */
export const minChoices = 2;
const maxChoices = 4;

/** The sentence for a survey with a wrong number of questions. */
export const questionCount = `A survey needs 1 to ${maxQuestions} questions.`;
/** The sentence for a choice question with a wrong number of choices. */
export const choiceCount = `A question of this type needs ${minChoices} to ${maxChoices} choices.`;

/** A choice on write. */
export const ChoiceDraft = Schema.Struct({
  id: keptId("choice", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b71"),
  text: text({ max: maxLengths.choice, description: "The choice as people read it.", example: "Great" }),
})
  .annotate({ identifier: "ChoiceDraft" })
  .pipe(inParts());
export type ChoiceDraft = typeof ChoiceDraft.Type;

/** A question on write. */
export const QuestionDraft = Schema.Struct({
  id: keptId("question", "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b70"),
  question_text: text({
    max: maxLengths.question_text,
    description: "The question as people read it.",
    example: "How was your visit?",
  }),
  type: QuestionType,
  required: Schema.optionalKey(Schema.NullOr(isRequired)),
  choices: optionalOrNull(
    Schema.Array(ChoiceDraft)
      .annotate({
        description: "Two to four choices of a choice question; none for the other types.",
        examples: [[{ text: "Great" }, { text: "Could be better" }]],
      })
      .check(atMost(maxChoices, choiceCount)),
  ),
}).annotate({ identifier: "QuestionDraft" });
export type QuestionDraft = typeof QuestionDraft.Type;

/** The questions of a survey on write. */
export const QuestionsDraft = Schema.Array(QuestionDraft)
  .annotate({
    description: "One to five questions of a survey; none for a message.",
    examples: [[{ question_text: "How was your visit?", type: "RATING" }]],
  })
  .check(atMost(maxQuestions, questionCount));
