import { Clock, Effect, FiberHandle, type Scope } from "effect";
import { monotonicMillis } from "../../sending/LeaseTime.ts";
import { signedRequest } from "../CallSigning.ts";
import { type CallResult, unanswered } from "./CallExchange.ts";
import type { EndedCall } from "./CallOutcomes.ts";
import type { DueWebhook, TakenCall } from "./CallQueueSql.ts";
import { callTimeoutMillis, type Expire, type Receivers, timedOut } from "./Receivers.ts";

interface OpenCall {
  /** Monotonic milliseconds. */
  readonly deadline: number;
  expire: Expire;
}

/** The calls of a process that are with their receivers. */
export interface InFlightCalls {
  /** Starts calls of a webhook. Each result is reported once, within the timeout of a call. */
  readonly start: (
    webhook: DueWebhook,
    keys: ReadonlyArray<Uint8Array>,
    calls: ReadonlyArray<TakenCall>,
  ) => void;
  /** The number of calls without a result. */
  readonly count: () => number;
  /** The characters of their bodies. */
  readonly length: () => number;
}

/**
 * Makes calls by plain calls and callbacks. Closing the scope abandons those in flight: they are repeated
 * once their leases have ended.
 */
export const inFlightCalls = (
  receivers: Receivers["Service"],
  report: (ended: EndedCall) => void,
): Effect.Effect<InFlightCalls, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const runWatch = yield* FiberHandle.makeRuntime<never, void>();
    /** Oldest first. */
    const open = new Set<OpenCall>();
    const now = (): number => monotonicMillis(clock);
    let length = 0;
    let isClosed = false;
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true;
        for (const { expire } of open) expire(timedOut);
      }),
    );

    /** Ends calls that time out, one at a time: the oldest has the least time left. */
    const watch = Effect.gen(function* () {
      for (const oldest of open) {
        const left = oldest.deadline - now();
        if (left > 0) yield* Effect.sleep(left);
        if (open.has(oldest)) oldest.expire(timedOut);
      }
    });

    const startOne = (
      { environment, url, workspaceId }: DueWebhook,
      keys: ReadonlyArray<Uint8Array>,
      call: TakenCall,
    ): void => {
      const began = now();
      const startedAt = clock.currentTimeMillisUnsafe();
      const opened: OpenCall = { deadline: began + callTimeoutMillis, expire: () => {} };
      open.add(opened);
      length += call.body.length;
      const end = (result: CallResult): void => {
        if (!open.delete(opened)) return;
        length -= call.body.length;
        if (isClosed) return;
        const durationMs = Math.max(0, Math.round(now() - began));
        report({ workspaceId, environment, call, result, startedAt, durationMs });
      };
      try {
        opened.expire = receivers.start(signedRequest(new URL(url), keys, call, startedAt), end);
      } catch (fault) {
        end(unanswered(`The call could not be made (${fault instanceof Error ? fault.name : "unknown"}).`));
      }
    };

    return {
      start: (webhook, keys, calls) => {
        const wasEmpty = open.size === 0;
        for (const call of calls) startOne(webhook, keys, call);
        if (wasEmpty) runWatch(watch);
      },
      count: () => open.size,
      length: () => length,
    };
  });
