import { Clock, Effect, Random } from "effect";
import { Database } from "../../database/Database.ts";
import { DAY_MS } from "../../time/DayNumbers.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { nextAttemptAt } from "../RetrySchedule.ts";
import { countCall, countDisabled } from "../WebhookMetrics.ts";
import { webhooksSql } from "../WebhooksSql.ts";
import {
  type AttemptRow,
  callOutcomesSql,
  type CallSettlement,
  type WebhookNews,
} from "./CallOutcomesSql.ts";
import type { TakenCall } from "./CallQueueSql.ts";
import { type CallResult, isSuccess } from "./CallResult.ts";

/** A webhook that has not succeeded for so long is disabled when it fails again (contract N4). */
const maxFailingMillis = 5 * DAY_MS;

/** A call that has ended. Instants are epoch milliseconds. */
export interface EndedCall extends TenantKey {
  /** The id of its attempt, the same however often the result is stored. */
  readonly attemptId: string;
  readonly call: TakenCall;
  readonly result: CallResult;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** The id that an attempt shows: the event's, or that of the call for a batch. */
const shownId = ({ eventIds, id, type }: TakenCall): string => (type === "batch" ? id : (eventIds[0] ?? id));

/** Effects of the results on their webhooks, one entry for each. */
const newsOf = (ended: ReadonlyArray<EndedCall>): ReadonlyArray<WebhookNews> => {
  const news = new Map<string, WebhookNews>();
  for (const { call, durationMs, environment, result, startedAt, workspaceId } of ended) {
    const { webhookId } = call;
    const before = news.get(webhookId);
    news.set(webhookId, {
      workspaceId,
      environment,
      webhookId,
      lastAttemptAt: Math.max(startedAt, before?.lastAttemptAt ?? 0),
      hasSucceeded: isSuccess(result) || before?.hasSucceeded === true,
      failedAt: isSuccess(result) ? null : (before?.failedAt ?? startedAt + durationMs),
    });
  }
  return [...news.values()];
};

/** Stores the results of calls, and disables webhooks that are gone or failing (contract N4). */
export const callOutcomes = Effect.gen(function* () {
  const database = yield* Database;
  const repository = yield* callOutcomesSql;
  const webhooks = yield* webhooksSql;

  const settlementOf = Effect.fnUntraced(function* ({ call, environment, result, workspaceId }: EndedCall) {
    const { fence, id, webhookId } = call;
    const settlement = { workspaceId, environment, webhookId, id, fence };
    if (isSuccess(result)) return { ...settlement, verdict: "done", dueAt: null } satisfies CallSettlement;
    const now = yield* Clock.currentTimeMillis;
    const dueAt = nextAttemptAt(call.attempts + 1, now, result.retryAfter, yield* Random.next);
    const verdict = dueAt === null ? "given_up" : "failed";
    return { ...settlement, verdict, dueAt } satisfies CallSettlement;
  });

  const attemptOf = (
    { attemptId, call, durationMs, environment, result, startedAt, workspaceId }: EndedCall,
    nextAttempt: number | null,
  ): AttemptRow => ({
    workspaceId,
    environment,
    webhookId: call.webhookId,
    id: attemptId,
    eventId: shownId(call),
    eventType: call.type,
    attempt: call.attempts + 1,
    statusCode: result.statusCode,
    error: result.error,
    durationMs,
    createdAt: startedAt,
    nextAttemptAt: nextAttempt,
  });

  const disable = Effect.fnUntraced(function* (
    { environment, webhookId, workspaceId }: TenantKey & { readonly webhookId: string },
    reason: "gone" | "failing",
  ) {
    const tenant = { workspaceId, environment };
    const now = yield* Clock.currentTimeMillis;
    const isDisabled = yield* database.atomically(
      Effect.gen(function* () {
        yield* repository.lockTenant(tenant);
        if (!(yield* repository.disable(tenant, webhookId, now))) return false;
        yield* webhooks.refreshListeners(tenant);
        return true;
      }),
    );
    if (!isDisabled) return;
    yield* countDisabled(reason);
    yield* Effect.logWarning(
      reason === "gone"
        ? "A webhook was disabled: its receiver answered 410"
        : "A webhook was disabled: no call has succeeded for 5 days",
    ).pipe(Effect.annotateLogs({ workspace_key: workspaceId, environment, webhook: webhookId }));
  });

  return {
    /**
     * Stores results in one transaction. A call without a stored result is made again. A result that is
     * stored again, as nobody knows whether its transaction was committed, changes nothing.
     */
    settle: Effect.fnUntraced(function* (ended: ReadonlyArray<EndedCall>) {
      const settlements = yield* Effect.forEach(ended, settlementOf);
      const attempts = ended.map((each, index) => attemptOf(each, settlements[index]?.dueAt ?? null));
      const now = yield* Clock.currentTimeMillis;
      const news = newsOf(ended);
      const noted = yield* database.atomically(
        Effect.gen(function* () {
          yield* repository.settle(settlements, now);
          yield* repository.insertAttempts(attempts);
          return yield* repository.noteResults(news);
        }),
      );
      for (const [index, { verdict }] of settlements.entries()) {
        yield* countCall(verdict, ended[index]?.durationMs ?? 0);
      }
      const gone = new Set(
        ended.filter(({ result }) => result.statusCode === 410).map(({ call }) => call.webhookId),
      );
      const failing = new Set(
        noted
          .filter(({ failingSince }) => failingSince !== null && now - failingSince >= maxFailingMillis)
          .map(({ webhookId }) => webhookId),
      );
      for (const each of news) {
        if (gone.has(each.webhookId)) yield* disable(each, "gone");
        else if (failing.has(each.webhookId)) yield* disable(each, "failing");
      }
    }),
  };
});
