import { Effect } from "effect";
import { callerData } from "../../../access/Caller.ts";
import { PlatformApi } from "../../../PlatformApi.ts";
import { handlerGroup } from "../../../wire/HandlerGroup.ts";
import { NextOccurrences } from "./NextOccurrences.ts";

/** Handlers of `OccurrencesApi`. */
export const occurrencesHandlers = handlerGroup(
  PlatformApi,
  "occurrences",
  Effect.fnUntraced(function* (handlers) {
    const occurrences = yield* NextOccurrences;
    return handlers.handle("list", ({ params, query: { limit = 10 } }) =>
      Effect.map(
        callerData((caller) => occurrences.list(caller, params.campaign, limit)),
        ({ data }) => ({ data, meta: { next_cursor: null } }),
      ),
    );
  }),
);
