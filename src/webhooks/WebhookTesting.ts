import { Clock, Effect } from "effect";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { utcText } from "../time/LocalTime.ts";
import { idAt } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { batchBody } from "./calls/CallBodies.ts";
import { callOutcomesSql } from "./calls/CallOutcomesSql.ts";
import { Receivers } from "./calls/Receivers.ts";
import { callSigning, signedRequest } from "./CallSigning.ts";
import { callId } from "./EventId.ts";
import type { Webhook, WebhookTestResult } from "./Webhook.ts";
import { webhooksSql } from "./WebhooksSql.ts";

const testType = "webhook.test";

const testEvent = ({ environment, workspace }: Tenant, webhook: Webhook, id: string, now: number) => ({
  text: JSON.stringify({
    id,
    type: testType,
    timestamp: utcText(now),
    data: { webhook_id: webhook.id, environment, workspace_id: workspace.id },
  }),
});

/**
 * Makes the function that tests a webhook (contract N5): it sends a `webhook.test` event now, outside of a
 * transaction, and gives what the receiver answered.
 */
export const webhookTesting = Effect.gen(function* () {
  const repository = yield* webhooksSql;
  const outcomes = yield* callOutcomesSql;
  const signing = yield* callSigning;
  const receivers = yield* Receivers;

  const call = Effect.fnUntraced(function* (tenant: Tenant, webhook: Webhook) {
    const secrets = yield* repository.secrets(tenant, webhook.id);
    const startedAt = yield* Clock.currentTimeMillis;
    const eventId = idAt(startedAt);
    const event = testEvent(tenant, webhook, eventId, startedAt);
    const body = webhook.batch ? batchBody([event], startedAt) : event.text;
    const keys = secrets === null ? [] : signing.keysOf(tenant, webhook.id, secrets, startedAt);
    const id = callId(webhook.id, [eventId]);
    const result = yield* receivers.send(signedRequest(new URL(webhook.url), keys, { id, body }, startedAt));
    const durationMs = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt);
    return { eventId, result, startedAt, durationMs };
  });

  return Effect.fnUntraced(function* (tenant: Tenant, webhook: Webhook) {
    const made = yield* outsideTransaction(`test ${webhook.id}`, call(tenant, webhook));
    const { durationMs, eventId, result, startedAt } = made;
    const { environment, workspaceId } = tenant;
    yield* outcomes.insertAttempts([
      {
        workspaceId,
        environment,
        webhookId: webhook.id,
        id: idAt(startedAt + durationMs),
        eventId,
        eventType: testType,
        attempt: 1,
        statusCode: result.statusCode,
        error: result.error,
        durationMs,
        createdAt: startedAt,
        nextAttemptAt: null,
      },
    ]);
    const { body, error, statusCode } = result;
    return { status_code: statusCode, error, duration_ms: durationMs, body } satisfies WebhookTestResult;
  });
});
