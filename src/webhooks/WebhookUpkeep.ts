import { Clock, Effect, Layer } from "effect";
import { drainPages, pruneInPages } from "../database/Pruning.ts";
import { DAY_MS } from "../time/DayNumbers.ts";
import { Worker } from "../workers/Worker.ts";
import { countExpired, noteWaiting } from "./WebhookMetrics.ts";
import { webhookUpkeepSql } from "./WebhookUpkeepSql.ts";

/** How long events wait at most, and how long failed calls and attempts are kept (contract N4). */
const keptMillis = 7 * DAY_MS;
/** How long events and attempts are kept after a success, so that an event can be sent again. */
const sentMillis = DAY_MS;
const page = 1_000;
const maxCounted = 100_000;

/** Deletes what is no longer needed, page by page. Two workers share the rows. */
export const pruneWebhooks = Effect.gen(function* () {
  const repository = yield* webhookUpkeepSql;
  const now = yield* Clock.currentTimeMillis;
  const [kept, sent] = [now - keptMillis, now - sentMillis];

  const expire = (gone: Effect.Effect<{ readonly rows: number; readonly events: number }>) =>
    drainPages(
      page,
      Effect.gen(function* () {
        const { events, rows } = yield* gone;
        if (events === 0) return rows;
        yield* countExpired(events);
        yield* Effect.logWarning("Events of webhooks are dropped: they could not be sent within 7 days").pipe(
          Effect.annotateLogs({ events }),
        );
        return rows;
      }),
    );

  yield* expire(repository.expireEvents(kept, page));
  yield* expire(repository.expireCalls(kept, page));
  yield* pruneInPages("webhook_events", page, (limit) => repository.pruneSent(sent, limit));
  yield* pruneInPages("webhook_calls", page, (limit) => repository.pruneGivenUp(kept, limit));
  yield* pruneInPages("webhook_attempts", page, (limit) => repository.pruneAttempts(sent, kept, limit));
  yield* pruneInPages("webhook_events", page, (limit) => repository.pruneOrphans("webhook_event", limit));
  yield* pruneInPages("webhook_calls", page, (limit) => repository.pruneOrphans("webhook_call", limit));
  yield* pruneInPages("webhook_attempts", page, (limit) => repository.pruneOrphans("webhook_attempt", limit));
});

/** Records what waits to be sent. */
const measure = Effect.gen(function* () {
  const repository = yield* webhookUpkeepSql;
  const { calls, events, oldest } = yield* repository.waiting(maxCounted);
  const now = yield* Clock.currentTimeMillis;
  yield* noteWaiting({ events, calls, oldestMillis: oldest === null ? 0 : Math.max(0, now - oldest) });
});

/** The jobs that measure and prune. */
export const webhookUpkeep = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Worker.every("webhook_pruning", "10 minutes", pruneWebhooks);
    yield* Worker.every("webhook_queue", "15 seconds", measure, { isTraced: false });
  }),
);
