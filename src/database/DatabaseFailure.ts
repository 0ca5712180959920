/** Which SQL failures mean that the database is away, and which that two transactions met. */
import { Predicate } from "effect";
import type { SqlError } from "effect/sql";

/** The five-character SQLSTATE that PostgreSQL gave, if it was PostgreSQL that failed the statement. */
const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause = error.reason.cause;
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined;
};

/**
 * 57P01–57P03: the server shuts down, crashed, or is starting; 57P05: it ended an idle session; 53300: it has no connection
 * left; 25006: it is a standby after a failover.
 */
const awayStates: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "53300", "25006"]);

/** True when nobody answers, or the server answers that it is stopping, starting or full: it will be there again. */
export const isTemporary = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError" || awayStates.has(sqlState(error) ?? "");

/** True when the statement failed because of the connection or the server, not because of what it said. */
export const isDatabaseUnreachable = (error: SqlError.SqlError): boolean =>
  isTemporary(error) || error.reason.operation === "connect";

/** True when the transaction lost against another one and would do right to run again (40001, 40P01). */
export const isConflict = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError";
