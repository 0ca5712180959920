import { Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { searchPattern } from "../wire/SearchText.ts";
import { MediaLibrary } from "./MediaLibrary.ts";

/** The handlers of `MediaApi`. */
export const mediaHandlers = handlerGroup(
  PlatformApi,
  "media",
  Effect.fnUntraced(function* (handlers) {
    const library = yield* MediaLibrary;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) => {
          const kind = query.type ?? null;
          const search = searchPattern(query.q);
          const scope = { endpoint: "GET /media", owner: caller, filters: { type: kind, search } };
          return cursors.page(scope, query, (position) => library.page(caller, { kind, search }, position));
        }),
      )
      .handleRaw("upload", (input) => callerData((caller) => library.upload(caller, input)))
      .handle("get", ({ params }) => callerData((caller) => library.find(caller, params.media)))
      .handle("delete", ({ params }) => callerData((caller) => library.delete(caller, params.media)));
  }),
);
