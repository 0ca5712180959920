import { Effect } from "effect";
import { DeviceApi } from "../../DeviceApi.ts";
import { DeviceCaller } from "../../devices/DeviceCaller.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { readParsedBody } from "../../wire/ParsedBody.ts";
import { AnswersDraft } from "./Answer.ts";
import { Answers } from "./Answers.ts";

/** Handlers of `AnswersApi`. */
export const answersHandlers = handlerGroup(
  DeviceApi,
  "answers",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* Answers;
    return handlers.handleRaw("answer", ({ endpoint, params, request }) =>
      Effect.gen(function* () {
        const caller = yield* DeviceCaller;
        // A missing message is reported before problems of the body (contract B1).
        const survey = yield* answers.find(caller, params.message);
        const body = yield* readParsedBody(AnswersDraft, { request, endpoint });
        return { data: yield* answers.answer(caller, survey, body) };
      }),
    );
  }),
);
