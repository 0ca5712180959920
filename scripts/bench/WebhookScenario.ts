/** Webhook events of a bench: written by SQL, and counted by the receiver. */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { instant } from "../../src/database/Rows.ts";
import { untilNone, workspaceKey } from "./BenchRows.ts";
import * as service from "./ServiceApi.ts";

/** Counts of the receiver: `WebhookReceiver.ts`. */
interface Figures {
  readonly events: number;
  readonly lags: ReadonlyArray<number>;
}

/** The figures of the receiver, which this resets. */
export const figuresOf = (receiver: string) =>
  Effect.promise(async () => (await (await fetch(receiver)).json()) as Figures);

const abilities = ["campaigns:write", "notifications:write", "locations:write", "webhooks:write"];

/** A workspace with the full API, a token of its Production, and its internal key. */
export const newWorkspace = Effect.fnUntraced(function* (origin: string) {
  const workspace = yield* service.newWorkspace(origin, abilities);
  return { ...workspace, workspaceId: yield* workspaceKey(workspace.id) };
});

/** Records events of one webhook, in recordings of this size. */
export const recordEvents = Effect.fnUntraced(function* (
  workspaceId: number,
  webhook: string,
  count: number,
  size: number,
) {
  const sql = yield* SqlClient.SqlClient;
  const now = yield* Clock.currentTimeMillis;
  const data =
    `{"id":"${randomUUID()}","type":"enter","location_id":"${randomUUID()}","device_id":"${randomUUID()}",` +
    `"occurred_at":"2026-11-21T12:00:00+00:00","made_at":${now}}`;
  yield* sql`
    INSERT INTO webhook_event (workspace_id, environment, webhook_id, recording, type, recorded_at, size,
      data)
    SELECT ${workspaceId}, 'production', ${webhook}, nextval('webhook_recording'), 'location.entered',
      ${instant(now)}, ${size}::int, array_fill(${data}::text, ARRAY[${size}::int])
    FROM generate_series(1, ${Math.ceil(count / size)}::int)`;
});

/** Waits until so many events have arrived. */
export const waitFor = Effect.fnUntraced(function* (receiver: string, count: number, seconds: number) {
  let events = 0;
  const lags: Array<number> = [];
  for (let waited = 0; events < count; waited += 0.02) {
    if (waited > seconds) return yield* Effect.die(new Error(`Only ${events} events of ${count} arrived`));
    const figures = yield* figuresOf(receiver);
    events += figures.events;
    lags.push(...figures.lags);
    yield* Effect.sleep(20);
  }
  return lags;
});

/** Waits until the results of all calls are stored, which is part of a call's cost. */
export const allSettled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* untilNone(sql`SELECT FROM webhook_call LIMIT 1`);
});
