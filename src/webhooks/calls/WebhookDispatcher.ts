import { Cause, Clock, Context, Effect, Layer, Queue, Stream, SubscriptionRef } from "effect";
import { Settings } from "../../config/Settings.ts";
import { Database } from "../../database/Database.ts";
import { MessageIds } from "../../sending/deliveries/MessageId.ts";
import { Worker } from "../../workers/Worker.ts";
import { callSigning } from "../CallSigning.ts";
import { callOutcomes, type EndedCall } from "./CallOutcomes.ts";
import { callQueueSql, type DueWebhook } from "./CallQueueSql.ts";
import { callTaking, type Taken } from "./CallTaking.ts";
import * as State from "./DispatcherState.ts";
import { inFlightCalls } from "./InFlightCalls.ts";
import { receiverLimits, roomFor, verdictOf } from "./ReceiverLimits.ts";
import { Receivers } from "./Receivers.ts";

/**
 * How often a process polls for webhooks with calls to make, in milliseconds. Tests that poll on request only
 * set it to a long time: a call must not start while TestClock moves past its timeout.
 */
export const ScanMillis = Context.Reference("waypost/webhooks/calls/ScanMillis", { defaultValue: () => 250 });
/** The most webhooks that a scan finds, and that one transaction takes calls for. */
const maxWebhooks = 10_000;
const webhooksPerTaking = 250;
/** The most results that one transaction stores, and that wait to be stored while calls are still taken. */
const maxResults = 500;
const maxUnstored = 2_000;
/** The most characters of the bodies in flight. */
const maxLength = 64_000_000;
const retryPause = "500 millis";
/** How long a stopping process waits for its calls in flight. */
const shutdownTimeout = "8 seconds";

const nameOf = ({ environment, id, workspaceId }: Pick<DueWebhook, "environment" | "id" | "workspaceId">) =>
  `${workspaceId}/${environment}/${id}`;

/**
 * Sends the events of webhooks: takes calls (`CallTaking.ts`), makes them (`InFlightCalls.ts`), and stores
 * their results (`CallOutcomes.ts`). Runs in every process with the role `worker`; they share the work.
 * `ReceiverLimits.ts` keeps a slow receiver from holding up the others.
 */
export class WebhookDispatcher extends Context.Service<WebhookDispatcher>()(
  "waypost/webhooks/calls/WebhookDispatcher",
  {
    make: Effect.gen(function* () {
      const { roles } = yield* Settings;
      const scanMillis = yield* ScanMillis;
      const repository = yield* callQueueSql;
      const taking = yield* callTaking;
      const outcomes = yield* callOutcomes;
      const signing = yield* callSigning;
      const receivers = yield* Receivers;
      const clock = yield* Clock.Clock;
      const wake = yield* Queue.sliding<void>(1);
      const ended = yield* Queue.sliding<void>(1);
      const limits = receiverLimits();
      /** Webhooks that may have more calls to make. */
      const due = new Map<string, DueWebhook>();
      /** Results that are not stored yet. */
      const results: Array<EndedCall> = [];
      let state = State.initialState;
      const idle = yield* SubscriptionRef.make(0);

      const calls = yield* inFlightCalls(receivers, (result) => {
        const { call, environment, workspaceId } = result;
        const name = nameOf({ workspaceId, environment, id: call.webhookId });
        const now = clock.currentTimeMillisUnsafe();
        limits.ended(name, verdictOf(result.result), result.durationMs, now);
        const webhook = due.get(name);
        if (webhook !== undefined && roomFor(limits, name, webhook.batch, now) > 0)
          Queue.offerUnsafe(wake, undefined);
        if (results.push(result) === 1) Queue.offerUnsafe(ended, undefined);
      });

      const scan = Effect.gen(function* () {
        state = State.scanning(state);
        const found = yield* repository.dueWebhooks(yield* Clock.currentTimeMillis, maxWebhooks);
        due.clear();
        for (const webhook of found) due.set(nameOf(webhook), webhook);
        const isIdle = due.size === 0 && calls.count() + results.length === 0;
        state = State.scanned(state, yield* Clock.currentTimeMillis, isIdle);
        yield* SubscriptionRef.set(idle, state.lastIdle);
      });

      const start = ({ calls: taken, isAll, webhook }: Taken): void => {
        const name = nameOf(webhook);
        if (isAll) due.delete(name);
        if (taken.length === 0) return;
        limits.started(name, taken.length);
        const { environment, id, workspaceId } = webhook;
        const keys = signing.keysOf(
          { workspaceId, environment },
          id,
          webhook,
          clock.currentTimeMillisUnsafe(),
        );
        calls.start(webhook, keys, taken);
      };

      /** Takes and starts calls for the webhooks with room. True if there may be more right away. */
      const takeDue = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const wanted = [];
        if (results.length > maxUnstored) return false;
        for (const [name, webhook] of due) {
          if (calls.length() > maxLength || wanted.length === webhooksPerTaking) break;
          const room = roomFor(limits, name, webhook.batch, now);
          if (room > 0) wanted.push({ webhook, room });
        }
        if (wanted.length === 0) return false;
        for (const each of yield* taking.take(wanted)) {
          // The webhooks that were served last come last in the next taking.
          const name = nameOf(each.webhook);
          due.delete(name);
          if (!each.isAll) due.set(name, each.webhook);
          start(each);
        }
        return wanted.length === webhooksPerTaking;
      });

      const poll = Effect.gen(function* () {
        if (state.isStopped) return yield* Effect.never;
        if (State.untilScan(state, scanMillis, yield* Clock.currentTimeMillis) <= 0) yield* scan;
        if (yield* takeDue) return;
        const left = State.untilScan(state, scanMillis, yield* Clock.currentTimeMillis);
        yield* Effect.raceFirst(Effect.sleep(Math.max(1, left)), Queue.take(wake));
      });

      /** Stores results until there are none. They are kept until they are stored. */
      const settleAll = Effect.gen(function* () {
        while (results.length > 0) {
          const batch = results.slice(0, maxResults);
          yield* outcomes.settle(batch);
          results.splice(0, batch.length);
          Queue.offerUnsafe(wake, undefined);
        }
      });

      const settleForever = Effect.forever(
        Effect.gen(function* () {
          if (results.length === 0) yield* Queue.take(ended);
          // Answers arrive in bursts: store the whole burst at once.
          yield* Effect.yieldNow;
          yield* Effect.catchCause(settleAll, (cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt;
            const log = Database.isUnavailable(cause)
              ? Effect.void
              : Effect.logError("Storing the results of webhooks failed; retrying", cause);
            return Effect.andThen(log, Effect.sleep(retryPause));
          });
        }),
      );

      if (roles.has("worker")) yield* Effect.forkScoped(settleForever);
      yield* Worker.every("webhook_calls", 0, poll, { isTraced: false });
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          state = State.stopped(state);
          const drained = Effect.gen(function* () {
            while (calls.count() + results.length > 0) yield* Effect.sleep(50);
          });
          yield* Effect.timeoutOption(drained, shutdownTimeout);
        }),
      );

      return {
        /** Scans at once. Completes when nothing is due and this process has nothing in flight. */
        caughtUp: Effect.suspend(() => {
          const before = state.scans;
          state = State.asked(state);
          Queue.offerUnsafe(wake, undefined);
          return Effect.asVoid(
            Stream.runHead(Stream.filter(SubscriptionRef.changes(idle), (number) => number > before)),
          );
        }),
      };
    }),
  },
) {
  static readonly layerNoDeps = Layer.effect(WebhookDispatcher, WebhookDispatcher.make).pipe(
    Layer.provide(MessageIds.layer),
  );
  static readonly layer = WebhookDispatcher.layerNoDeps.pipe(Layer.provide(Receivers.layer));
}
