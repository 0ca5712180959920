import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";

/** The statements on what every process on a database must agree on. */
export class FingerprintSql extends Context.Service<FingerprintSql>()("waypost/access/FingerprintSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      /** The value that is written down under the name. */
      find: (name: string) =>
        Effect.orDie(sql<{ value: string }>`SELECT value FROM installation WHERE name = ${name}`),

      /** Writes the value down under the name, unless there is one, and gives the one that is there. */
      keep: (name: string, value: string) =>
        Effect.orDie(
          Effect.andThen(
            sql`INSERT INTO installation (name, value) VALUES (${name}, ${value}) ON CONFLICT (name) DO NOTHING`,
            sql<{ value: string }>`SELECT value FROM installation WHERE name = ${name}`,
          ),
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(FingerprintSql, FingerprintSql.make);
}
