import { Effect } from "effect";
import type { SqlClient, SqlError } from "effect/sql";
import { pipelined, type TransactionConnection } from "../pool/TransactionConnection.ts";
import { ifDistributedBy } from "./IsDistributed.ts";

/** Whether the transaction has a number: it wrote or locked rows of the coordinator. */
const isNumbered = "SELECT 1 WHERE pg_current_xact_id_if_assigned() IS NOT NULL";

const askForTwoPhases = "DELETE FROM two_phase WHERE id = 1";

/**
 * Commits a transaction. If the database is distributed and the transaction has written plain tables, it
 * commits in two phases: its shards are prepared before the coordinator commits, so that a crash between
 * leaves both or neither. A statement on `two_phase`, a table that Citus manages, asks for that. A
 * transaction that wrote shards alone needs it only if they are on several nodes, which Citus sees itself. If
 * it cannot ask, it rolls back.
 */
export const commit = (
  sql: SqlClient.SqlClient,
  transaction: TransactionConnection,
): Effect.Effect<void, SqlError.SqlError> => {
  if (!transaction.isOpen) return transaction.commit;
  const rowsOf = (statement: string) => transaction.execute(statement, [], undefined);
  const orRollBack = <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.tapError(effect, () => rowsOf("ROLLBACK"));
  return ifDistributedBy(
    sql,
    (statement) => orRollBack(rowsOf(statement)),
    () => {
      const asked = Effect.flatMap(rowsOf(isNumbered), (numbered) =>
        // If it fails, the commit fails.
        numbered.length === 0 ? Effect.void : pipelined(Effect.asVoid(rowsOf(askForTwoPhases))),
      );
      return Effect.andThen(orRollBack(asked), transaction.commit);
    },
    () => transaction.commit,
  );
};
