import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../../devices/DeviceAccess.ts";
import { NotFound, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../../wire/ApiError.ts";
import { Data } from "../../wire/Envelope.ts";
import { AnswersDraft, SurveyResponse } from "./Answer.ts";

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
