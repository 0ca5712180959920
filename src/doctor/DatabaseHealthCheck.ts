import { Effect, type Redacted } from "effect";
import { secretKeyFits } from "../access/Fingerprint.ts";
import type { SettingsService } from "../config/Settings.ts";
import { databaseClock } from "../database/DatabaseClock.ts";
import { missingMigrations } from "../database/migrations/Migrations.ts";
import { counted } from "../wire/Text.ts";
import { databaseFactsSql, type Server } from "./DatabaseFactsSql.ts";
import { distributionHealthCheck } from "./DistributionHealthCheck.ts";
import {
  factOutcomes,
  formatSize,
  formatSpan,
  ok,
  type Outcome,
  outcomesOr,
  problem,
  runCheck,
  warning,
} from "./HealthCheck.ts";
import { serverRows } from "./ServerRowsSql.ts";

/** Maximum connections of one process: its pool, and one that listens for notifications. */
const connectionsPerProcess = 21;
const minFreeConnections = 3;

const longTransactionMillis = 5 * 60_000;

/**
 * Whether the connections of the server are enough for all processes. `limits` has the maximum of each.
 * Without processes, they must be enough for one.
 */
export const connectionOutcome = (
  { connections, max_connections: max }: Pick<Server, "connections" | "max_connections">,
  limits: ReadonlyArray<number>,
): Outcome => {
  const observation = `${connections} of ${counted(max, "connection")} are in use`;
  const advice = `Raise max_connections: each process uses up to ${connectionsPerProcess}.`;
  if (max - connections < minFreeConnections)
    return problem(`${observation}: Waypost may not get one.`, advice);
  const running = Math.max(1, limits.length);
  const needed = limits.length === 0 ? connectionsPerProcess : limits.reduce((sum, each) => sum + each, 0);
  return max < needed
    ? warning(`${observation}, and ${counted(running, "process", "processes")} may use ${needed}.`, advice)
    : ok(`${observation}.`);
};

const schema = Effect.map(missingMigrations, (missing) =>
  missing.length === 0
    ? ok("The schema is that of this program.")
    : warning(
        `${counted(missing.length, "migration")} not applied yet: ${missing.join(", ")}. ` +
          "Push credentials and work were not checked.",
        "Take a backup; the next start of waypost serve applies them.",
      ),
).pipe(
  Effect.catch((refused) =>
    Effect.succeed(
      problem(refused.message.split("\n")[0] ?? "", "waypost serve refuses to start on this database."),
    ),
  ),
);

const rights = Effect.gen(function* () {
  const sql = yield* databaseFactsSql;
  const { foreign, forbidden, may_create } = yield* sql.rights;
  return outcomesOr("This account has all rights that Waypost needs.", [
    !may_create &&
      problem(
        "This account may not create tables: no migration can be applied.",
        "GRANT CREATE ON SCHEMA public TO it.",
      ),
    forbidden.length > 0 &&
      problem(
        `This account may not read and change ${forbidden.join(", ")}.`,
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO it.",
      ),
    foreign.length > 0 &&
      warning(
        `${counted(foreign.length, "table")} belong to another account: ` +
          "a migration that changes them will fail.",
        "REASSIGN OWNED, or connect as that account.",
      ),
  ]);
});

const transactions = Effect.gen(function* () {
  const sql = yield* databaseFactsSql;
  const now = yield* databaseClock;
  const open = yield* sql.transactions;
  return outcomesOr(
    `No transaction has been open for more than ${formatSpan(longTransactionMillis)}.`,
    open.map(
      ({ session, since, state }) =>
        now - since > longTransactionMillis &&
        warning(
          `${session} has had a transaction open for ${formatSpan(now - since)} (${state}): ` +
            "dead rows cannot be removed until it ends.",
          state === "prepared"
            ? "COMMIT PREPARED or ROLLBACK PREPARED it."
            : "End it: SELECT pg_terminate_backend(…).",
        ),
    ),
  );
});

const upkeep = Effect.gen(function* () {
  const sql = yield* databaseFactsSql;
  const tables = (yield* sql.bloat).map(({ dead, has_autovacuum, live, name }) =>
    has_autovacuum
      ? warning(
          `${name} has ${counted(dead, "dead row")} and ${counted(live, "live one")}.`,
          `VACUUM ${name}. If it grows again, give autovacuum more workers or a higher cost limit.`,
        )
      : warning(`Autovacuum is disabled for ${name}.`, `ALTER TABLE ${name} RESET (autovacuum_enabled).`),
  );
  const indexes = (yield* sql.invalidIndexes).map(({ name }) =>
    problem(`The index ${name} is not valid.`, `REINDEX INDEX ${name}.`),
  );
  const slots = (yield* sql.inactiveSlots).map(({ name }) =>
    warning(
      `The replication slot ${name} has no reader: the database keeps its log for it until the disk is full.`,
      `Start its reader, or SELECT pg_drop_replication_slot('${name}').`,
    ),
  );
  return outcomesOr("No table is bloated, no index is invalid, and every replication slot has a reader.", [
    ...tables,
    ...indexes,
    ...slots,
  ]);
});

const checkSecretKey = (secretKey: Redacted.Redacted | null) =>
  Effect.gen(function* () {
    if (secretKey === null) return [];
    const fits = yield* secretKeyFits(secretKey);
    if (fits === null) return ok("The database has not been used with a secret key yet.");
    return fits
      ? ok("The secret key is that of this database.")
      : problem(
          "The secret key is not the one that this database was first used with.",
          "Set WAYPOST_SECRET_KEY to that key, or restore it as secret.key in the data directory.",
        );
  });

/** Checks a database that responds. `connections` has the maximum of each process. */
export const databaseHealthCheck = (options: {
  readonly settings: SettingsService;
  readonly secretKey: Redacted.Redacted | null;
  readonly connections: ReadonlyArray<number>;
}) =>
  Effect.gen(function* () {
    const sql = yield* databaseFactsSql;
    const isEmbedded = options.settings.databaseUrl === undefined;
    const { server } = sql;
    const version = Effect.map(server, ({ account, bytes, version: number }) =>
      ok(
        `PostgreSQL ${number}, ${isEmbedded ? "embedded" : `as ${account}`}; ` +
          `the database has ${formatSize(bytes)}.`,
      ),
    );
    const settings = Effect.map(server, ({ facts }) =>
      factOutcomes("The server is durable, vacuums automatically, and accepts changes.", serverRows, facts),
    );
    const connections = Effect.map(server, (facts) => connectionOutcome(facts, options.connections));
    const findings = yield* Effect.all(
      [
        runCheck("database", "server", version),
        runCheck("database", "settings", settings),
        runCheck("database", "connections", connections),
        runCheck("database", "schema", schema),
        runCheck("database", "rights", rights),
        runCheck("database", "secret key", checkSecretKey(options.secretKey)),
        runCheck("database", "transactions", transactions),
        runCheck("database", "upkeep", upkeep),
        runCheck("database", "distribution", distributionHealthCheck),
      ],
      { concurrency: 2 },
    );
    return findings.flat();
  });
