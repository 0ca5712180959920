/** Common parts of the benches of webhooks. */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { instant } from "../../src/database/Rows.ts";

/** The operator key of the benched processes. */
export const operatorKey = "bench-operator-key-of-all-processes";
/** Their secret key. */
export const secretKey = "bench-secret-key-of-all-processes";

/** A created resource: its id, or the credential that is shown once. */
interface Created {
  readonly id: string;
  readonly token: string;
  readonly sdk_key: string;
  readonly device_token: string;
  readonly results: ReadonlyArray<{ readonly id: string }>;
}

/** Counts of the receiver: `WebhookReceiver.ts`. */
interface Figures {
  readonly calls: number;
  readonly events: number;
  readonly lags: ReadonlyArray<number>;
}

/** Sends a request, and gives its `data`. */
export const ask = (
  url: string,
  token: string,
  body: object,
  method: "POST" | "PUT" | "PATCH" | "DELETE" = "POST",
) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const { data, error } = (await answer.json()) as { readonly data: Created; readonly error?: unknown };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return data;
  });

/** The figures of the receiver, which this resets. */
export const figuresOf = (receiver: string) =>
  Effect.promise(async () => (await (await fetch(receiver)).json()) as Figures);

/** A workspace with the full API, and a token of its Production. */
export const newWorkspace = Effect.fnUntraced(function* (origin: string) {
  const operator = `${origin}/operator/v1/workspaces`;
  const plan = {
    max_campaigns: null,
    production_requests_per_minute: null,
    production_writes_per_minute: null,
    production_requests_per_day: null,
  };
  const { id } = yield* ask(operator, operatorKey, { name: `Bench ${randomUUID()}`, plan });
  yield* ask(`${operator}/${id}`, operatorKey, { platform_api_enabled: true }, "PATCH");
  const { token } = yield* ask(`${operator}/${id}/tokens`, operatorKey, {
    name: "Bench",
    environment: "production",
    abilities: ["campaigns:write", "notifications:write", "locations:write", "webhooks:write"],
  });
  const sql = yield* SqlClient.SqlClient;
  const [row] = yield* sql<{ readonly workspaceId: number }>`
    SELECT id AS "workspaceId" FROM workspace WHERE public_id = ${id}`;
  return { id, token, workspaceId: row?.workspaceId ?? 0, operator: `${operator}/${id}` };
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
  let calls = 0;
  const lags: Array<number> = [];
  for (let waited = 0; events < count; waited += 0.02) {
    if (waited > seconds) return yield* Effect.die(new Error(`Only ${events} events of ${count} arrived`));
    const figures = yield* figuresOf(receiver);
    events += figures.events;
    calls += figures.calls;
    lags.push(...figures.lags);
    yield* Effect.sleep(20);
  }
  return { calls, lags };
});

/** Waits until the results of all calls are stored, which is part of a call's cost. */
export const allSettled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  while ((yield* sql`SELECT FROM webhook_call LIMIT 1`).length > 0) yield* Effect.sleep(20);
});
