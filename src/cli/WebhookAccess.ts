/** Access to the webhooks of an environment: by a platform token, or by the operator key. */
import { Effect, type Schema } from "effect";
import { Argument } from "effect/cli";
import { HttpClient, HttpClientRequest, type HttpClientError } from "effect/http";
import { HttpApiClient } from "effect/http-api";
import { PlatformApi } from "../PlatformApi.ts";
import type { WebhookDraft, WebhookPatch } from "../webhooks/Webhook.ts";
import { isUuid } from "../wire/Ids.ts";
import type { ApiError } from "../wire/ApiError.ts";
import { CommandRefused } from "./CommandRefused.ts";
import { findIdByName, openEnvironment } from "./Lookups.ts";
import { platformFlags, type PlatformFlags, selectEnvironment } from "./Platform.ts";

type PageQuery = { readonly limit: number; readonly cursor?: string };
type Failure = ApiError | HttpClientError.HttpClientError | Schema.SchemaError;

const byToken = Effect.fnUntraced(function* (url: string, token: string) {
  // The prefix of a token names its environment.
  const baseUrl = token.startsWith("wps_") ? `${url}/sandbox` : url;
  const { webhooks } = yield* HttpApiClient.make(PlatformApi, {
    baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token)),
  });
  const ask = <A>(request: Effect.Effect<A, Failure>): Effect.Effect<A, CommandRefused> =>
    Effect.mapError(request, (failure) => CommandRefused.from(url, failure));
  return {
    list: (query: PageQuery) => ask(webhooks.list({ query })),
    create: (payload: WebhookDraft) => ask(webhooks.create({ payload })),
    get: (webhook: string) => ask(webhooks.get({ params: { webhook } })),
    update: (webhook: string, payload: WebhookPatch) =>
      ask(webhooks.update({ params: { webhook }, payload })),
    delete: (webhook: string) => ask(webhooks.delete({ params: { webhook } })),
    secret: (webhook: string) => ask(webhooks.secret({ params: { webhook } })),
    attempts: (webhook: string, query: PageQuery) => ask(webhooks.attempts({ params: { webhook }, query })),
    resend: (webhook: string, event: string) => ask(webhooks.resend({ params: { webhook, event } })),
    test: (webhook: string) => ask(webhooks.test({ params: { webhook } })),
  };
});

type WebhookAccess = Effect.Success<ReturnType<typeof byToken>>;

const byOperatorKey = Effect.fnUntraced(function* (workspace: string, environment: "sandbox" | "production") {
  const { ask, params } = yield* openEnvironment({ workspace, environment });
  const access: WebhookAccess = {
    list: (query) => ask((client) => client.webhooks.list({ params, query })),
    create: (payload) => ask((client) => client.webhooks.create({ params, payload })),
    get: (webhook) => ask((client) => client.webhooks.get({ params: { ...params, webhook } })),
    update: (webhook, payload) =>
      ask((client) => client.webhooks.update({ params: { ...params, webhook }, payload })),
    delete: (webhook) => ask((client) => client.webhooks.delete({ params: { ...params, webhook } })),
    secret: (webhook) => ask((client) => client.webhooks.secret({ params: { ...params, webhook } })),
    attempts: (webhook, query) =>
      ask((client) => client.webhooks.attempts({ params: { ...params, webhook }, query })),
    resend: (webhook, event) =>
      ask((client) => client.webhooks.resend({ params: { ...params, webhook, event } })),
    test: (webhook) => ask((client) => client.webhooks.test({ params: { ...params, webhook } })),
  };
  return access;
});

/** The webhooks that the flags name. */
export const openWebhooks = Effect.fnUntraced(function* (flags: PlatformFlags) {
  const { environment, token, url, workspace } = yield* selectEnvironment(flags);
  return yield* token === undefined ? byOperatorKey(workspace, environment) : byToken(url, token);
});

/** Flags of a command about one webhook. */
export const webhookFlags = {
  ...platformFlags,
  webhook: Argument.String("webhook").pipe(Argument.withDescription("The webhook, by id or url")),
};

type WebhookFlags = PlatformFlags & { readonly webhook: string };

/** The access, and the id of the webhook that the argument names. */
export const openWebhook = Effect.fnUntraced(function* (flags: WebhookFlags) {
  const webhooks = yield* openWebhooks(flags);
  const id = isUuid(flags.webhook)
    ? flags.webhook
    : yield* findIdByName("webhook", flags.webhook, webhooks.list, ({ url }) => url);
  return { webhooks, id };
});

/** The flags of examples. */
export const exampleFlags = "--workspace Acme --environment production";
