import { assert } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { maxStatementConnections } from "../../../src/database/pool/PoolLimits.ts";
import { pageBytes, SpoolPages } from "../../../src/http/files/Spool.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { captured } from "../../CapturedLog.ts";
import { TestDatabase } from "../../database/TestDatabase.ts";
import { testOperatorKey, TestWaypost } from "../../TestWaypost.ts";

/**
 * A Waypost with the connections of a process, and with so many pages of spool, of which one workspace gets
 * half. Its log is captured.
 */
export const waypostWithSpool = (pages: number) =>
  TestWaypost.layerWith({}, TestDatabase.layerWith(maxStatementConnections)).pipe(
    Layer.provide(Layer.succeed(SpoolPages, () => pages)),
    Layer.provide(captured),
  );

/** Deliveries of which a client has read only the first when the server has read far ahead. */
export const large = 60_000;

/**
 * A response of which the first bytes were read, and a reader for the rest. A response that nobody refers to
 * would be cancelled.
 */
export const begun = (response: Response) =>
  Effect.promise(async () => {
    assert.strictEqual(response.status, 200);
    const reader = (response.body ?? assert.fail("The response has no body")).getReader();
    return { first: (await reader.read()).value, reader, response };
  });

/** Reads the rest of a file: its text, or `cut` if it does not come to its end. */
export const restOf = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> => {
  const parts: Array<Uint8Array> = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(parts).toString();
      parts.push(value);
    }
  } catch {
    return "cut";
  }
};

/**
 * A workspace with deliveries to one device of a person, and a function that requests their file or another
 * path of the platform API or the operator interface.
 */
export const fileWorld = Effect.fnUntraced(function* (count: number) {
  const waypost = yield* TestWaypost;
  const sql = yield* SqlClient.SqlClient;
  const workspace = yield* waypost.workspace();
  const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
  const tenant = sql`${workspaceId}::int, 'sandbox'`;
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, user_id,
      token_digest, registered_at, last_seen_at)
    SELECT ${tenant}, 1, gen_random_uuid(), 'phone', 'other', 'inbox', 'p1',
      decode(repeat('00', 32), 'hex'), now, now
    FROM (SELECT '2026-11-21T12:00:00Z'::timestamptz AS now) AS clock`;
  const [content] = yield* sql<{ readonly key: number }>`
    INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, created_at)
    SELECT ${tenant}, gen_random_uuid(), 'message', 'H', 'B', '2026-11-21T12:00:00Z'::timestamptz
    RETURNING key`;
  yield* sql`INSERT INTO deleted_campaign (workspace_id, environment, key, id)
    SELECT ${tenant}, 1, gen_random_uuid()`;
  yield* sql`
    INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
      content_key, content_type, trigger_type, transport, status, created_at, settled_at, last_error)
    SELECT ${tenant}, source_id, 1, 1, 1, ${content?.key ?? 0}::int, 'message',
      'fixed_time', 'inbox', 'delivered', now, now, repeat('x', 500)
    FROM generate_series(1, ${count}::int) AS source_id,
      (SELECT '2026-11-21T12:00:00Z'::timestamptz AS now) AS clock`;
  const request = (path: string, signal?: AbortSignal) =>
    fetch(waypost.origin + path, {
      headers: { authorization: `Bearer ${testOperatorKey}`, "waypost-workspace": workspace.id },
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    request,
    deliveries: (signal?: AbortSignal) => request("/sandbox/platform/v1/deliveries?format=csv", signal),
    person: (signal?: AbortSignal) =>
      request(`/operator/v1/workspaces/${workspace.id}/sandbox/people/p1`, signal),
  };
});

/** The sessions that read a file. */
export const sessions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'FETCH%exported'
      AND state <> 'idle'`,
);

/** The metrics of the process, as text. */
export const metrics = Effect.flatMap(TestWaypost, ({ origin }) =>
  Effect.promise(async () => (await fetch(`${origin}/metrics`)).text()),
);

/** The pages of the spool in use. */
export const pagesInUse = Effect.map(
  metrics,
  (text) => Number(/^waypost_spool_bytes (\d+)$/m.exec(text)?.[1] ?? 0) / pageBytes,
);
