import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { explanationPages } from "./ExplanationPages.ts";

/** Handlers of `ExplanationApi`. */
export const explanationHandlers = handlerGroup(
  PlatformApi,
  "explanations",
  Effect.fnUntraced(function* (handlers) {
    const page = yield* explanationPages;
    return handlers.handle("explain", ({ params, query }) =>
      Effect.flatMap(Caller, (caller) => page("GET /devices/explain", caller, params.device, query)),
    );
  }),
);
