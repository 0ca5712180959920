import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Cursors } from "../http/Cursors.ts";
import { Contents } from "../notifications/Contents.ts";
import { readContent, readTrigger } from "../notifications/NotificationDraft.ts";
import { Notifications } from "../notifications/Notifications.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `ContentsApi`. */
export const contentsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const contents = yield* Contents;
    const notifications = yield* Notifications;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("create", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          return { data: yield* contents.create(tenant, yield* readContent({ request, endpoint })) };
        }),
      )
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const owner = `${tenant.workspaceId}/${tenant.environment}`;
          const scope = { endpoint: "GET /operator/notifications", owner };
          return yield* cursors.page(scope, query, (position) => contents.page(tenant, position));
        }),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* contents.find(yield* tenants.find(params), params.notification) };
        }),
      )
      .handleRaw("update", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          // What is not there is told before anything about the body (contract B1, 10 and 11).
          const { id } = yield* contents.find(tenant, params.notification);
          return { data: yield* contents.update(tenant, id, yield* readContent({ request, endpoint })) };
        }),
      )
      .handle("delete", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* contents.delete(yield* tenants.find(params), params.notification) };
        }),
      )
      .handleRaw("attach", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const { campaign, notification } = params;
          yield* notifications.checkPair(tenant, campaign, notification);
          const trigger = yield* readTrigger({ request, endpoint });
          return { data: yield* notifications.attach(tenant, campaign, notification, trigger) };
        }),
      )
      .handle("detach", ({ params }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          return { data: yield* notifications.detach(tenant, params.campaign, params.notification) };
        }),
      );
  }),
);
