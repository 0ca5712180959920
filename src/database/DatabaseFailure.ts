/** Classifies SQL failures: database unavailable, and why, or conflict between transactions. */
import { Predicate } from "effect";
import type { SqlError } from "effect/sql";
import { isNodeLost } from "./SeveralNodes.ts";

/** The SQLSTATE, if PostgreSQL itself failed the statement. */
const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause = error.reason.cause;
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined;
};

/**
 * The reason with which a statement calls `refuse_commit` because what its transaction read first has changed
 * since. It counts as a conflict, so that the transaction runs again.
 */
export const conflictReason = "conflict";

/** The reason with which a statement called `refuse_commit` (WP001); null for any other failure. */
const refusedFor = (error: SqlError.SqlError): string | null => {
  const cause = error.reason.cause;
  if (sqlState(error) !== "WP001" || !Predicate.hasProperty(cause, "detail")) return null;
  return String(cause.detail);
};

/** As `refusedFor`, and null for a conflict. */
export const refusalOf = (error: SqlError.SqlError): string | null => {
  const reason = refusedFor(error);
  return reason === conflictReason ? null : reason;
};

/**
 * 57P01–57P03: the server shuts down, crashed, or is starting. 57P05, 25P03: it ended an idle session or
 * transaction. 53300: it has no free connection. 25006: it is a standby after a failover.
 */
const awayStates: ReadonlySet<string> = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "25P03",
  "53300",
  "25006",
]);

/**
 * Why a statement failed that may succeed later: no server answers (`away`), a lock or the statement took too
 * long or the transaction conflicted each time (`busy`), or the server has no space (`full`).
 */
export type Unavailability = "away" | "busy" | "full";

/** Whether no server answers, or it says that it is stopping, starting or full. A retry may succeed. */
const isTemporary = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError" ||
  awayStates.has(sqlState(error) ?? "") ||
  isNodeLost(sqlState(error), reasonOf(error));

/** Whether the server has no space on its disk (53100). */
export const isDiskFull = (error: SqlError.SqlError): boolean => sqlState(error) === "53100";

/** Why the database could not run a statement now; null if the statement itself is wrong. */
export const unavailabilityOf = (error: SqlError.SqlError): Unavailability | null => {
  if (isTemporary(error) || error.reason.operation === "connect") return "away";
  if (isDiskFull(error)) return "full";
  const { _tag } = error.reason;
  return _tag === "LockTimeoutError" || _tag === "StatementTimeoutError" || isConflict(error) ? "busy" : null;
};

/** Causes of a connection error that the next attempt meets again: the address or TLS is wrong. */
const isLastingCause = (cause: unknown): boolean => {
  if (!(cause instanceof Error)) return false;
  const code = "code" in cause ? String(cause.code) : "";
  return (
    code === "ENOTFOUND" ||
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|^ERR_SSL|^EPROTO$/.test(code) ||
    /does not support TLS|SSLRequest/.test(cause.message)
  );
};

/** Whether a server that does not answer yet may answer soon: it starts, or the network comes up. */
export const mayAnswerSoon = (error: SqlError.SqlError): boolean =>
  isTemporary(error) && !isLastingCause(error.reason.cause);

/**
 * Whether the transaction conflicted with another one and can be retried (40001, 40P01, or `conflictReason`).
 */
export const isConflict = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "SerializationError" ||
  error.reason._tag === "DeadlockError" ||
  refusedFor(error) === conflictReason;

/** The driver's or the server's message for a failure. */
export const reasonOf = ({ message, reason }: SqlError.SqlError): string =>
  (reason.cause instanceof Error ? reason.cause.message : "") || message;
