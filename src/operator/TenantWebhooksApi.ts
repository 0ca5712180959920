import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import {
  ResentEvent,
  Webhook,
  WebhookAttempt,
  WebhookDraft,
  WebhookPatch,
  WebhookTestResult,
  WebhookWithSecret,
} from "../webhooks/Webhook.ts";
import { webhookTexts } from "../webhooks/WebhooksApi.ts";
import { bodyErrors, Forbidden, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

const params = { ...environmentPath, webhook: idInPath("webhook") };

/** The endpoints of webhooks, as on the platform API. */
export class TenantWebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/webhooks", {
      params: environmentPath,
      query: PageQuery,
      success: PageOf(Webhook),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, webhookTexts.list[0])
      .annotate(OpenApi.Description, webhookTexts.list[1]),
    HttpApiEndpoint.post("create", "/workspaces/:workspace/:env/webhooks", {
      params: environmentPath,
      payload: WebhookDraft,
      success: Data(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, webhookTexts.create[0])
      .annotate(OpenApi.Description, webhookTexts.create[1]),
    HttpApiEndpoint.get("get", "/workspaces/:workspace/:env/webhooks/:webhook", {
      params,
      success: Data(Webhook),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, webhookTexts.get[0])
      .annotate(OpenApi.Description, webhookTexts.get[1]),
    HttpApiEndpoint.patch("update", "/workspaces/:workspace/:env/webhooks/:webhook", {
      params,
      payload: WebhookPatch,
      success: Data(Webhook),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, webhookTexts.update[0])
      .annotate(OpenApi.Description, webhookTexts.update[1]),
    HttpApiEndpoint.delete("delete", "/workspaces/:workspace/:env/webhooks/:webhook", {
      params,
      success: Deleted,
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, webhookTexts.delete[0])
      .annotate(OpenApi.Description, webhookTexts.delete[1]),
    HttpApiEndpoint.post("secret", "/workspaces/:workspace/:env/webhooks/:webhook/secret", {
      params,
      success: Data(WebhookWithSecret),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, webhookTexts.secret[0])
      .annotate(OpenApi.Description, webhookTexts.secret[1]),
    HttpApiEndpoint.get("attempts", "/workspaces/:workspace/:env/webhooks/:webhook/attempts", {
      params,
      query: PageQuery,
      success: PageOf(WebhookAttempt),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, webhookTexts.attempts[0])
      .annotate(OpenApi.Description, webhookTexts.attempts[1]),
    HttpApiEndpoint.post("resend", "/workspaces/:workspace/:env/webhooks/:webhook/events/:event/resend", {
      params: { ...params, event: idInPath("event") },
      success: Data(ResentEvent).pipe(HttpApiSchema.status(202)),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, webhookTexts.resend[0])
      .annotate(OpenApi.Description, webhookTexts.resend[1]),
    HttpApiEndpoint.post("test", "/workspaces/:workspace/:env/webhooks/:webhook/test", {
      params,
      success: Data(WebhookTestResult),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, webhookTexts.test[0])
      .annotate(OpenApi.Description, webhookTexts.test[1]),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "The webhooks of an environment, as on the platform API.") {}
