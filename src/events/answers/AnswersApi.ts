import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../../devices/DeviceAccess.ts";
import { NotFound, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../../wire/ApiError.ts";
import { Data } from "../../wire/Envelope.ts";
import { AnswerDraft, SurveyResponse } from "./Answer.ts";

const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMaxLength(100, { message: "The answers must hold at most one for each question." }),
  );

/** Request body, as documented. */
const AnswersDraft = Schema.Struct({
  answers: listOf(AnswerDraft).annotate({
    description: "One for each answered question, in any order. Required questions must be answered.",
  }),
}).annotate({ identifier: "AnswersDraft" });

/** Request body, as it is read: each answer is read by the rules of its question. */
export const UnreadAnswers = Schema.Struct({ answers: listOf(Schema.Unknown) });
export type UnreadAnswers = typeof UnreadAnswers.Type;

/** Answers to surveys. */
export class AnswersApi extends HttpApiGroup.make("answers")
  .add(
    HttpApiEndpoint.post("answer", "/messages/:message/answers", {
      params: {
        message: Schema.String.annotate({
          description: "Id of the message, which must be a survey.",
          format: "uuid",
          examples: ["c1e07f3a-9d24-8b56-91f8-2a6d4e7b03c5"],
        }),
      },
      payload: AnswersDraft,
      success: Data(SurveyResponse),
      error: [NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Answer a survey")
      .annotate(
        OpenApi.Description,
        "Answers are validated against the questions as they were sent to the device, also after the " +
          "campaign's end. Null, an empty list and a blank text are no answer; a request without any " +
          "answer is no response and changes nothing. Answering the same survey of the same campaign " +
          "again replaces all earlier answers.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Answers")
  .annotate(OpenApi.Description, "Answers to surveys.") {}
