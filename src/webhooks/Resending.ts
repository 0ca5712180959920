import { Clock, Effect } from "effect";
import { Database } from "../database/Database.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { batchBody, eventText } from "./calls/CallBodies.ts";
import { callQueueSql } from "./calls/CallQueueSql.ts";
import { callId, ownEventIds } from "./EventId.ts";
import type { Webhook } from "./Webhook.ts";

/** An event as it was sent. */
interface SentEvent {
  readonly id: string;
  readonly type: string;
}

/** The event in the body of a call, as JSON; null if it is not there. */
const eventIn = (body: string, id: string): { readonly type: string; readonly text: string } | null => {
  const sent = JSON.parse(body) as SentEvent & { readonly data: unknown };
  const events = sent.type === "batch" ? (sent.data as ReadonlyArray<SentEvent>) : [sent];
  const event = events.find((each) => each.id === id);
  return event === undefined ? null : { type: event.type, text: JSON.stringify(event) };
};

/**
 * Makes the function that sends an event again (contract N5): it adds a call with this event alone, and
 * returns false if the event is not known any more.
 */
export const resending = Effect.gen(function* () {
  const database = yield* Database;
  const repository = yield* callQueueSql;
  const ids = yield* ownEventIds;

  /** The event as it is recorded, or as a call that failed carries it. */
  const find = Effect.fnUntraced(function* (tenant: Tenant, webhook: Webhook, id: string) {
    const key = ids.keyOf(id);
    if (key === null) return null;
    const failed = yield* repository.failedCall(tenant, webhook.id, id);
    const kept = failed === null ? null : eventIn(failed.body, id);
    if (kept !== null) return kept;
    const [row] = yield* repository.event(tenant, webhook.id, key.recording, key.index);
    const { environment, workspace } = tenant;
    return row === undefined ? null : eventText({ environment, workspace: workspace.id }, row);
  });

  return Effect.fnUntraced(function* (tenant: Tenant, webhook: Webhook, id: string) {
    const event = yield* find(tenant, webhook, id);
    if (event === null) return false;
    const now = yield* Clock.currentTimeMillis;
    const { environment, workspaceId } = tenant;
    yield* repository.callAgain(
      {
        workspaceId,
        environment,
        webhookId: webhook.id,
        id: callId(webhook.id, [id]),
        type: webhook.batch ? "batch" : event.type,
        eventIds: [id],
        body: webhook.batch ? batchBody([event], now) : event.text,
        recordedAt: now,
      },
      now,
    );
    return true;
  }, database.atomically);
});
