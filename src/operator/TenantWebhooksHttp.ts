import { Effect } from "effect";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { readWebhook, readWebhookPatch } from "../webhooks/WebhookParsing.ts";
import { Webhooks } from "../webhooks/Webhooks.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `TenantWebhooksApi`. */
export const tenantWebhooksHandlers = handlerGroup(
  OperatorApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const webhooks = yield* Webhooks;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ params, query }) =>
        Effect.flatMap(tenants.find(params), (tenant) =>
          cursors.page({ endpoint: "GET /operator/webhooks", owner: tenant }, query, (position) =>
            webhooks.page(tenant, position),
          ),
        ),
      )
      .handleRaw("create", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readWebhook(input), (body) => webhooks.create(tenant, body)),
        ),
      )
      .handle("get", ({ params }) => tenants.data(params, (tenant) => webhooks.find(tenant, params.webhook)))
      .handleRaw("update", ({ params, ...input }) =>
        tenants.data(
          params,
          Effect.fnUntraced(function* (tenant) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            const { id } = yield* webhooks.find(tenant, params.webhook);
            return yield* webhooks.update(tenant, id, yield* readWebhookPatch(input));
          }),
        ),
      )
      .handle("delete", ({ params }) =>
        tenants.data(params, (tenant) => webhooks.delete(tenant, params.webhook)),
      )
      .handle("secret", ({ params }) =>
        tenants.data(params, (tenant) => webhooks.replaceSecret(tenant, params.webhook)),
      )
      .handle(
        "attempts",
        Effect.fnUntraced(function* ({ params, query }) {
          const tenant = yield* tenants.find(params);
          const { id } = yield* webhooks.find(tenant, params.webhook);
          const scope = {
            endpoint: "GET /operator/webhooks/attempts",
            owner: tenant,
            filters: { webhook: id },
          };
          return yield* cursors.page(scope, query, (position) => webhooks.attempts(tenant, id, position));
        }),
      )
      .handle("resend", ({ params }) =>
        tenants.data(params, (tenant) => webhooks.resend(tenant, params.webhook, params.event)),
      )
      .handle("test", ({ params }) =>
        tenants.data(params, (tenant) => webhooks.test(tenant, params.webhook)),
      );
  }),
);
