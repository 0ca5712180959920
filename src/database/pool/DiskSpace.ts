import { Cause, Context, Effect, type Exit, Metric, type Scope } from "effect";
import type { SqlClient, SqlError } from "effect/sql";
import { isDiskFull } from "../DatabaseFailure.ts";
import type { Run } from "./ConnectionPool.ts";

const diskFull = Metric.gauge("waypost_database_disk_full", {
  description: "1 while the disk of the database has no space for a change, else 0.",
});

/** How often a full disk is tested again, in milliseconds. */
const testMillis = 2000;

/** Writes a few megabytes to a temporary file, which the server removes at once. */
const writeFile = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(
    Effect.andThen(
      sql`SET LOCAL work_mem = '64kB'`.unprepared,
      sql`SELECT count(*) FROM (
        SELECT md5(n::text) AS text FROM generate_series(1, 60000) AS n ORDER BY 1 OFFSET 1
      ) AS sorted`.unprepared,
    ),
  );

/**
 * Whether the disk of the database is full. Statements report it, and tests find out when it has space again.
 */
export class DiskSpace extends Context.Service<
  DiskSpace,
  {
    readonly isFull: Effect.Effect<boolean>;
    /** Reports the result of a statement. */
    readonly report: (exit: Exit.Exit<unknown, SqlError.SqlError>) => void;
    /** Tests a full disk until the scope closes. */
    readonly watch: (sql: SqlClient.SqlClient, run: Run) => Effect.Effect<void, never, Scope.Scope>;
  }
>()("waypost/database/pool/DiskSpace") {
  static readonly make: Effect.Effect<DiskSpace["Service"]> = Effect.gen(function* () {
    const services = Context.pick(Metric.MetricRegistry)(yield* Effect.context());
    let isFull = false;
    let isTesting = false;
    const set = (value: boolean): void => {
      isFull = value;
      diskFull.updateUnsafe(value ? 1 : 0, services);
    };
    set(false);

    const test = (sql: SqlClient.SqlClient, run: Run): void => {
      if (!isFull || isTesting) return;
      isTesting = true;
      run(writeFile(sql)).addObserver((exit) => {
        isTesting = false;
        if (exit._tag === "Success") set(false);
      });
    };

    return DiskSpace.of({
      isFull: Effect.sync(() => isFull),
      report: (exit) => {
        if (exit._tag === "Success" || isFull) return;
        const reasons = exit.cause.reasons.filter(Cause.isFailReason);
        if (reasons.some(({ error }) => isDiskFull(error))) set(true);
      },
      watch: (sql, run) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => setInterval(() => test(sql, run), testMillis).unref()),
            (timer) => Effect.sync(() => clearInterval(timer)),
          ),
        ),
    });
  });
}
