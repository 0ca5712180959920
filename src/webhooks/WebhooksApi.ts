import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { bodyErrors, Forbidden, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { shownId } from "../wire/ShownFields.ts";
import {
  ResentEvent,
  Webhook,
  WebhookAttempt,
  WebhookDraft,
  WebhookPatch,
  WebhookTestResult,
  WebhookWithSecret,
} from "./Webhook.ts";

const params = { webhook: shownId("Id of the webhook.", "01980a6c-5d21-7b3e-9a41-3f1f5d7a2b80") };
const eventParams = {
  ...params,
  event: Schema.String.annotate({
    description: "Id of the event, as its call and the attempts show it.",
    format: "uuid",
    examples: ["3f9a1c52-7be0-8d41-a6c3-5e2f90d1b874"],
  }),
};

/** The sentences of the endpoints, which the operator interface has too. */
export const webhookTexts = {
  list: ["List webhooks", "Newest first. Secrets are not shown."],
  create: [
    "Create a webhook",
    "The address receives the events from now on, signed by Standard Webhooks with the secret that only " +
      "this response shows. An environment has at most 20 webhooks.",
  ],
  get: ["Show a webhook", "The secret is not shown."],
  update: [
    "Update a webhook",
    "Replaces the whole webhook: missing optional fields are cleared. A body of `status` alone changes the " +
      "status. While a webhook is disabled, no events are recorded for it.",
  ],
  delete: ["Delete a webhook", "Events that wait for it are not sent."],
  secret: [
    "Replace the secret of a webhook",
    "Makes a new secret, which only this response shows. The old one signs too for 24 hours.",
  ],
  attempts: [
    "List the attempts of a webhook",
    "Newest first: successes of the last day, failures of a week.",
  ],
  resend: [
    "Send an event again",
    "The event is sent with the same ids as before; of a batch, in a batch of one. Events that were " +
      "delivered can be sent again for a day, those that failed for a week.",
  ],
  test: [
    "Test a webhook",
    "Sends a `webhook.test` event now and responds with what the receiver answered, within 15 seconds.",
  ],
} as const;

/** The endpoints of webhooks, which receive the events of an environment. `WebhooksHttp` handles them. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      query: PageQuery,
      success: PageOf(Webhook),
      error: [Unprocessable],
    })
      .annotate(Needs, "webhooks:read")
      .annotate(OpenApi.Summary, webhookTexts.list[0])
      .annotate(OpenApi.Description, webhookTexts.list[1]),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: WebhookDraft,
      success: Data(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, webhookTexts.create[0])
      .annotate(OpenApi.Description, webhookTexts.create[1]),
    HttpApiEndpoint.get("get", "/webhooks/:webhook", {
      params,
      success: Data(Webhook),
      error: [NotFound],
    })
      .annotate(Needs, "webhooks:read")
      .annotate(OpenApi.Summary, webhookTexts.get[0])
      .annotate(OpenApi.Description, webhookTexts.get[1]),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook", {
      params,
      payload: WebhookPatch,
      success: Data(Webhook),
      error: [NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, webhookTexts.update[0])
      .annotate(OpenApi.Description, webhookTexts.update[1]),
    HttpApiEndpoint.delete("delete", "/webhooks/:webhook", {
      params,
      success: Deleted,
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, webhookTexts.delete[0])
      .annotate(OpenApi.Description, webhookTexts.delete[1]),
    HttpApiEndpoint.post("secret", "/webhooks/:webhook/secret", {
      params,
      success: Data(WebhookWithSecret),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, webhookTexts.secret[0])
      .annotate(OpenApi.Description, webhookTexts.secret[1]),
    HttpApiEndpoint.get("attempts", "/webhooks/:webhook/attempts", {
      params,
      query: PageQuery,
      success: PageOf(WebhookAttempt),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "webhooks:read")
      .annotate(OpenApi.Summary, webhookTexts.attempts[0])
      .annotate(OpenApi.Description, webhookTexts.attempts[1]),
    HttpApiEndpoint.post("resend", "/webhooks/:webhook/events/:event/resend", {
      params: eventParams,
      success: Data(ResentEvent).pipe(HttpApiSchema.status(202)),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, webhookTexts.resend[0])
      .annotate(OpenApi.Description, webhookTexts.resend[1]),
    HttpApiEndpoint.post("test", "/webhooks/:webhook/test", {
      params,
      success: Data(WebhookTestResult),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, webhookTexts.test[0])
      .annotate(OpenApi.Description, webhookTexts.test[1]),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(
    OpenApi.Description,
    "A webhook sends the events of an environment to an address, at least once each. Calls follow Standard " +
      "Webhooks.",
  ) {}
