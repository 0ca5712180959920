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
  event: shownId(
    "Id of the event, as its call and the attempts show it.",
    "3f9a1c52-7be0-8d41-a6c3-5e2f90d1b874",
  ),
};

/** The endpoints of webhooks, which receive the events of an environment. `WebhooksHttp` handles them. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      query: PageQuery,
      success: PageOf(Webhook),
      error: [Unprocessable],
    })
      .annotate(Needs, "webhooks:read")
      .annotate(OpenApi.Summary, "List webhooks")
      .annotate(OpenApi.Description, "Newest first. Secrets are not shown."),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: WebhookDraft,
      success: Data(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, "Create a webhook")
      .annotate(
        OpenApi.Description,
        "The address receives the events from now on, signed by Standard Webhooks with the secret that " +
          "only this response shows. An environment has at most 20 webhooks.",
      ),
    HttpApiEndpoint.get("get", "/webhooks/:webhook", {
      params,
      success: Data(Webhook),
      error: [NotFound],
    })
      .annotate(Needs, "webhooks:read")
      .annotate(OpenApi.Summary, "Show a webhook")
      .annotate(OpenApi.Description, "The secret is not shown."),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook", {
      params,
      payload: WebhookPatch,
      success: Data(Webhook),
      error: [NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, "Update a webhook")
      .annotate(
        OpenApi.Description,
        "Replaces the whole webhook: missing optional fields are cleared. A body of `status` alone changes " +
          "the status. While a webhook is disabled, no events are recorded for it.",
      ),
    HttpApiEndpoint.delete("delete", "/webhooks/:webhook", {
      params,
      success: Deleted,
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, "Delete a webhook")
      .annotate(OpenApi.Description, "Events that wait for it are not sent."),
    HttpApiEndpoint.post("secret", "/webhooks/:webhook/secret", {
      params,
      success: Data(WebhookWithSecret),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, "Replace the secret of a webhook")
      .annotate(
        OpenApi.Description,
        "Makes a new secret, which only this response shows. The old one signs too for 24 hours.",
      ),
    HttpApiEndpoint.get("attempts", "/webhooks/:webhook/attempts", {
      params,
      query: PageQuery,
      success: PageOf(WebhookAttempt),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "webhooks:read")
      .annotate(OpenApi.Summary, "List the attempts of a webhook")
      .annotate(OpenApi.Description, "Newest first: successes of the last day, failures of a week."),
    HttpApiEndpoint.post("resend", "/webhooks/:webhook/events/:event/resend", {
      params: eventParams,
      success: Data(ResentEvent).pipe(HttpApiSchema.status(202)),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, "Send an event again")
      .annotate(
        OpenApi.Description,
        "The event is sent with the same ids as before; of a batch, in a batch of one. Events that were " +
          "delivered can be sent again for a day, those that failed for a week.",
      ),
    HttpApiEndpoint.post("test", "/webhooks/:webhook/test", {
      params,
      success: Data(WebhookTestResult),
      error: [NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "webhooks:write")
      .annotate(OpenApi.Summary, "Test a webhook")
      .annotate(
        OpenApi.Description,
        "Sends a `webhook.test` event now and responds with what the receiver answered, within 15 seconds.",
      ),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(
    OpenApi.Description,
    "A webhook sends the events of an environment to an address, at least once each. Calls follow Standard " +
      "Webhooks.",
  ) {}
