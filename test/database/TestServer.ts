import { Effect } from "effect";
import { SqlClient } from "effect/sql";

/** What a test file must know of the PostgreSQL of its run; plain data, since it crosses processes. */
export interface TestServer {
  readonly socketPath: string;
  readonly username: string;
  /** Empty when the migrated database is there to be copied. */
  readonly problem: string;
}

/** The migrated database that is copied for every test file; nobody else connects to it. */
export const templateName = "waypost_template";

/** Makes the empty database for the migrations and returns its name. */
export const createTemplate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CREATE DATABASE ${sql(templateName)}`.unprepared;
  return templateName;
});
