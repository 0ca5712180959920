import { Effect } from "effect";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Sessions } from "./Sessions.ts";

/** Handlers of `SessionListApi`. */
export const sessionListHandlers = handlerGroup(
  OperatorApi,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ query }) =>
        cursors.page({ endpoint: "GET /operator/console/sessions", owner: "operator" }, query, sessions.page),
      )
      .handle("endAll", ({ query }) =>
        Effect.map(sessions.endAll(query.keep_current === "true"), (ended) => ({ data: { ended } })),
      )
      .handle("end", ({ params }) => Effect.map(sessions.endById(params.session), (data) => ({ data })));
  }),
);
