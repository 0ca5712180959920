/**
 * The rule of which devices can get messages, as parts of statements. It is a rule, not a statement, so every
 * slice may import it.
 */
import type { SqlClient, Statement } from "effect/sql";

/**
 * Conditions on the table `device` under an alias that prevent a message: in Sandbox a device must be
 * approved (contract L2), it must want messages (Q2), and its address must not be gone (L6). `isTest` says
 * whether the message is a test: then the device must be approved in Production too, and what it wants does
 * not matter (O4, X18).
 */
const conditions = (sql: SqlClient.SqlClient, alias: string, isTest: Statement.Fragment) => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return {
    notApproved: sql`(NOT ${column("approved")} AND (${column("environment")} = 'sandbox' OR ${isTest}))`,
    unsubscribed: sql`(NOT ${column("subscribed")} AND NOT ${isTest})`,
    addressGone: sql`(${column("address_gone_at")} IS NOT NULL)`,
  };
};

/** SQL expression: the `DeviceObstacle` of the device `alias`, the first of several; null for none. */
export const deviceObstacleSql = (
  sql: SqlClient.SqlClient,
  alias: string,
  isTest: Statement.Fragment = sql`false`,
): Statement.Fragment => {
  const { addressGone, notApproved, unsubscribed } = conditions(sql, alias, isTest);
  return sql`CASE WHEN ${sql(`${alias}.unregistered_at`)} IS NOT NULL THEN 'unregistered'
    WHEN ${notApproved} THEN 'not_approved' WHEN ${unsubscribed} THEN 'unsubscribed'
    WHEN ${addressGone} THEN 'address_gone' END`;
};

/**
 * SQL condition: nothing prevents that the device `alias` gets messages, if it is registered. A conjunction
 * that PostgreSQL can estimate, unlike the expression above.
 */
export const isReachableSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const { addressGone, notApproved, unsubscribed } = conditions(sql, alias, sql`false`);
  return sql`NOT ${addressGone} AND NOT ${unsubscribed} AND NOT ${notApproved}`;
};
