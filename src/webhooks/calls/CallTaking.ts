import { Clock, Effect } from "effect";
import { Database } from "../../database/Database.ts";
import { maxBatchSize } from "../Webhook.ts";
import { countEvents, countExpired } from "../WebhookMetrics.ts";
import { callsOf } from "./CallBodies.ts";
import { type Asked, callQueueSql, type DueWebhook, type TakenCall } from "./CallQueueSql.ts";
import type { TakenEvent } from "./EventRowsSql.ts";

/**
 * How long a taken call is leased, in milliseconds; another worker takes it after that. Longer than the
 * timeout of a call, and short enough that a call whose worker died is repeated within 30 seconds.
 */
const leaseMillis = 20_000;

/** The most events that one transaction turns into calls. */
const maxEvents = 5_000;

/**
 * How old an event can be whose delivery is still waited for, in milliseconds. A database of several
 * nodes commits the rest of a transaction within a minute after all are back.
 */
const maxPendingMillis = 600_000;

/** A webhook, and how many calls can be started. */
export interface Wanted {
  readonly webhook: DueWebhook;
  readonly room: number;
}

/** The calls that were taken for a webhook. */
export interface Taken {
  readonly webhook: DueWebhook;
  readonly calls: ReadonlyArray<TakenCall>;
  /** Whether nothing more was due. */
  readonly isAll: boolean;
}

/** Takes calls: those that are due again, and new ones for events that wait. */
export const callTaking = Effect.gen(function* () {
  const database = yield* Database;
  const repository = yield* callQueueSql;

  /** Events of webhooks, without recordings whose deliveries are not visible yet: these are put back. */
  const takeEvents = Effect.fnUntraced(function* (asking: ReadonlyArray<Asked>, now: number) {
    const rows = yield* repository.takeEvents(asking);
    const isWaitedFor = (row: TakenEvent) => row.isPending && now - row.recordedAt < maxPendingMillis;
    if (!rows.some(isWaitedFor)) return rows;
    const keyOf = ({ recording, webhookId }: TakenEvent) => `${webhookId}/${recording}`;
    const waiting = new Set(rows.filter(isWaitedFor).map(keyOf));
    const webhooks = new Map(asking.map((each) => [each.webhookId, each]));
    const all = Map.groupBy(rows, keyOf);
    const back = [...waiting].flatMap((key) => {
      const taken = all.get(key) ?? [];
      const [row] = taken;
      const webhook = row && webhooks.get(row.webhookId);
      if (row === undefined || webhook === undefined) return [];
      const first = Math.min(...taken.map(({ index }) => index));
      return [{ ...webhook, recording: row.recording, first }];
    });
    yield* repository.putBack(back);
    return rows.filter((row) => !waiting.has(keyOf(row)));
  });

  const take = Effect.fnUntraced(function* (wanted: ReadonlyArray<Wanted>) {
    const now = yield* Clock.currentTimeMillis;
    const asked = wanted.map(({ room, webhook: { environment, id, workspaceId } }) => ({
      workspaceId,
      environment,
      webhookId: id,
      room,
    }));
    const due = Map.groupBy(
      yield* repository.takeCalls(asked, now, leaseMillis),
      ({ webhookId }) => webhookId,
    );
    const share = Math.floor(maxEvents / wanted.length);
    const rooms = wanted.map(({ room, webhook }) => {
      const left = room - (due.get(webhook.id)?.length ?? 0);
      return Math.min(left * (webhook.batch ? maxBatchSize : 1), Math.max(maxBatchSize, share));
    });
    const asking = asked
      .map((each, index) => ({ ...each, room: rooms[index] ?? 0 }))
      .filter(({ room }) => room > 0);
    const rows = asking.length === 0 ? [] : yield* takeEvents(asking, now);
    const events = Map.groupBy(rows, ({ webhookId }) => webhookId);
    const made = wanted.flatMap(({ webhook }) => callsOf(webhook, events.get(webhook.id) ?? [], now));
    const inserted = made.length === 0 ? [] : yield* repository.insertCalls(made, now + leaseMillis);
    const isInserted = new Set(inserted.map(({ id, webhookId }) => `${webhookId}/${id}`));
    const fresh = Map.groupBy(
      made.filter(({ id, webhookId }) => isInserted.has(`${webhookId}/${id}`)),
      ({ webhookId }) => webhookId,
    );
    const gone = rows.filter(({ data }) => data === null).length;
    const taken = wanted.map(({ room, webhook }, index): Taken => {
      const repeated = due.get(webhook.id) ?? [];
      const first = (fresh.get(webhook.id) ?? []).map((call): TakenCall => ({
        ...call,
        attempts: 0,
        fence: 1,
      }));
      const eventCount = events.get(webhook.id)?.length ?? 0;
      return {
        webhook,
        calls: [...repeated, ...first],
        isAll: repeated.length < room && eventCount < (rooms[index] ?? 0),
      };
    });
    return { taken, events: rows.length - gone, gone };
  }, database.atomically);

  return {
    /** Leases calls of webhooks, in one transaction. */
    take: Effect.fnUntraced(function* (wanted: ReadonlyArray<Wanted>) {
      const { events, gone, taken } = yield* take(wanted);
      if (events > 0) yield* countEvents(events);
      if (gone > 0) {
        yield* countExpired(gone);
        yield* Effect.logWarning("Events of webhooks are dropped: the rows they report are gone").pipe(
          Effect.annotateLogs({ events: gone }),
        );
      }
      return taken;
    }),
  };
});
