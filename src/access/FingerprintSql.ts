import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { firstRow, run } from "../database/Statements.ts";

/** The statements on values that all processes on a database must agree on. */
export class FingerprintSql extends Context.Service<FingerprintSql>()("waypost/access/FingerprintSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const find = (name: string) =>
      Effect.map(
        firstRow(sql<{ readonly value: string }>`SELECT value FROM installation WHERE name = ${name}`),
        (row) => row?.value ?? null,
      );

    return {
      /** The value that is stored under the name. */
      find,

      /** Stores the value under the name if there is none, and gives the stored one. */
      keep: (name: string, value: string) =>
        Effect.andThen(
          run(sql`
            INSERT INTO installation (name, value) VALUES (${name}, ${value}) ON CONFLICT (name) DO NOTHING`),
          find(name),
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(FingerprintSql, FingerprintSql.make);
}
