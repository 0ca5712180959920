import { Effect, Option, type Redacted } from "effect";
import { secretKeyFits } from "../access/Fingerprint.ts";
import type { Settings } from "../config/Settings.ts";
import { missingMigrations } from "../database/migrations/Migrations.ts";
import { runCheck, fine, type Observation, problem, sizeOf, spanOf, warning } from "./HealthCheck.ts";
import { databaseClock } from "../database/DatabaseClock.ts";
import { DatabaseFactsSql, type ServerFacts } from "./DatabaseFactsSql.ts";
import { processesOf } from "./WorkerHealthCheck.ts";
import { counted } from "../wire/Text.ts";

/** Connections that one process takes at most: its pool, and one to listen. */
const perProcess = 21;
const longTransaction = 5 * 60_000;

/** What the server's settings mean for what Waypost promises. */
export const checkServer = (facts: ServerFacts): ReadonlyArray<Observation> => {
  const found: Array<Observation> = [];
  const setIt = (name: string) => `Set ${name} = on in postgresql.conf, and reload.`;
  if (facts.is_standby || facts.is_read_only) {
    found.push(
      problem(
        "The database takes no changes: it is a standby, or read-only.",
        "Let DATABASE_URL name the primary.",
      ),
    );
  }
  for (const name of ["fsync", "full_page_writes"] as const) {
    if (facts[name] === "off")
      found.push(problem(`${name} is off: a power cut can destroy the database.`, setIt(name)));
  }
  if (facts.synchronous_commit === "off") {
    found.push(
      problem(
        "synchronous_commit is off: a crash loses changes that were answered, and messages are sent twice.",
        `${setIt("synchronous_commit")} Look at ALTER ROLE and ALTER DATABASE too.`,
      ),
    );
  }
  for (const name of ["autovacuum", "track_counts"] as const) {
    if (facts[name] === "off")
      found.push(problem(`${name} is off: tables grow and get slow for ever.`, setIt(name)));
  }
  if (facts.transactions_left < 1_000_000_000) {
    found.push(
      problem(
        `Old rows are not frozen: in ${counted(Math.max(0, facts.transactions_left), "transaction")} the database takes no changes.`,
        "End old transactions and prepared ones, then VACUUM FREEZE the database.",
      ),
    );
  }
  if (facts.checksum_failures > 0) {
    found.push(
      problem(
        `${counted(facts.checksum_failures, "page")} of the database had a wrong checksum: its disk loses data.`,
        "Take a backup now, replace the disk, and restore.",
      ),
    );
  }
  if (facts.has_other_collation) {
    found.push(
      warning(
        "The system's collations are not those that the database was made with: indexes on text may be in a wrong order.",
        "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION.",
      ),
    );
  }
  if (facts.statement_timeout !== "30s") {
    found.push(
      warning(
        `The session does not have the settings that Waypost gave it (statement_timeout is ${facts.statement_timeout}): ` +
          "a pooler in between drops them.",
        "Connect directly, or let the pooler pool by session and pass on start-up parameters.",
      ),
    );
  }
  return found.length > 0 ? found : [fine("It writes durably, vacuums by itself, and takes changes.")];
};

/** Whether the connections do for so many processes. */
export const checkConnections = (facts: ServerFacts, processes: number): Observation => {
  const { connections, most_connections: most } = facts;
  const seen = `${connections} of ${counted(most, "connection")} are taken`;
  const advice = `Raise max_connections: each process takes up to ${perProcess}.`;
  if (most - connections < 3) return problem(`${seen}: Waypost is turned away.`, advice);
  const needed = Math.max(1, processes) * perProcess;
  return most < needed
    ? warning(
        `${seen}, and ${counted(Math.max(1, processes), "process", "processes")} may take ${needed}.`,
        advice,
      )
    : fine(`${seen}.`);
};

const schema = Effect.map(missingMigrations, (missing) =>
  missing.length === 0
    ? fine("The schema is that of this program.")
    : warning(
        `${counted(missing.length, "migration")} still to be applied: ${missing.join(", ")}. Push credentials and work were not looked at.`,
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
  const sql = yield* DatabaseFactsSql;
  const [row] = yield* sql.rights;
  if (row === undefined) return [];
  const found: Array<Observation> = [];
  if (!row.may_create) {
    found.push(
      problem(
        "This account may not create tables: no migration can be applied.",
        "GRANT CREATE ON SCHEMA public TO it.",
      ),
    );
  }
  if (row.closed.length > 0) {
    found.push(
      problem(
        `This account may not read and change ${row.closed.join(", ")}.`,
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO it.",
      ),
    );
  }
  if (row.foreign.length > 0) {
    found.push(
      warning(
        `${counted(row.foreign.length, "table")} belong to another account: a migration that changes them will fail.`,
        "REASSIGN OWNED, or connect as that account.",
      ),
    );
  }
  return found.length > 0 ? found : fine("This account may do all that Waypost does.");
});

const transactions = Effect.gen(function* () {
  const sql = yield* DatabaseFactsSql;
  const now = yield* databaseClock;
  const long = (yield* sql.transactions).filter(({ since }) => now - since > longTransaction);
  return long.length === 0
    ? fine(`No transaction is open for more than ${spanOf(longTransaction)}.`)
    : long.map(({ since, state, who }) =>
        warning(
          `${who} has a transaction open for ${spanOf(now - since)} (${state}): dead rows stay until it ends.`,
          state === "prepared"
            ? "COMMIT PREPARED or ROLLBACK PREPARED it."
            : "End it: SELECT pg_terminate_backend(…).",
        ),
      );
});

const upkeep = Effect.gen(function* () {
  const sql = yield* DatabaseFactsSql;
  const tables = (yield* sql.bloat).map(({ dead, is_left_alone, live, name }) =>
    is_left_alone
      ? warning(
          `Autovacuum is told to leave ${name} alone.`,
          `ALTER TABLE ${name} RESET (autovacuum_enabled).`,
        )
      : warning(
          `${name} has ${counted(dead, "dead row")} beside ${counted(live, "live one")}.`,
          `VACUUM ${name}; where it comes back, give autovacuum more workers or a higher cost limit.`,
        ),
  );
  const indexes = (yield* sql.brokenIndexes).map(({ name }) =>
    problem(`The index ${name} is not valid.`, `REINDEX INDEX ${name}.`),
  );
  const slots = (yield* sql.idleSlots).map(({ name }) =>
    warning(
      `Nobody reads the replication slot ${name}: the database keeps its log for it until the disk is full.`,
      `Start its reader, or SELECT pg_drop_replication_slot('${name}').`,
    ),
  );
  const found = [...tables, ...indexes, ...slots];
  return found.length > 0
    ? found
    : fine("No table is bloated, no index broken, no replication slot forgotten.");
});

const secret = (key: Redacted.Redacted | null) =>
  Effect.gen(function* () {
    if (key === null) return [];
    const fits = yield* secretKeyFits(key);
    return fits === false
      ? problem(
          "The secret key is not the one that this database was first used with.",
          "Set WAYPOST_SECRET_KEY to that one, or put it back as secret.key in the data directory.",
        )
      : fine(
          fits === null
            ? "The database was not used with any secret key yet."
            : "The secret key is that of this database.",
        );
  });

/** The processes of Waypost that are connected now, none where that cannot be told. */
export const connectedProcesses = Effect.gen(function* () {
  const sql = yield* DatabaseFactsSql;
  return processesOf(yield* sql.sessions);
}).pipe(
  Effect.timeoutOption("10 seconds"),
  Effect.map(Option.getOrElse((): ReturnType<typeof processesOf> => [])),
  Effect.catchCause(() => Effect.succeed<ReturnType<typeof processesOf>>([])),
  Effect.provide(DatabaseFactsSql.layer),
);

/** Looks at a database that answers. `processes` is how many work on it. */
export const databaseHealthCheck = (options: {
  readonly config: Settings["Service"];
  readonly secretKey: Redacted.Redacted | null;
  readonly processes: number;
}) =>
  Effect.gen(function* () {
    const sql = yield* DatabaseFactsSql;
    const server = Effect.flatMap(sql.server, ([facts]) =>
      facts === undefined ? Effect.die(new Error("The server said nothing")) : Effect.succeed(facts),
    );
    const findings = yield* Effect.all(
      [
        runCheck(
          "database",
          "server",
          Effect.map(server, ({ account, bytes, version }) =>
            fine(
              `PostgreSQL ${version}${options.config.databaseUrl === undefined ? ", embedded" : `, as ${account}`}; ` +
                `the database takes ${sizeOf(bytes)}.`,
            ),
          ),
        ),
        runCheck("database", "settings", Effect.map(server, checkServer)),
        runCheck(
          "database",
          "connections",
          Effect.map(server, (facts) => checkConnections(facts, options.processes)),
        ),
        runCheck("database", "schema", schema),
        runCheck("database", "rights", rights),
        runCheck("database", "secret key", secret(options.secretKey)),
        runCheck("database", "transactions", transactions),
        runCheck("database", "upkeep", upkeep),
      ],
      { concurrency: 2 },
    );
    return findings.flat();
  }).pipe(Effect.provide(DatabaseFactsSql.layer));
