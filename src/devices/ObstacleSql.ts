/**
 * The rule of which devices can get messages, as parts of statements. It is a rule, not a statement, so every
 * slice may import it.
 */
import type { SqlClient, Statement } from "effect/sql";

/**
 * SQL condition: somebody approved the device as a test device (contract T6). In Production `approved` alone
 * does not say so, see `schema/0021_test_devices.sql`. `alias` is that of the table, if it has one.
 */
export const isApprovedSql = (sql: SqlClient.SqlClient, alias?: string): Statement.Fragment => {
  const column = (name: string) => sql(alias === undefined ? name : `${alias}.${name}`);
  return sql`(${column("approved")}
    AND (${column("environment")} = 'sandbox' OR ${column("approval_decided")}))`;
};

/**
 * Conditions on the table `device` under an alias that prevent a message: in Sandbox a device must be
 * approved (contract L2), it must want messages (Q2), and its address must not be gone (L6).
 */
const conditions = (sql: SqlClient.SqlClient, alias: string) => {
  const column = (name: string) => sql(`${alias}.${name}`);
  return {
    notApproved: sql`(NOT ${column("approved")} AND ${column("environment")} = 'sandbox')`,
    unsubscribed: sql`(NOT ${column("subscribed")})`,
    addressGone: sql`(${column("address_gone_at")} IS NOT NULL)`,
  };
};

/**
 * SQL expression: the `DeviceObstacle` of the device `alias`, the first of several; null for none. `isTest`
 * says whether the message is a test: then the device must be approved in Production too (O4).
 */
export const deviceObstacleSql = (
  sql: SqlClient.SqlClient,
  alias: string,
  isTest: Statement.Fragment = sql`false`,
): Statement.Fragment => {
  const { addressGone, notApproved, unsubscribed } = conditions(sql, alias);
  return sql`CASE WHEN ${sql(`${alias}.unregistered_at`)} IS NOT NULL THEN 'unregistered'
    WHEN ${notApproved} OR (${isTest} AND NOT ${isApprovedSql(sql, alias)}) THEN 'not_approved'
    WHEN ${unsubscribed} THEN 'unsubscribed' WHEN ${addressGone} THEN 'address_gone' END`;
};

/**
 * SQL condition: nothing prevents that the device `alias` gets messages, if it is registered. A conjunction
 * that PostgreSQL can estimate, unlike the expression above.
 */
export const isReachableSql = (sql: SqlClient.SqlClient, alias: string): Statement.Fragment => {
  const { addressGone, notApproved, unsubscribed } = conditions(sql, alias);
  return sql`NOT ${addressGone} AND NOT ${unsubscribed} AND NOT ${notApproved}`;
};
