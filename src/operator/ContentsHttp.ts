import { Effect } from "effect";
import { Cursors } from "../http/Cursors.ts";
import { Contents } from "../notifications/Contents.ts";
import { readContent, readTrigger } from "../notifications/NotificationDraft.ts";
import { Notifications } from "../notifications/Notifications.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `ContentsApi`. */
export const contentsHandlers = handlerGroup(
  OperatorApi,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const contents = yield* Contents;
    const notifications = yield* Notifications;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("create", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readContent(input), (body) => contents.create(tenant, body)),
        ),
      )
      .handle("list", ({ params, query }) =>
        Effect.flatMap(tenants.find(params), (tenant) =>
          cursors.page({ endpoint: "GET /operator/notifications", owner: tenant }, query, (position) =>
            contents.page(tenant, position),
          ),
        ),
      )
      .handle("get", ({ params }) =>
        tenants.data(params, (tenant) => contents.find(tenant, params.notification)),
      )
      .handleRaw("update", ({ params, ...input }) =>
        tenants.data(
          params,
          Effect.fnUntraced(function* (tenant) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            const { id } = yield* contents.find(tenant, params.notification);
            return yield* contents.update(tenant, id, yield* readContent(input));
          }),
        ),
      )
      .handle("delete", ({ params }) =>
        tenants.data(params, (tenant) => contents.delete(tenant, params.notification)),
      )
      .handleRaw("attach", ({ params, ...input }) =>
        tenants.data(
          params,
          Effect.fnUntraced(function* (tenant) {
            const { campaign, notification } = params;
            yield* notifications.checkPair(tenant, campaign, notification);
            return yield* notifications.attach(tenant, campaign, notification, yield* readTrigger(input));
          }),
        ),
      )
      .handle("detach", ({ params }) =>
        tenants.data(params, (tenant) => notifications.detach(tenant, params.campaign, params.notification)),
      );
  }),
);
