import { Effect } from "effect";
import { SqlClient } from "effect/sql";

/** What a test file must know of the PostgreSQL of its run; plain data, since it crosses processes. */
export interface TestServer {
  readonly socketPath: string;
  readonly username: string;
  /** Empty when the migrated database is there to be copied. */
  readonly problem: string;
  /** A data directory with the migrated database in it, used by no server. */
  readonly prepared: string;
}

/** The migrated database that is copied for every test file; nobody else connects to it. */
export const templateName = "waypost_template";

/** Makes that database of the server's own one. */
export const createTemplate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CREATE DATABASE ${sql(templateName)} TEMPLATE ${sql("waypost")}`.unprepared;
});
