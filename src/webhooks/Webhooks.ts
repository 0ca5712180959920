import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { PublicHosts } from "../outgoing/PublicHosts.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { Forbidden, NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { counted } from "../wire/Text.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { Receivers } from "./calls/Receivers.ts";
import { callSigning } from "./CallSigning.ts";
import { resending } from "./Resending.ts";
import { maxWebhooks, type WebhookDraft, type WebhookPatch, type WebhookStatus } from "./Webhook.ts";
import { secretChange, webhookChange } from "./WebhookActivity.ts";
import { makeWebhookSecret } from "./WebhookSecret.ts";
import { webhooksSql, type WebhookValues } from "./WebhooksSql.ts";
import { webhookTesting } from "./WebhookTesting.ts";
import { urlProblem } from "./WebhookUrl.ts";

const valuesOf = ({ batch, description, events, url }: WebhookDraft): WebhookValues => ({
  url,
  events: [...new Set(events)],
  description: description ?? null,
  batch: batch ?? false,
});

/** Webhooks of an environment: the addresses that receive its events (contract N1, N5). */
export class Webhooks extends Context.Service<Webhooks>()("waypost/webhooks/Webhooks", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* webhooksSql;
    const workspaces = yield* Workspaces;
    const hosts = yield* PublicHosts;
    const signing = yield* callSigning;
    const test = yield* webhookTesting;
    const resend = yield* resending;
    const activity = yield* Activity;

    const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
      const webhook = isUuid(id) ? yield* repository.find(tenant, id) : null;
      return webhook ?? (yield* NotFound.resource("webhook"));
    });

    const checkUrl = Effect.fnUntraced(function* ({ fields: { url }, problems }: ParsedBody<WebhookPatch>) {
      if (url === undefined) return;
      const problem = yield* outsideTransaction(`url ${url}`, urlProblem(hosts, url));
      if (problem !== null) problems.add("url", problem);
    });

    const checkLimit = Effect.fnUntraced(function* (tenant: Tenant) {
      const count = yield* repository.count(tenant);
      if (count < maxWebhooks) return;
      return yield* Forbidden.limit(
        "max_webhooks",
        `There can be ${counted(maxWebhooks, "webhook")} in ${environmentName(tenant.environment)}, and ` +
          `there are ${count}: delete one first.`,
      );
    });

    const insert = Effect.fnUntraced(function* (tenant: Tenant, body: ParsedBody<WebhookDraft>) {
      yield* workspaces.lock(tenant);
      const draft = yield* body.complete;
      yield* checkLimit(tenant);
      const now = yield* Clock.currentTimeMillis;
      const id = idAt(now);
      const secret = makeWebhookSecret();
      yield* repository.insert(tenant, id, valuesOf(draft), signing.sealed(tenant, id, secret), now);
      yield* repository.refreshListeners(tenant);
      const webhook = yield* Effect.orDie(find(tenant, id));
      yield* activity.record(tenant, webhookChange("create", null, webhook));
      return { ...webhook, secret };
    }, database.atomically);

    const replace = Effect.fnUntraced(function* (tenant: Tenant, id: string, body: ParsedBody<WebhookPatch>) {
      yield* workspaces.lock(tenant);
      const stored = yield* find(tenant, id);
      const { status, ...draft } = yield* body.complete;
      const now = yield* Clock.currentTimeMillis;
      if (isWhole(draft)) yield* repository.update(tenant, stored.id, valuesOf(draft), now);
      if (status !== undefined)
        yield* repository.setStatus(tenant, stored.id, status satisfies WebhookStatus, now);
      yield* repository.refreshListeners(tenant);
      const webhook = yield* find(tenant, stored.id);
      yield* activity.record(tenant, webhookChange("update", stored, webhook));
      return webhook;
    }, database.atomically);

    return {
      /** Newest first, without secrets. */
      page: repository.page,
      /** @throws 404 */
      find,
      /** The attempts of a webhook, newest first. */
      attempts: repository.attempts,

      /** Creates an active webhook and shows its secret. @throws 422 with all problems, 403 for the limit */
      create: Effect.fn("Webhooks.create")(function* (tenant: Tenant, body: ParsedBody<WebhookDraft>) {
        yield* checkUrl(body);
        return yield* insert(tenant, body);
      }),

      /** Changes the status alone, or the whole webhook. @throws 404, 422 */
      update: Effect.fn("Webhooks.update")(function* (
        tenant: Tenant,
        id: string,
        body: ParsedBody<WebhookPatch>,
      ) {
        yield* find(tenant, id);
        yield* checkUrl(body);
        return yield* replace(tenant, id, body);
      }),

      /** Deletes a webhook. Events that wait for it are not sent. @throws 404 */
      delete: Effect.fn("Webhooks.delete")(function* (tenant: Tenant, id: string) {
        yield* workspaces.lock(tenant);
        const stored = yield* find(tenant, id);
        yield* repository.delete(tenant, stored.id);
        yield* repository.refreshListeners(tenant);
        yield* activity.record(tenant, webhookChange("delete", stored, null));
        return { id: stored.id, deleted: true as const };
      }, database.atomically),

      /** Makes a new secret and shows it; the old one signs too for 24 hours. @throws 404 */
      replaceSecret: Effect.fn("Webhooks.replaceSecret")(function* (tenant: Tenant, id: string) {
        yield* workspaces.lock(tenant);
        const stored = yield* find(tenant, id);
        const now = yield* Clock.currentTimeMillis;
        const secret = makeWebhookSecret();
        const before =
          (yield* repository.secrets(tenant, stored.id)) ?? (yield* NotFound.resource("webhook"));
        const after = signing.afterReplacing(tenant, stored.id, before, secret, now);
        yield* repository.replaceSecrets(tenant, stored.id, after, now);
        yield* activity.record(tenant, secretChange(stored));
        return { ...(yield* find(tenant, stored.id)), secret };
      }, database.atomically),

      /** Sends a `webhook.test` event now, and gives the answer. @throws 404 */
      test: Effect.fn("Webhooks.test")(function* (tenant: Tenant, id: string) {
        return yield* test(tenant, yield* find(tenant, id));
      }),

      /** Sends an event again. @throws 404 for an unknown webhook or event */
      resend: Effect.fn("Webhooks.resend")(function* (tenant: Tenant, id: string, eventId: string) {
        const webhook = yield* find(tenant, id);
        const isKnown = isUuid(eventId) && (yield* resend(tenant, webhook, eventId.toLowerCase()));
        if (!isKnown)
          return yield* NotFound.of("There is no event with this id that this webhook can get again.");
        return { event_id: eventId.toLowerCase() };
      }),
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(Webhooks, Webhooks.make);
  static readonly layer = Webhooks.layerNoDeps.pipe(
    Layer.provide([MessageIds.layer, Receivers.layer, PublicHosts.layer]),
  );
}

const isWhole = (draft: Omit<WebhookPatch, "status">): draft is WebhookDraft =>
  draft.url !== undefined && draft.events !== undefined;
