/** The handlers of `WebhooksApi`: they parse the body and call the service `Webhooks`. */
import { Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { WebhookDraft, WebhookPatch } from "./Webhook.ts";
import { Webhooks } from "./Webhooks.ts";

/** Handlers of `WebhooksApi`. */
export const webhooksHandlers = handlerGroup(
  PlatformApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks;
    const cursors = yield* Cursors;

    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) =>
          cursors.page({ endpoint: "GET /webhooks", owner: caller }, query, (position) =>
            webhooks.page(caller, position),
          ),
        ),
      )
      .handleRaw("create", (input) =>
        callerData((caller) =>
          Effect.flatMap(readParsedBody(WebhookDraft, input), (body) => webhooks.create(caller, body)),
        ),
      )
      .handle("get", ({ params }) => callerData((caller) => webhooks.find(caller, params.webhook)))
      .handleRaw("update", ({ params, ...input }) =>
        callerData((caller) =>
          readParsedBody(WebhookPatch, input).pipe(
            // An unknown id is reported before a body that cannot be parsed (contract B1, 10 and 11).
            Effect.tapError(() => webhooks.find(caller, params.webhook)),
            Effect.flatMap((body) => webhooks.update(caller, params.webhook, body)),
          ),
        ),
      )
      .handle("delete", ({ params }) => callerData((caller) => webhooks.delete(caller, params.webhook)))
      .handle("secret", ({ params }) =>
        callerData((caller) => webhooks.replaceSecret(caller, params.webhook)),
      )
      .handle(
        "attempts",
        Effect.fnUntraced(function* ({ params, query }) {
          const caller = yield* Caller;
          const { id } = yield* webhooks.find(caller, params.webhook);
          const scope = { endpoint: "GET /webhooks/attempts", owner: caller, filters: { webhook: id } };
          return yield* cursors.page(scope, query, (position) => webhooks.attempts(caller, id, position));
        }),
      )
      .handle("resend", ({ params }) =>
        callerData((caller) => webhooks.resend(caller, params.webhook, params.event)),
      )
      .handle("test", ({ params }) => callerData((caller) => webhooks.test(caller, params.webhook)));
  }),
);
