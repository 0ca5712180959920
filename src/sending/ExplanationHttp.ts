import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { explanationPages } from "./ExplanationPages.ts";

/** Handlers of `ExplanationApi`. */
export const explanationHandlers = HttpApiBuilder.group(
  PlatformApi,
  "explanations",
  Effect.fnUntraced(function* (handlers) {
    const page = yield* explanationPages;
    return handlers.handle("explain", ({ params, query }) =>
      Effect.flatMap(Caller, (caller) => page("GET /devices/explain", caller, params.device, query)),
    );
  }),
);
