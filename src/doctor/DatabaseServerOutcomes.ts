/** Outcomes for facts about the database server. */
import { counted } from "../wire/Text.ts";
import type { ServerFacts } from "./DatabaseFactsSql.ts";
import { ok, type Outcome, outcomesOr, problem, warning } from "./HealthCheck.ts";

/** Maximum connections of one process: its pool, and one that listens for notifications. */
const connectionsPerProcess = 21;
const minFreeConnections = 3;
const minTransactionsLeft = 1_000_000_000;

const turnOn = (setting: string) => `Set ${setting} = on in postgresql.conf, and reload.`;

/** The outcomes for the server's settings and state. */
export const serverOutcomes = (facts: ServerFacts): ReadonlyArray<Outcome> =>
  outcomesOr("The server is durable, vacuums automatically, and accepts changes.", [
    (facts.is_standby || facts.is_read_only) &&
      problem(
        "The database accepts no changes: it is a standby, or read-only.",
        "Set DATABASE_URL to the primary server.",
      ),
    ...(["fsync", "full_page_writes"] as const).map(
      (name) =>
        facts[name] === "off" &&
        problem(`${name} is off: a power failure can destroy the database.`, turnOn(name)),
    ),
    facts.synchronous_commit === "off" &&
      problem(
        "synchronous_commit is off: a crash loses confirmed changes, and messages are sent twice.",
        `${turnOn("synchronous_commit")} Check ALTER ROLE and ALTER DATABASE too.`,
      ),
    ...(["autovacuum", "track_counts"] as const).map(
      (name) =>
        facts[name] === "off" && problem(`${name} is off: tables keep growing and slow down.`, turnOn(name)),
    ),
    facts.transactions_left < minTransactionsLeft &&
      problem(
        `Old rows are not frozen: in ${counted(Math.max(0, facts.transactions_left), "transaction")} ` +
          "the database accepts no changes.",
        "End old transactions and prepared ones, then VACUUM FREEZE the database.",
      ),
    facts.checksum_failures > 0 &&
      problem(
        `${counted(facts.checksum_failures, "page")} of the database had a wrong checksum: ` +
          "its disk loses data.",
        "Take a backup now, replace the disk, and restore.",
      ),
    facts.has_other_collation &&
      warning(
        "The collations of the system differ from those of the database: " +
          "indexes on text may be out of order.",
        "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION.",
      ),
    facts.statement_timeout !== "30s" &&
      warning(
        `The session does not have Waypost's settings (statement_timeout is ${facts.statement_timeout}): ` +
          "a pooler drops them.",
        "Connect directly, or set the pooler to session mode and let it pass start-up parameters on.",
      ),
  ]);

/**
 * Whether the connections of the server are enough for all processes. `limits` has the maximum of each.
 * Without processes, they must be enough for one.
 */
export const connectionOutcome = (facts: ServerFacts, limits: ReadonlyArray<number>): Outcome => {
  const { connections, max_connections: max } = facts;
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
