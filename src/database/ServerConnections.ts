import { Effect } from "effect";
import { SqlClient } from "effect/sql";

/** The connections that the server accepts from an account without special rights. */
export const serverConnections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [row = { available: 0 }] = yield* sql<{ readonly available: number }>`
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - COALESCE(current_setting('reserved_connections', true), '0')::int AS available`;
  return row.available;
}).pipe(Effect.orDie);
