import { Effect } from "effect";
import { callerData } from "../../../access/Caller.ts";
import { PlatformApi } from "../../../PlatformApi.ts";
import { handlerGroup } from "../../../wire/HandlerGroup.ts";
import { readParsedBody } from "../../../wire/ParsedBody.ts";
import { TestSendDraft } from "./TestSend.ts";
import { TestSends } from "./TestSends.ts";

/** Handlers of `TestSendsApi`. */
export const testSendsHandlers = handlerGroup(
  PlatformApi,
  "testSends",
  Effect.fnUntraced(function* (handlers) {
    const tests = yield* TestSends;
    return handlers
      .handle("get", ({ params: { campaign, notification, test } }) =>
        callerData((caller) => tests.outcome(caller, campaign, notification, test)),
      )
      .handleRaw("send", ({ params: { campaign, notification }, ...input }) =>
        callerData(
          Effect.fnUntraced(function* (caller) {
            // An unknown notification is reported before problems of the body (contract B1, 10 and 11).
            const content = yield* tests.find(caller, campaign, notification);
            return yield* tests.send(caller, content, yield* readParsedBody(TestSendDraft, input));
          }),
        ),
      );
  }),
);
