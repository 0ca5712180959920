import { Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { showVersion, versionTag } from "../http/ResourceVersion.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Contents } from "./Contents.ts";
import type { Content } from "./Notification.ts";
import { ContentDraft } from "./NotificationDraft.ts";
import { Notifications } from "./Notifications.ts";
import { TriggerDraft } from "./TriggerDraft.ts";

/** Handlers of `ContentsApi`. */
export const contentsHandlers = handlerGroup(
  PlatformApi,
  "contents",
  Effect.fnUntraced(function* (handlers) {
    const contents = yield* Contents;
    const notifications = yield* Notifications;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("create", (input) =>
        callerData((caller) =>
          Effect.flatMap(readParsedBody(ContentDraft, input), (body) => contents.create(caller, body)),
        ),
      )
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) =>
          cursors.page({ endpoint: "GET /notifications", owner: caller, isLarge: true }, query, (position) =>
            contents.page(caller, position),
          ),
        ),
      )
      .handle("get", ({ params }) => versioned((caller) => contents.find(caller, params.notification)))
      .handleRaw("update", ({ params, ...input }) =>
        versioned(
          Effect.fnUntraced(function* (caller) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            const { id } = yield* contents.find(caller, params.notification);
            return yield* contents.update(caller, id, yield* readParsedBody(ContentDraft, input));
          }),
        ),
      )
      .handle("delete", ({ params }) => callerData((caller) => contents.delete(caller, params.notification)))
      .handleRaw("attach", ({ params: { campaign, notification }, ...input }) =>
        callerData(
          Effect.fnUntraced(function* (caller) {
            yield* notifications.checkPair(caller, campaign, notification);
            return yield* notifications.attach(
              caller,
              campaign,
              notification,
              yield* readParsedBody(TriggerDraft, input),
            );
          }),
        ),
      )
      .handle("detach", ({ params }) =>
        callerData((caller) => notifications.detach(caller, params.campaign, params.notification)),
      );
  }),
);

/** Responds with a content and its version. */
const versioned = <E, R>(handle: (caller: Caller["Service"]) => Effect.Effect<Content, E, R>) =>
  callerData((caller) => Effect.tap(handle(caller), (found) => showVersion(versionTag(found))));
