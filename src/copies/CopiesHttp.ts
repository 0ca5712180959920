import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Copies } from "./Copies.ts";
import { CopyDraft } from "./CopiesApi.ts";

/** Handlers of `CopiesApi`. */
export const copiesHandlers = handlerGroup(
  PlatformApi,
  "copies",
  Effect.fnUntraced(function* (handlers) {
    const copies = yield* Copies;
    return handlers.handleRaw(
      "copy",
      Effect.fnUntraced(function* ({ params, query, ...input }) {
        const caller = yield* Caller;
        const body = yield* readParsedBody(CopyDraft, input).pipe(
          // An unknown id is reported before a body that cannot be parsed (contract B1, 10 and 11).
          Effect.tapError(() => copies.find(caller, params.campaign)),
        );
        const isDryRun = query.dry_run === "1" || query.dry_run === "true";
        const copy = yield* copies[isDryRun ? "plan" : "copy"](caller, params.campaign, body);
        return HttpServerResponse.jsonUnsafe(copy, { status: isDryRun ? 200 : 201 });
      }),
    );
  }),
);
