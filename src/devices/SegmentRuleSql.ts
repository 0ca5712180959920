/** Which devices a rule holds, as SQL. A rule, not a statement, so every slice may read it. */
import type { SqlClient, Statement } from "effect/sql";
import { arrayOf, instant, jsonb } from "../database/Rows.ts";
import { parseInstant } from "../time/Instant.ts";
import {
  type Audience,
  isBuiltIn,
  type Scalar,
  type SegmentCondition,
  type SegmentRule,
  versionNumbers,
} from "./SegmentRule.ts";

const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

const scalarsOf = ({ value }: SegmentCondition): ReadonlyArray<Scalar> =>
  typeof value === "object" ? value : [value];

/**
 * An SQL condition over the table `device` under the given alias: true for the devices of the rule, false or null for all
 * others. All values are parameters, so that a rule can say nothing but what it says.
 */
export const ruleSql = (sql: SqlClient.SqlClient, rule: SegmentRule, alias: string): Statement.Fragment => {
  // PostgreSQL looks at them in this order and stops where the outcome is plain: a column is read faster than an attribute.
  const conditions = joined(rule)
    .toSorted((a, b) => Number(isBuiltIn(b.condition.attribute)) - Number(isBuiltIn(a.condition.attribute)))
    .map(({ condition, isDenied }) => {
      const holds = conditionSql(sql, condition, alias);
      return isDenied ? sql`(${holds} IS NOT TRUE)` : holds;
    });
  return rule.match === "all" ? sql.and(conditions) : sql.or(conditions);
};

/**
 * The conditions of a rule, those that list values of one attribute as one: any of `eq` and `in`, all of `ne`. An attribute is
 * looked up once then, and not fifty times.
 */
const joined = ({
  conditions,
  match,
}: SegmentRule): ReadonlyArray<{ readonly condition: SegmentCondition; readonly isDenied: boolean }> => {
  const isListed = ({ op }: SegmentCondition) => (match === "any" ? op === "eq" || op === "in" : op === "ne");
  const lists = Map.groupBy(conditions.filter(isListed), ({ attribute }) => attribute);
  return [
    ...[...lists].flatMap(([attribute, listed]) =>
      listed.length === 1
        ? listed.map((condition) => ({ condition, isDenied: false }))
        : [
            {
              condition: { attribute, op: "in", value: listed.flatMap(scalarsOf) } as const,
              isDenied: match === "all",
            },
          ],
    ),
    ...conditions.filter((each) => !isListed(each)).map((condition) => ({ condition, isDenied: false })),
  ];
};

/** An SQL condition over the table `device` under the given alias: true for the devices of the audience. */
export const audienceSql = (
  sql: SqlClient.SqlClient,
  audience: Audience,
  alias: string,
): Statement.Fragment => {
  const rules = audience.rules.map((rule) => sql`(${ruleSql(sql, rule, alias)})`);
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
  return attribute === "app_version" && condition.op in signs
    ? versionSql(sql, condition, sql(`${alias}.app_version_numbers`))
    : textSql(sql, condition, column);
};

type Column = Statement.Identifier;

const signOf = (sql: SqlClient.SqlClient, op: SegmentCondition["op"]) =>
  sql.literal(op in signs ? signs[op as keyof typeof signs] : "=");

/** What the app told of the device. Values of different types are never the same, and never in order. */
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
      // A subquery is looked up by its hash, an array in a prepared statement from end to end.
      return sql`(${held} IN (SELECT unnest(${arrayOf("jsonb", scalarsOf(condition))})))`;
    case "contains":
      return sql`(CASE jsonb_typeof(${held}) WHEN 'string' THEN strpos(${attributes} ->> ${name}, ${value}::text) > 0
        WHEN 'array' THEN ${held} ? ${value}::text END)`;
    default:
      // Texts by their code points, whatever the database's own collation; numbers as JSON orders them.
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

/** Versions compare number by number: the column holds them as `versionNumbers` reads them. */
const versionSql = (sql: SqlClient.SqlClient, { op, value }: SegmentCondition, numbers: Column) =>
  sql`(${numbers} ${signOf(sql, op)} ${`{${(versionNumbers(String(value)) ?? []).join(",")}}`}::text::numeric[])`;

/** To the second, as answers show it: what reads the same is the same. */
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
