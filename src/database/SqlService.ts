import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";

/**
 * A service of statements on the database, with its layer:
 * `class MessagesSql extends SqlService<MessagesSql>("waypost/…/MessagesSql")((sql) => ({ … })) {}`.
 */
export const SqlService =
  <Self>(key: string) =>
  <Statements>(statements: (sql: SqlClient.SqlClient) => Statements) => {
    const service = Context.Service<Self, Statements>()(key);
    const layer = Layer.effect(service, Effect.map(SqlClient.SqlClient, statements));
    return Object.assign(service, { layer });
  };
