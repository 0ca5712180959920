import { assert, describe, it } from "@effect/vitest";
import { Cause, Context, Effect, Exit, Layer, Redacted } from "effect";
import { SqlClient } from "effect/sql";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { dirname } from "node:path";
import { inject } from "vitest";
import { Database } from "../../src/database/Database.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { captured, logged } from "../CapturedLog.ts";

const urlOf = (database: string) => {
  const { socketPath, username } = inject("testServer");
  return Redacted.make(
    `postgres:///${database}?host=${encodeURIComponent(dirname(socketPath))}&user=${username}`,
  );
};

const connect = (url: Redacted.Redacted, retryMillis = 0) =>
  Effect.map(Layer.build(postgresLayer({ _tag: "url", url }, { retryMillis })), (context) =>
    Context.get(context, SqlClient.SqlClient),
  );

/** A port where nothing listens, or where connections are accepted and never answered. */
const port = (isSilent: boolean) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer();
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      if (!isSilent) server.close();
      return { server, port: typeof address === "object" ? (address?.port ?? 0) : 0 };
    }),
    ({ server }) => Effect.sync(() => server.close()),
  ).pipe(Effect.map((opened) => opened.port));

describe("postgresLayer", () => {
  it.live("every session of a DATABASE_URL gets its settings (running.external)", () =>
    Effect.gen(function* () {
      const sql = yield* connect(urlOf("waypost"));
      const rows = yield* sql`
        SELECT name, setting FROM pg_settings
        WHERE name IN ('TimeZone', 'statement_timeout', 'application_name', 'lock_timeout',
          'client_connection_check_interval', 'idle_in_transaction_session_timeout')
        ORDER BY name COLLATE "C"`;
      assert.deepStrictEqual(rows, [
        { name: "TimeZone", setting: "UTC" },
        { name: "application_name", setting: "waypost" },
        { name: "client_connection_check_interval", setting: "2000" },
        { name: "idle_in_transaction_session_timeout", setting: "10000" },
        { name: "lock_timeout", setting: "5000" },
        { name: "statement_timeout", setting: "30000" },
      ]);
    }).pipe(Effect.scoped),
  );

  it.live("a database that is not UTF-8 is refused", () =>
    Effect.gen(function* () {
      const sql = yield* connect(urlOf("waypost"));
      yield* sql`CREATE DATABASE plain TEMPLATE template0 ENCODING 'SQL_ASCII'`.unprepared;
      const error = yield* Effect.flip(Effect.scoped(connect(urlOf("plain"))));
      yield* sql`DROP DATABASE plain WITH (FORCE)`.unprepared;
      assert.include(error.message, "its encoding is SQL_ASCII");
    }).pipe(Effect.scoped),
  );

  it.live("the error for an unreachable server has its address and no password", () =>
    Effect.gen(function* () {
      const url = `postgres://me:hunter2@127.0.0.1:${yield* port(false)}/shop`;
      const error = yield* Effect.flip(connect(Redacted.make(url)));
      assert.match(error.message, /^The database at 127\.0\.0\.1:\d+\/shop cannot be used: .*ECONNREFUSED/);
      assert.notInclude(`${error.message}${String(error)}${JSON.stringify(error)}`, "hunter2");
    }).pipe(Effect.scoped),
  );

  it.live("a missing database is not retried", () =>
    Effect.gen(function* () {
      // Hours of retries would let the test time out.
      const error = yield* Effect.flip(connect(urlOf("no_such_database"), 10_000_000));
      assert.include(error.message, 'database "no_such_database" does not exist');
    }).pipe(Effect.scoped),
  );

  it.live("a lasting error of the address is reported at once, not retried (running.external)", () =>
    Effect.gen(function* () {
      // A server that refuses TLS, which the address demands.
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const opened = createServer((socket) => socket.once("data", () => socket.write("N")));
          opened.listen(0, "127.0.0.1");
          await once(opened, "listening");
          return opened;
        }),
        (opened) => Effect.sync(() => opened.close()),
      );
      const { port: number } = server.address() as AddressInfo;
      const url = Redacted.make(`postgres://me@127.0.0.1:${number}/shop?sslmode=require`);
      // Hours of retries would let the test time out.
      const error = yield* Effect.flip(connect(url, 10_000_000));
      assert.include(error.message, "TLS");
    }).pipe(Effect.scoped),
  );

  it.live("a server that does not answer yet is reported once while it is retried", () =>
    Effect.gen(function* () {
      logged.length = 0;
      const url = Redacted.make(`postgres://me:hunter2@127.0.0.1:${yield* port(false)}/shop`);
      yield* Effect.flip(connect(url, 600));
      assert.lengthOf(
        logged.filter((line) => line.includes("does not answer yet")),
        1,
      );
      assert.notInclude(logged.join(), "hunter2");
    }).pipe(Effect.provide(captured), Effect.scoped),
  );

  it.live("a server that accepts connections and never answers fails", () =>
    Effect.gen(function* () {
      const url = Redacted.make(`postgres://me:hunter2@127.0.0.1:${yield* port(true)}/shop`);
      assert.isTrue(Exit.isFailure(yield* Effect.exit(connect(url))));
    }).pipe(Effect.scoped),
  );

  it.live("a session ended by the server is unavailable, and the pool reconnects at once", () =>
    Effect.gen(function* () {
      const sql = yield* connect(urlOf("waypost"));
      const database = yield* Effect.map(
        Layer.build(Layer.provide(Database.layerClient, Layer.succeed(SqlClient.SqlClient, sql))),
        (context) => Context.get(context, Database),
      );
      const exit = yield* Effect.exit(
        database.atomically(sql`SELECT pg_terminate_backend(pg_backend_pid())`),
      );
      assert.isTrue(
        Exit.isFailure(exit) && Database.isUnavailable(exit.cause),
        String(Exit.isFailure(exit) && Cause.pretty(exit.cause)),
      );
      assert.lengthOf(yield* sql`SELECT 1`, 1);
    }).pipe(Effect.scoped),
  );
});
