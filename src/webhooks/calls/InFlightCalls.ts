import { Clock, Effect } from "effect";
import { openCalls } from "../../outgoing/OpenCalls.ts";
import { monotonicMillis } from "../../time/MonotonicTime.ts";
import { idAt } from "../../wire/Ids.ts";
import { signedRequest } from "../CallSigning.ts";
import type { EndedCall } from "./CallOutcomes.ts";
import type { DueWebhook, TakenCall } from "./CallQueueSql.ts";
import { type CallResult, callTimeoutMillis, unanswered } from "./CallResult.ts";
import type { Expire, Receivers } from "./Receivers.ts";

interface OpenCall {
  readonly webhook: DueWebhook;
  readonly call: TakenCall;
  /** Monotonic milliseconds. */
  readonly began: number;
  readonly startedAt: number;
  expire: Expire;
}

/**
 * The calls of a process that are with their receivers, made by plain calls and callbacks. Closing the scope
 * abandons those in flight: they are repeated once their leases have ended.
 */
export const inFlightCalls = (receivers: Receivers["Service"], report: (ended: EndedCall) => void) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    let length = 0;
    const finish = ({ began, call, startedAt, webhook }: OpenCall, result: CallResult): void => {
      length -= call.body.length;
      const { environment, workspaceId } = webhook;
      const durationMs = Math.max(0, Math.round(monotonicMillis(clock) - began));
      const attemptId = idAt(startedAt + durationMs);
      report({ workspaceId, environment, attemptId, call, result, startedAt, durationMs });
    };
    const open = yield* openCalls<OpenCall>(callTimeoutMillis, (call) => finish(call, call.expire()));
    yield* Effect.addFinalizer(() => Effect.sync(() => open.endAll().forEach(({ expire }) => expire())));

    const startOne = (webhook: DueWebhook, keys: ReadonlyArray<Uint8Array>, call: TakenCall): void => {
      const startedAt = clock.currentTimeMillisUnsafe();
      const expire = () => unanswered("The call was not started.");
      const opened: OpenCall = { webhook, call, began: monotonicMillis(clock), startedAt, expire };
      open.add(opened);
      length += call.body.length;
      const end = (result: CallResult): void => {
        if (open.end(opened)) finish(opened, result);
      };
      try {
        opened.expire = receivers.start(signedRequest(new URL(webhook.url), keys, call, startedAt), end);
      } catch (fault) {
        end(unanswered(`The call could not be made (${fault instanceof Error ? fault.name : "unknown"}).`));
      }
    };

    return {
      /** Starts calls of a webhook. Each result is reported once, within the timeout of a call. */
      start: (
        webhook: DueWebhook,
        keys: ReadonlyArray<Uint8Array>,
        calls: ReadonlyArray<TakenCall>,
      ): void => {
        for (const call of calls) startOne(webhook, keys, call);
      },
      /** The number of calls without a result. */
      count: open.count,
      /** The characters of their bodies. */
      length: () => length,
    };
  });
