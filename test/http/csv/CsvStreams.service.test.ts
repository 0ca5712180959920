import { assert, layer, vi } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { logged } from "../../CapturedLog.ts";
import { eventually } from "../../Eventually.ts";
import {
  begun,
  fileWorld,
  large,
  metrics,
  pagesInUse,
  restOf,
  sessions,
  waypostWithSpool,
} from "../files/FileWorld.ts";

/** A file whose query waits for its client, which has read only the first bytes. */
const waiting = (kind: "deliveries" | "person") =>
  Effect.gen(function* () {
    const world = yield* fileWorld(large);
    const abort = new AbortController();
    const response = yield* Effect.promise(() => world[kind](abort.signal));
    const { first, reader } = yield* begun(response);
    const opening = { deliveries: "id,send_id,campaign_id", person: '{"data":{"user_id":"p1"' }[kind];
    assert.isTrue(new TextDecoder().decode(first).startsWith(opening));
    yield* eventually(Effect.map(sessions, ({ length }) => length === 1));
    return { abort, reader, response };
  });

const isFree = Effect.map(Effect.all([sessions, pagesInUse]), ([{ length }, pages]) => length + pages === 0);

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)));

layer(waypostWithSpool(8))("CSV files while they are read", (it) => {
  it.effect(
    "a reader that goes away ends the query, and gives the spool back (M5.7, running.files)",
    () =>
      Effect.gen(function* () {
        const { abort } = yield* waiting("deliveries");
        abort.abort();
        yield* eventually(isFree);
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "a failure of the database cuts the connection, and is logged: a short file is never whole (M5.8, Q3.9)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        for (const kind of ["deliveries", "person"] as const) {
          const { reader, response } = yield* waiting(kind);
          logged.length = 0;
          for (const { pid } of yield* sessions) yield* sql`SELECT pg_terminate_backend(${pid})`;
          assert.strictEqual(yield* Effect.promise(() => restOf(reader)), "cut");
          const id = response.headers.get("x-request-id") ?? "none";
          yield* eventually(
            Effect.sync(() =>
              logged.some((line) => line.includes("A response broke off") && line.includes(id)),
            ),
          );
          yield* eventually(isFree);
        }
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "a reader that stops is cut off as a slow client, which ends the query (M5.10, running.slow)",
    () =>
      Effect.gen(function* () {
        const { reader } = yield* waiting("deliveries");
        // The server checks once in a second; in between, time seems to pass faster.
        let shift = 0;
        const now = performance.now.bind(performance);
        const spy = vi.spyOn(performance, "now").mockImplementation(() => now() + shift);
        while ((yield* sessions).length > 0) {
          yield* turn;
          shift += 10;
        }
        spy.mockRestore();
        assert.strictEqual(yield* Effect.promise(() => restOf(reader)), "cut");
        const text = yield* metrics;
        for (const [reason, count] of [
          ["file", 1],
          ["response", 0],
        ] as const)
          assert.include(text, `waypost_http_slow_clients_total{reason="${reason}"} ${count}\n`);
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "stopped readers of one workspace hold up no other one, and its further ones get 503 (M5.11)",
    () =>
      Effect.gen(function* () {
        const { deliveries } = yield* fileWorld(large);
        const abort = new AbortController();
        // A response that nobody refers to would be cancelled.
        const responses: Array<Response> = [];
        const sent = Array.from({ length: 4 }, async () => {
          responses.push(await deliveries(abort.signal));
        });
        const statuses = () => responses.map(({ status }) => status);
        while (responses.length < 2) yield* turn;
        const other = yield* fileWorld(1_000);
        const { reader } = yield* begun(yield* Effect.promise(() => other.deliveries()));
        assert.notStrictEqual(yield* Effect.promise(() => restOf(reader)), "cut");
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
        yield* eventually(isFree);
      }).pipe(Effect.orDie),
    60_000,
  );

  it.effect(
    "while stopped readers hold all permits and the spool, small files need neither (running.files)",
    () =>
      Effect.gen(function* () {
        const abort = new AbortController();
        const stopped: Array<unknown> = [];
        for (let workspaces = 0; workspaces < 2; workspaces++) {
          const { deliveries } = yield* fileWorld(large);
          for (let files = 0; files < 2; files++)
            stopped.push(yield* begun(yield* Effect.promise(() => deliveries(abort.signal))));
        }
        assert.lengthOf(yield* sessions, 4);
        const other = yield* fileWorld(1);
        for (const path of ["/deliveries", "/devices", "/reports/summary"]) {
          const response = yield* Effect.promise(() =>
            other.request(`/sandbox/platform/v1${path}?format=csv`),
          );
          const text = yield* Effect.promise(() => response.text());
          assert.match(text, /^\w+,.*\r\n.*\r\n$/s, path);
        }
        const person: any = yield* Effect.promise(async () => (await other.person()).json());
        assert.lengthOf(person.data.messages, 1);
        assert.lengthOf(yield* sessions, 4);
        abort.abort();
        yield* eventually(isFree);
      }).pipe(Effect.orDie),
    60_000,
  );
});
