import { Effect } from "effect";
import { type Caller, callerData } from "../access/Caller.ts";
import { showVersion, versionTag } from "../http/ResourceVersion.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import type { Notification } from "./Notification.ts";
import { NotificationDraft } from "./NotificationDraft.ts";
import { Notifications } from "./Notifications.ts";

/** Handlers of `NotificationsApi`. */
export const notificationHandlers = handlerGroup(
  PlatformApi,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications;

    return handlers
      .handle("list", ({ params }) =>
        Effect.map(
          callerData((caller) => notifications.list(caller, params.campaign)),
          ({ data }) => ({ data, meta: { next_cursor: null } }),
        ),
      )
      .handleRaw("create", ({ params: { campaign }, ...input }) =>
        callerData((caller) =>
          readParsedBody(NotificationDraft, input).pipe(
            // An unknown campaign is reported before a body that cannot be parsed (contract B1, 10 and 11).
            Effect.tapError(() => notifications.list(caller, campaign)),
            Effect.flatMap((sent) => notifications.create(caller, campaign, sent)),
          ),
        ),
      )
      .handle("get", ({ params }) =>
        answer((caller) => notifications.find(caller, params.campaign, params.notification)),
      )
      .handleRaw("update", ({ params: { campaign, notification }, ...input }) =>
        answer((caller) =>
          readParsedBody(NotificationDraft, input).pipe(
            Effect.tapError(() => notifications.find(caller, campaign, notification)),
            Effect.flatMap((sent) => notifications.update(caller, campaign, notification, sent)),
          ),
        ),
      )
      .handle("delete", ({ params }) =>
        callerData((caller) => notifications.delete(caller, params.campaign, params.notification)),
      );
  }),
);

/** Responds with a notification and its version. */
const answer = <E, R>(handle: (caller: Caller["Service"]) => Effect.Effect<Notification, E, R>) =>
  callerData((caller) => Effect.tap(handle(caller), (found) => showVersion(versionTag(found))));
