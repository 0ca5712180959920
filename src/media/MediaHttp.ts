import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { MediaLibrary } from "./MediaLibrary.ts";

/** The handlers of `MediaApi`. */
export const mediaHandlers = HttpApiBuilder.group(
  PlatformApi,
  "media",
  Effect.fnUntraced(function* (handlers) {
    const library = yield* MediaLibrary;
    const cursors = yield* Cursors;
    const data = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(effect, (data) => ({ data }));

    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) => {
          const kind = query.type ?? null;
          const owner = `${caller.workspaceId}/${caller.environment}`;
          return cursors.page({ endpoint: "GET /media", owner, filters: { type: kind } }, query, (position) =>
            library.page(caller, kind, position),
          );
        }),
      )
      .handleRaw("upload", (input) =>
        Effect.flatMap(Caller, (caller) => library.upload(caller, input)).pipe(data),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(Caller, (caller) => library.find(caller, params.media)).pipe(data),
      )
      .handle("delete", ({ params }) =>
        Effect.flatMap(Caller, (caller) => library.delete(caller, params.media)).pipe(data),
      );
  }),
);
