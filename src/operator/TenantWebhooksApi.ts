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
    }).annotateMerge(webhookTexts.list),
    HttpApiEndpoint.post("create", "/workspaces/:workspace/:env/webhooks", {
      params: environmentPath,
      payload: WebhookDraft,
      success: Data(WebhookWithSecret).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, ...bodyErrors],
    }).annotateMerge(webhookTexts.create),
    HttpApiEndpoint.get("get", "/workspaces/:workspace/:env/webhooks/:webhook", {
      params,
      success: Data(Webhook),
      error: [NotFound],
    }).annotateMerge(webhookTexts.get),
    HttpApiEndpoint.patch("update", "/workspaces/:workspace/:env/webhooks/:webhook", {
      params,
      payload: WebhookPatch,
      success: Data(Webhook),
      error: [NotFound, ...bodyErrors],
    }).annotateMerge(webhookTexts.update),
    HttpApiEndpoint.delete("delete", "/workspaces/:workspace/:env/webhooks/:webhook", {
      params,
      success: Deleted,
      error: [NotFound],
    }).annotateMerge(webhookTexts.delete),
    HttpApiEndpoint.post("secret", "/workspaces/:workspace/:env/webhooks/:webhook/secret", {
      params,
      success: Data(WebhookWithSecret),
      error: [NotFound],
    }).annotateMerge(webhookTexts.secret),
    HttpApiEndpoint.get("attempts", "/workspaces/:workspace/:env/webhooks/:webhook/attempts", {
      params,
      query: PageQuery,
      success: PageOf(WebhookAttempt),
      error: [NotFound, Unprocessable],
    }).annotateMerge(webhookTexts.attempts),
    HttpApiEndpoint.post("resend", "/workspaces/:workspace/:env/webhooks/:webhook/events/:event/resend", {
      params: { ...params, event: idInPath("event") },
      success: Data(ResentEvent).pipe(HttpApiSchema.status(202)),
      error: [NotFound],
    }).annotateMerge(webhookTexts.resend),
    HttpApiEndpoint.post("test", "/workspaces/:workspace/:env/webhooks/:webhook/test", {
      params,
      success: Data(WebhookTestResult),
      error: [NotFound],
    }).annotateMerge(webhookTexts.test),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "The webhooks of an environment, as on the platform API.") {}
