import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { CsvExports } from "../../http/csv/CsvExports.ts";
import { wantsCsv } from "../../http/csv/CsvParameters.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { readParsedBody } from "../../wire/ParsedBody.ts";
import { exactText } from "../../wire/SearchText.ts";
import { CustomEvents } from "./CustomEvents.ts";
import { CustomEventsBody } from "./CustomEventsApi.ts";
import { EventSummaries } from "./EventSummaries.ts";

/** Handlers of `CustomEventsApi`. */
export const customEventsHandlers = handlerGroup(
  PlatformApi,
  "customEvents",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* CustomEvents;
    const summaries = yield* EventSummaries;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers
      .handleRaw("report", ({ endpoint, request }) =>
        Effect.gen(function* () {
          const body = yield* readParsedBody(CustomEventsBody, { request, endpoint });
          return { data: yield* events.report(yield* Caller, body) };
        }),
      )
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const caller = yield* Caller;
          const { device_id, name } = query;
          const filters = { device_id, name, user_id: exactText(query.user_id) };
          if (yield* wantsCsv)
            return yield* exports.send(caller.workspaceId, yield* events.file(caller, filters));
          const scope = { endpoint: "GET /events", owner: caller, filters };
          const { data, meta } = yield* cursors.page(scope, query, (position) =>
            events.page(caller, position, filters),
          );
          return { data: data.map(({ event }) => event), meta };
        }),
      )
      .handle("names", ({ query: { days = 14, name } }) =>
        Effect.flatMap(Caller, (caller) => summaries.names(caller, { days, name })),
      )
      .handle("properties", ({ query }) =>
        Effect.flatMap(Caller, (caller) => summaries.properties(caller, query.name)),
      );
  }),
);
