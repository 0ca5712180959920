import { counted } from "../wire/Text.ts";
import { type FactRows, problem, warning } from "./HealthCheck.ts";

type Rows = FactRows<string, string | number | boolean>;

/** A setting that must be on. */
const on = (name: string, otherwise: string, more = ""): Rows[string] => [
  `current_setting('${name}') = 'off'`,
  problem,
  () => `${name} is off: ${otherwise}`,
  `Set ${name} = on in postgresql.conf, and reload.${more}`,
];

const transactionsLeft =
  "2000000000 - (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database())";

/** The checks of the server's settings and state. An expression is null or false if all is well. */
export const serverRows: Rows = {
  is_read_only: [
    "pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'",
    problem,
    () => "The database accepts no changes: it is a standby, or read-only.",
    "Set DATABASE_URL to the primary server.",
  ],
  fsync: on("fsync", "a power failure can destroy the database."),
  full_page_writes: on("full_page_writes", "a power failure can destroy the database."),
  synchronous_commit: on(
    "synchronous_commit",
    "a crash loses confirmed changes, and messages are sent twice.",
    " Check ALTER ROLE and ALTER DATABASE too.",
  ),
  autovacuum: on("autovacuum", "tables keep growing and slow down."),
  track_counts: on("track_counts", "tables keep growing and slow down."),
  transactions_left: [
    `CASE WHEN ${transactionsLeft} < 1000000000 THEN greatest(0, ${transactionsLeft})::text END`,
    problem,
    (left) =>
      `Old rows are not frozen: in ${counted(Number(left), "transaction")} the database accepts no changes.`,
    "End old transactions and prepared ones, then VACUUM FREEZE the database.",
  ],
  checksum_failures: [
    "(SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database())",
    problem,
    (pages) => `${counted(Number(pages), "page")} of the database had a wrong checksum: its disk loses data.`,
    "Take a backup now, replace the disk, and restore.",
  ],
  has_other_collation: [
    `(SELECT datcollversion <> pg_database_collation_actual_version(oid)
      FROM pg_database WHERE datname = current_database())`,
    warning,
    () =>
      "The collations of the system differ from those of the database: indexes on text may be out of order.",
    "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION.",
  ],
  statement_timeout: [
    "NULLIF(current_setting('statement_timeout'), '30s')",
    warning,
    (timeout) =>
      `The session does not have Waypost's settings (statement_timeout is ${timeout}): a pooler drops them.`,
    "Connect directly, or set the pooler to session mode and let it pass start-up parameters on.",
  ],
};

/** The facts of all rows, as pairs of a JSON object. */
export const serverPairs = Object.entries(serverRows)
  .map(([fact, [expression]]) => `'${fact}', ${expression}`)
  .join(", ");
