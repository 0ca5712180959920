import { Data, Effect } from "effect";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { socketName } from "./PostgresFiles.ts";

/** Another process holds the data directory and its PostgreSQL is not running. */
export class PostgresNotRunning extends Data.TaggedError("PostgresNotRunning")<{
  readonly message: string;
}> {}

/** The socket of the embedded PostgreSQL that runs on the data directory, as PostgreSQL itself wrote it down. */
export const runningSocket = (dataDir: string): Effect.Effect<string, PostgresNotRunning> =>
  Effect.try({
    try: () => {
      const lines = readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n");
      const folder = lines[4]?.trim() ?? "";
      if (folder === "") throw new Error("no socket");
      return join(folder, socketName);
    },
    catch: () =>
      new PostgresNotRunning({
        message: `A Waypost holds ${dataDir}, and its database is not there (yet): try again in a moment.`,
      }),
  });
