import { Effect } from "effect";
import { Caller } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { LocationGroups } from "./LocationGroups.ts";

/** Handlers of `LocationGroupsApi`. */
export const locationGroupsHandlers = handlerGroup(
  PlatformApi,
  "locationGroups",
  Effect.fnUntraced(function* (handlers) {
    const groups = yield* LocationGroups;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) => {
          const name = query.name ?? null;
          const owner = `${caller.workspaceId}/${caller.environment}`;
          const scope = { endpoint: "GET /location-groups", owner, filters: { name } };
          return cursors.page(scope, query, (position) => groups.page(caller, name, position));
        }),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* groups.find(yield* Caller, params.locationGroup) };
        }),
      );
  }),
);
