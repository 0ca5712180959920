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

/** The documentation of the endpoints, which the operator interface has too. */
const webhookTexts = {
  list: OpenApi.annotations({
    summary: "List webhooks",
    description: "Newest first. Secrets are not shown.",
  }),
  create: OpenApi.annotations({
    summary: "Create a webhook",
    description:
      "The address receives the events from now on, signed by Standard Webhooks with the secret that only " +
      "this response shows. An environment has at most 20 webhooks.",
  }),
  get: OpenApi.annotations({ summary: "Show a webhook", description: "The secret is not shown." }),
  update: OpenApi.annotations({
    summary: "Update a webhook",
    description:
      "Replaces the whole webhook: missing optional fields are cleared. A body of `status` alone changes " +
      "the status. While a webhook is disabled, no events are recorded for it.",
  }),
  delete: OpenApi.annotations({
    summary: "Delete a webhook",
    description: "Events that wait for it are not sent.",
  }),
  secret: OpenApi.annotations({
    summary: "Replace the secret of a webhook",
    description: "Makes a new secret, which only this response shows. The old one signs too for 24 hours.",
  }),
  attempts: OpenApi.annotations({
    summary: "List the attempts of a webhook",
    description: "Newest first: successes of the last day, failures of a week.",
  }),
  resend: OpenApi.annotations({
    summary: "Send an event again",
    description:
      "The event is sent with the same ids as before; of a batch, in a batch of one. Events that were " +
      "delivered can be sent again for a day, those that failed for a week.",
  }),
  test: OpenApi.annotations({
    summary: "Test a webhook",
    description:
      "Sends a `webhook.test` event now and responds with what the receiver answered, within 15 seconds.",
  }),
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
      .annotateMerge(webhookTexts.list),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: WebhookDraft,
      success: Data(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotateMerge(webhookTexts.create),
    HttpApiEndpoint.get("get", "/webhooks/:webhook", {
      params,
      success: Data(Webhook),
      error: [NotFound],
    })
      .annotate(Needs, "webhooks:read")
      .annotateMerge(webhookTexts.get),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook", {
      params,
      payload: WebhookPatch,
      success: Data(Webhook),
      error: [NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotateMerge(webhookTexts.update),
    HttpApiEndpoint.delete("delete", "/webhooks/:webhook", {
      params,
      success: Deleted,
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotateMerge(webhookTexts.delete),
    HttpApiEndpoint.post("secret", "/webhooks/:webhook/secret", {
      params,
      success: Data(WebhookWithSecret),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotateMerge(webhookTexts.secret),
    HttpApiEndpoint.get("attempts", "/webhooks/:webhook/attempts", {
      params,
      query: PageQuery,
      success: PageOf(WebhookAttempt),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "webhooks:read")
      .annotateMerge(webhookTexts.attempts),
    HttpApiEndpoint.post("resend", "/webhooks/:webhook/events/:event/resend", {
      params: eventParams,
      success: Data(ResentEvent).pipe(HttpApiSchema.status(202)),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotateMerge(webhookTexts.resend),
    HttpApiEndpoint.post("test", "/webhooks/:webhook/test", {
      params,
      success: Data(WebhookTestResult),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotateMerge(webhookTexts.test),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(
    OpenApi.Description,
    "A webhook sends the events of an environment to an address, at least once each. Calls follow Standard " +
      "Webhooks.",
  ) {}
