import { Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { drainPages } from "../database/Pruning.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { type FoundCall, type Recording, type ReducedCall, webhookErasureSql } from "./WebhookErasureSql.ts";

const page = 100;
/** Before the first recording. */
const noRecording: Recording = { webhookId: "00000000-0000-0000-0000-000000000000", recording: 0n };

/** The rest of a call without the events that have one of the texts; null for nothing. */
const withoutEvents = (call: FoundCall, texts: ReadonlyArray<string>): ReducedCall | null => {
  const body = JSON.parse(call.body) as { readonly type: string; readonly data: unknown };
  if (body.type !== "batch") return null;
  const events = (body.data as ReadonlyArray<{ readonly id: string }>).filter((event) => {
    const text = JSON.stringify(event);
    return !texts.some((each) => text.includes(each));
  });
  if (events.length === 0) return null;
  return {
    ...call,
    body: JSON.stringify({ ...body, data: events }),
    eventIds: events.map(({ id }) => id),
  };
};

/** Erases a person from events that webhooks have recorded and calls that they have not made. */
export class WebhookErasure extends Context.Service<
  WebhookErasure,
  {
    /** Erases events whose JSON has one of these texts, also those that are kept for sending again. */
    readonly erase: (tenant: TenantKey, texts: ReadonlyArray<string>) => Effect.Effect<void>;
  }
>()("waypost/webhooks/WebhookErasure") {
  static readonly layer = Layer.effect(
    WebhookErasure,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* webhookErasureSql;

      const eraseCalls = Effect.fnUntraced(function* (tenant: TenantKey, texts: ReadonlyArray<string>) {
        const calls = yield* repository.findCalls(tenant, texts, page);
        const reduced = calls.map((call) => withoutEvents(call, texts));
        const left = reduced.filter((call) => call !== null);
        const emptied = calls.filter((_, index) => reduced[index] === null);
        if (emptied.length > 0) yield* repository.deleteCalls(tenant, emptied);
        if (left.length > 0) yield* repository.reduceCalls(tenant, left);
        return calls.length;
      }, database.atomically);

      return WebhookErasure.of({
        erase: Effect.fnUntraced(function* (tenant, texts) {
          if (!(yield* repository.hasRows(tenant))) return;
          for (let last: Recording | null = noRecording; last !== null;)
            last = yield* repository.eraseEvents(tenant, texts, last, page);
          yield* drainPages(page, eraseCalls(tenant, texts));
        }),
      });
    }),
  );
}
