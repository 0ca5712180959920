import { assert, describe, it } from "@effect/vitest";
import { Cause, Context, Effect, Exit, Layer, Redacted } from "effect";
import { SqlClient } from "effect/sql";
import { once } from "node:events";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { inject } from "vitest";
import { Database } from "../../src/database/Database.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";

const urlOf = (database: string) => {
  const { socketPath, username } = inject("testServer");
  return Redacted.make(
    `postgres:///${database}?host=${encodeURIComponent(dirname(socketPath))}&user=${username}`,
  );
};

const connect = (url: Redacted.Redacted, maxWaitMillis = 0) =>
  Effect.map(Layer.build(postgresLayer({ _tag: "url", url }, { maxWaitMillis })), (context) =>
    Context.get(context, SqlClient.SqlClient),
  );

/** A port on which nothing listens, or on which connections are taken and never answered. */
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
  it.live("takes a DATABASE_URL and sets up every session (running.external)", () =>
    Effect.gen(function* () {
      const sql = yield* connect(urlOf("waypost"));
      const rows = yield* sql`
        SELECT name, setting FROM pg_settings
        WHERE name IN ('TimeZone', 'statement_timeout', 'application_name', 'client_connection_check_interval')
        ORDER BY name COLLATE "C"`;
      assert.deepStrictEqual(rows, [
        { name: "TimeZone", setting: "UTC" },
        { name: "application_name", setting: "waypost" },
        { name: "client_connection_check_interval", setting: "2000" },
        { name: "statement_timeout", setting: "30000" },
      ]);
    }).pipe(Effect.scoped),
  );

  it.live("refuses a database that is not UTF-8", () =>
    Effect.gen(function* () {
      const sql = yield* connect(urlOf("waypost"));
      yield* sql`CREATE DATABASE plain TEMPLATE template0 ENCODING 'SQL_ASCII'`.unprepared;
      const error = yield* Effect.flip(Effect.scoped(connect(urlOf("plain"))));
      yield* sql`DROP DATABASE plain WITH (FORCE)`.unprepared;
      assert.include(error.message, "its encoding is SQL_ASCII");
    }).pipe(Effect.scoped),
  );

  it.live("says which server it did not reach, and why, without the password", () =>
    Effect.gen(function* () {
      const url = `postgres://me:hunter2@127.0.0.1:${yield* port(false)}/shop`;
      const error = yield* Effect.flip(connect(Redacted.make(url)));
      assert.match(error.message, /^The database at 127\.0\.0\.1:\d+\/shop cannot be used: .*ECONNREFUSED/);
      assert.notInclude(`${error.message}${String(error)}${JSON.stringify(error)}`, "hunter2");
    }).pipe(Effect.scoped),
  );

  it.live("does not wait for a database that is not there, however long it is told to be patient", () =>
    Effect.gen(function* () {
      // Patience of hours would hold the test up until it fails.
      const error = yield* Effect.flip(connect(urlOf("no_such_database"), 10_000_000));
      assert.include(error.message, 'database "no_such_database" does not exist');
    }).pipe(Effect.scoped),
  );

  it.live("gives up on a server that takes the connection and says nothing", () =>
    Effect.gen(function* () {
      const url = Redacted.make(`postgres://me:hunter2@127.0.0.1:${yield* port(true)}/shop`);
      assert.isTrue(Exit.isFailure(yield* Effect.exit(connect(url))));
    }).pipe(Effect.scoped),
  );

  it.live("fails as unavailable when the session is ended by the server, and works again at once", () =>
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
