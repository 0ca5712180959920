import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { readNotification } from "./NotificationDraft.ts";
import { Notifications } from "./Notifications.ts";

/** Handlers of `NotificationsApi`. */
export const notificationHandlers = HttpApiBuilder.group(
  PlatformApi,
  "notifications",
  Effect.fn(function* (handlers) {
    const notifications = yield* Notifications;
    const data = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(effect, (data) => ({ data }));

    return handlers
      .handle("list", ({ params }) =>
        Effect.flatMap(Caller, (caller) => notifications.list(caller, params.campaign)).pipe(
          Effect.map((all) => ({ data: all, meta: { next_cursor: null } })),
        ),
      )
      .handleRaw("create", ({ params, ...input }) =>
        Effect.flatMap(Caller, (caller) =>
          readNotification(input).pipe(
            // A campaign that is not there comes before a body that cannot be read (contract B1, 10 and 11).
            Effect.tapError(() => notifications.list(caller, params.campaign)),
            Effect.flatMap((sent) => notifications.create(caller, params.campaign, sent)),
          ),
        ).pipe(data),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(Caller, (caller) =>
          notifications.find(caller, params.campaign, params.notification),
        ).pipe(data),
      )
      .handleRaw("update", ({ params, ...input }) =>
        Effect.flatMap(Caller, (caller) =>
          readNotification(input).pipe(
            Effect.tapError(() => notifications.find(caller, params.campaign, params.notification)),
            Effect.flatMap((sent) =>
              notifications.update(caller, params.campaign, params.notification, sent),
            ),
          ),
        ).pipe(data),
      )
      .handle("delete", ({ params }) =>
        Effect.flatMap(Caller, (caller) =>
          notifications.delete(caller, params.campaign, params.notification),
        ).pipe(data),
      );
  }),
);
