/** Segment rules as SQL conditions. They are rules, not statements, so every slice may import them. */
import type { SqlClient, Statement } from "effect/sql";
import { arrayOf, instant, jsonb } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { Scalar } from "../rules/Rule.ts";
import { parseInstant } from "../time/Instant.ts";
import { DAY_MS } from "../time/DayNumbers.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import {
  type Audience,
  type EventCondition,
  isBuiltIn,
  isOnEvents,
  type SegmentCondition,
  type SegmentRule,
  versionNumbers,
} from "./SegmentRule.ts";

const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

const scalarsOf = ({ value }: SegmentCondition): ReadonlyArray<Scalar> =>
  typeof value === "object" ? value : [value];

/** The environment of devices, and the time at which their events are counted, in epoch milliseconds. */
export interface RuleScope {
  readonly tenant: TenantKey;
  readonly now: number;
}

/**
 * A condition on the table `device` under this alias: true for the devices of the rule, false or null for
 * others. All values are parameters, so a rule cannot inject SQL.
 */
export const ruleSql = (
  sql: SqlClient.SqlClient,
  rule: SegmentRule,
  alias: string,
  scope: RuleScope,
): Statement.Fragment => {
  // PostgreSQL evaluates conditions in this order and stops early. Columns are faster to read than
  // attributes.
  const onAttributes = rule.conditions.filter((condition) => !isOnEvents(condition));
  const onEvents = rule.conditions.filter(isOnEvents).map((each) => eventsSql(sql, each, alias, scope));
  const conditions = merged({ match: rule.match, conditions: onAttributes })
    .toSorted((a, b) => Number(isBuiltIn(b.condition.attribute)) - Number(isBuiltIn(a.condition.attribute)))
    .map(({ condition, isNegated }) => {
      const holds = conditionSql(sql, condition, alias);
      return isNegated ? sql`(${holds} IS NOT TRUE)` : holds;
    });
  const all = [...conditions, ...onEvents];
  return rule.match === "all" ? sql.and(all) : sql.or(all);
};

/** Whether the person of a device, or the device without one, has had an event. */
const eventsSql = (
  sql: SqlClient.SqlClient,
  { event, op, where, within_days }: EventCondition,
  alias: string,
  { now, tenant }: RuleScope,
): Statement.Fragment => {
  const isNone = sql.literal(op === "not_happened" ? "NOT " : "");
  const conditions = (where?.conditions ?? []).map((each) => attributeSql(sql, each, sql("e.properties")));
  const isMet = where?.match === "any" ? sql.or(conditions) : sql.and(conditions);
  return sql`(${isNone}EXISTS (
    SELECT FROM custom_event e
    WHERE ${tenantIs("e", tenant)} AND e.unit = COALESCE(-${sql(`${alias}.user_key`)}, ${sql(`${alias}.key`)})
      AND e.name = ${event} AND e.occurred_at >= ${instant(now - within_days * DAY_MS)}
      ${conditions.length === 0 ? sql`` : sql`AND ${isMet}`}))`;
};

interface AttributeRule {
  readonly match: SegmentRule["match"];
  readonly conditions: ReadonlyArray<SegmentCondition>;
}

/**
 * The conditions of a rule. Those that list values of one attribute are merged: any of `eq` and `in`, all of
 * `ne`. So an attribute is read once instead of up to fifty times.
 */
const merged = ({
  conditions,
  match,
}: AttributeRule): ReadonlyArray<{ readonly condition: SegmentCondition; readonly isNegated: boolean }> => {
  const isListed = ({ op }: SegmentCondition) => (match === "any" ? op === "eq" || op === "in" : op === "ne");
  const lists = Map.groupBy(conditions.filter(isListed), ({ attribute }) => attribute);
  return [
    ...[...lists].flatMap(([attribute, listed]) =>
      listed.length === 1
        ? listed.map((condition) => ({ condition, isNegated: false }))
        : [
            {
              condition: { attribute, op: "in", value: listed.flatMap(scalarsOf) } as const,
              isNegated: match === "all",
            },
          ],
    ),
    ...conditions.filter((each) => !isListed(each)).map((condition) => ({ condition, isNegated: false })),
  ];
};

/** A condition on the table `device` under this alias: true for the devices of the audience. */
export const audienceSql = (
  sql: SqlClient.SqlClient,
  audience: Audience,
  alias: string,
  scope: RuleScope,
): Statement.Fragment => {
  const rules = audience.rules.map((rule) => sql`(${ruleSql(sql, rule, alias, scope)})`);
  if (rules.length === 0) return sql`true`;
  return audience.match === "all" ? sql.and(rules) : sql.or(rules);
};

const conditionSql = (
  sql: SqlClient.SqlClient,
  condition: SegmentCondition,
  alias: string,
): Statement.Fragment => {
  const { attribute } = condition;
  if (!isBuiltIn(attribute)) return attributeSql(sql, condition, sql(`${alias}.attributes`));
  const column = sql(`${alias}.${attribute}`);
  if (attribute === "registered_at") return instantSql(sql, condition, column);
  if (attribute === "subscribed") return flagSql(sql, condition, column);
  return attribute === "app_version" && condition.op in signs
    ? versionSql(sql, condition, sql(`${alias}.app_version_numbers`))
    : textSql(sql, condition, column);
};

type Column = Statement.Identifier;

const signOf = (sql: SqlClient.SqlClient, op: SegmentCondition["op"]) =>
  sql.literal(op in signs ? signs[op as keyof typeof signs] : "=");

/** A condition on an attribute of the app. Values of different types are neither equal nor ordered. */
const attributeSql = (sql: SqlClient.SqlClient, condition: SegmentCondition, attributes: Column) => {
  const { attribute, op, value } = condition;
  const name = sql`${attribute}::text`;
  const held = sql`${attributes} -> ${name}`;
  switch (op) {
    case "exists":
      return value === true ? sql`(${attributes} ? ${name})` : sql`(NOT ${attributes} ? ${name})`;
    case "eq":
      return sql`(${held} = ${jsonb(value)})`;
    case "ne":
      return sql`(${held} IS DISTINCT FROM ${jsonb(value)})`;
    case "in":
      // PostgreSQL hashes a subquery, but searches an array parameter linearly.
      return sql`(${held} IN (SELECT unnest(${arrayOf("jsonb", scalarsOf(condition))})))`;
    case "contains":
      return sql`(CASE jsonb_typeof(${held})
        WHEN 'string' THEN strpos(${attributes} ->> ${name}, ${value}::text) > 0
        WHEN 'array' THEN ${held} ? ${value}::text END)`;
    default:
      // Texts are ordered by code points, independent of the database's collation; numbers as JSON orders
      // them.
      return typeof value === "number"
        ? sql`(jsonb_typeof(${held}) = 'number' AND ${held} ${signOf(sql, op)} ${jsonb(value)})`
        : sql`(jsonb_typeof(${held}) = 'string'
            AND (${attributes} ->> ${name}) COLLATE "C" ${signOf(sql, op)} ${value}::text)`;
  }
};

const textSql = (sql: SqlClient.SqlClient, condition: SegmentCondition, column: Column) => {
  const { op, value } = condition;
  switch (op) {
    case "exists":
      return value === true ? sql`(${column} IS NOT NULL)` : sql`(${column} IS NULL)`;
    case "ne":
      return sql`(${column} IS DISTINCT FROM ${value}::text)`;
    case "in":
      return sql`(${column} IN (SELECT unnest(${arrayOf("text", scalarsOf(condition).map(String))})))`;
    case "contains":
      return sql`(strpos(${column}, ${value}::text) > 0)`;
    default:
      return sql`(${column} COLLATE "C" ${signOf(sql, op)} ${value}::text)`;
  }
};

/** A column that is true or false, never null. */
const flagSql = (sql: SqlClient.SqlClient, condition: SegmentCondition, column: Column) => {
  const { op, value } = condition;
  if (op === "exists") return value === true ? sql`true` : sql`false`;
  const isOneOf = sql`${column} = ANY (${arrayOf("bool", scalarsOf(condition).map(Boolean))})`;
  return op === "ne" ? sql`(NOT ${isOneOf})` : sql`(${isOneOf})`;
};

/** Versions compare number by number; the column has the numbers that `versionNumbers` gives. */
const versionSql = (sql: SqlClient.SqlClient, { op, value }: SegmentCondition, numbers: Column) =>
  sql`(${numbers} ${signOf(sql, op)}
    ${`{${(versionNumbers(String(value)) ?? []).join(",")}}`}::text::numeric[])`;

/** Instants compare to the second, as responses show them. */
const instantSql = (sql: SqlClient.SqlClient, condition: SegmentCondition, column: Column) => {
  const { op, value } = condition;
  const at = sql`date_trunc('second', ${column})`;
  const millis = scalarsOf(condition).map((each) => parseInstant(String(each)) ?? 0);
  switch (op) {
    case "exists":
      return value === true ? sql`true` : sql`false`;
    case "in":
      return sql`(${at} IN (SELECT unnest(${arrayOf("timestamptz", millis)})))`;
    case "ne":
      return sql`(${at} <> ${instant(millis[0] ?? 0)})`;
    default:
      return sql`(${at} ${signOf(sql, op)} ${instant(millis[0] ?? 0)})`;
  }
};
