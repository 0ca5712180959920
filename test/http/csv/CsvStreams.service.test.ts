import { assert, layer, vi } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testOperatorKey, TestWaypost } from "../../TestWaypost.ts";

/** Deliveries of which a client has read only the first when the server has read far ahead. */
const large = 60_000;

/** A workspace with deliveries, and a function that requests their file. */
const deliveries = Effect.fnUntraced(function* (count: number) {
  const waypost = yield* TestWaypost;
  const sql = yield* SqlClient.SqlClient;
  const workspace = yield* waypost.workspace();
  const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
  const tenant = sql`${workspaceId}::int, 'sandbox'`;
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
      token_digest, registered_at, last_seen_at)
    SELECT ${tenant}, 1, gen_random_uuid(), 'phone', 'other', 'inbox',
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
  return (signal?: AbortSignal) =>
    fetch(`${waypost.origin}/sandbox/platform/v1/deliveries?format=csv`, {
      headers: { authorization: `Bearer ${testOperatorKey}`, "waypost-workspace": workspace.id },
      ...(signal === undefined ? {} : { signal }),
    });
});

/** The start of a large file: what was read, and the reader for the rest. */
const exporting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const request = yield* deliveries(large);
  const abort = new AbortController();
  const response = yield* Effect.promise(() => request(abort.signal));
  assert.strictEqual(response.status, 200);
  const reader = (response.body ?? assert.fail("The response has no body")).getReader();
  const first = yield* Effect.promise(() => reader.read());
  assert.isTrue(new TextDecoder().decode(first.value).startsWith("id,send_id,campaign_id"));
  /** The sessions that read a file. */
  const sessions = sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'FETCH%exported'
      AND state <> 'idle'`;
  return { abort, reader, sessions, sql };
});

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)));

/** Reads the rest of a file: whether it comes to its end. */
const restOf = async (reader: ReadableStreamDefaultReader): Promise<"whole" | "cut"> => {
  try {
    for (;;) if ((await reader.read()).done) return "whole";
  } catch {
    return "cut";
  }
};

layer(TestWaypost.layer)("CSV files while they are read", (it) => {
  it.effect(
    "a reader that goes away ends the query (M5.7)",
    () =>
      Effect.gen(function* () {
        const { abort, sessions } = yield* exporting;
        assert.lengthOf(yield* sessions, 1);
        abort.abort();
        while ((yield* sessions).length > 0) yield* Effect.promise(() => new Promise(setImmediate));
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "a failure of the database cuts the connection: a short file is never whole (M5.8)",
    () =>
      Effect.gen(function* () {
        const { reader, sessions, sql } = yield* exporting;
        for (const { pid } of yield* sessions) yield* sql`SELECT pg_terminate_backend(${pid})`;
        assert.strictEqual(yield* Effect.promise(() => restOf(reader)), "cut");
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "a reader that stops is cut off as a slow client, which ends the query (M5.10, running.slow)",
    () =>
      Effect.gen(function* () {
        const { reader, sessions } = yield* exporting;
        const { origin } = yield* TestWaypost;
        assert.lengthOf(yield* sessions, 1);
        // The server checks once in a second; in between, time seems to pass faster.
        let shift = 0;
        const now = performance.now.bind(performance);
        const spy = vi.spyOn(performance, "now").mockImplementation(() => now() + shift);
        while ((yield* sessions).length > 0) {
          yield* Effect.promise(() => new Promise(setImmediate));
          shift += 10;
        }
        spy.mockRestore();
        assert.strictEqual(yield* Effect.promise(() => restOf(reader)), "cut");
        const metrics = yield* Effect.promise(async () => (await fetch(`${origin}/metrics`)).text());
        for (const [reason, count] of [
          ["file", 1],
          ["response", 0],
        ] as const)
          assert.include(metrics, `waypost_http_slow_clients_total{reason="${reason}"} ${count}\n`);
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "stopped readers of one workspace hold up no other one, and its further ones get 503 (M5.11)",
    () =>
      Effect.gen(function* () {
        const request = yield* deliveries(large);
        const abort = new AbortController();
        // A response that nobody refers to would be cancelled.
        const responses: Array<Response> = [];
        const sent = Array.from({ length: 4 }, async () => {
          responses.push(await request(abort.signal));
        });
        const statuses = () => responses.map(({ status }) => status);
        while (responses.length < 2) yield* turn;
        const other = yield* Effect.promise(yield* deliveries(1));
        const reader = (other.body ?? assert.fail("The response has no body")).getReader();
        assert.strictEqual(yield* Effect.promise(() => restOf(reader)), "whole");
        assert.deepStrictEqual(statuses(), [200, 200]);
        // Nobody ends a file for 15 seconds.
        while (responses.length < 4) {
          yield* TestClock.adjust("1 second");
          yield* turn;
        }
        yield* Effect.promise(() => Promise.all(sent));
        assert.deepStrictEqual(statuses(), [200, 200, 503, 503]);
        assert.deepStrictEqual(
          responses.map(({ headers }) => headers.get("retry-after")),
          [null, null, "30", "30"],
        );
        abort.abort();
      }).pipe(Effect.orDie),
    60_000,
  );
});
