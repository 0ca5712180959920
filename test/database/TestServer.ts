import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import type { CitusCluster } from "./CitusCluster.ts";

/** The PostgreSQL of a test run, as plain data that crosses processes. */
export interface TestServer {
  readonly socketPath: string;
  readonly username: string;
  /** The error of the migrations; empty if the template database exists. */
  readonly problem: string;
  /** A data directory with the migrated database, used by no server. */
  readonly prepared: string;
  /** The folder of the statements that tests of the run recorded. */
  readonly statements: string;
  /** The Citus cluster that test databases are on instead, if the run has one. */
  readonly citus: CitusCluster | null;
}

/** The migrated database that is copied for every test file. Nothing connects to it. */
export const templateName = "waypost_template";

/** Copies the server's own database to the template. */
export const createTemplate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CREATE DATABASE ${sql(templateName)} TEMPLATE ${sql("waypost")}`.unprepared;
});
