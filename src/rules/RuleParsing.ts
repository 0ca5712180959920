import { Predicate, Schema } from "effect";
import { parseList, parseObject } from "../wire/ListParsing.ts";
import type { Problems } from "../wire/Problems.ts";
import { fieldSentence } from "../wire/SchemaProblems.ts";
import { text, unstorable } from "../wire/Text.ts";
import {
  maxConditions,
  maxValues,
  type PropertyCondition,
  type PropertyRule,
  RuleMatch,
  RuleOperator,
  type Scalar,
} from "./Rule.ts";

type Json = { readonly [field: string]: unknown };

const RuleHead = Schema.Struct({ match: RuleMatch });
const conditionCount = `A rule needs 1 to ${maxConditions} conditions.`;
const valueCount = `The value of in must be a list of 1 to ${maxValues.toLocaleString("en")} values.`;
/** The attributes of a device have at most 8 KiB, so no longer value can match. */
const maxValueLength = 8192;

/** Gives the sentence for a value that is not accepted, or null. Texts are trimmed before. */
export type ValueCheck = (value: unknown) => string | null;

/** A check with the sentence for values that are not accepted. */
export const check =
  (isAccepted: (value: unknown) => boolean, sentence: string): ValueCheck =>
  (value) =>
    isAccepted(value) ? null : sentence;

const isText = Predicate.isString;

const checkScalar = check(
  (value) => isText(value) || typeof value === "boolean" || Number.isFinite(value),
  "The {field} must be a text, a number, true or false.",
);
const checkOrdered = check(
  (value) => isText(value) || Number.isFinite(value),
  "The {field} must be a number or a text: only these have an order.",
);
/** Accepts texts. */
export const checkText = check(isText, "The {field} must be a text.");
const checkPart = check(
  (value) => isText(value) && value !== "",
  "The {field} must be a text that is not empty: a part of a text, or one text of a list.",
);
/** Whether an operator compares by order. */
export const isOrder = (op: RuleOperator): boolean =>
  op === "gt" || op === "gte" || op === "lt" || op === "lte";

/** The check of a value of any type. */
export const anyCheckOf = (op: RuleOperator): ValueCheck => {
  if (op === "contains") return checkPart;
  return isOrder(op) ? checkOrdered : checkScalar;
};

const lengthProblem = (text: string): string | null =>
  text.length > maxValueLength
    ? `The {field} must have at most ${maxValueLength.toLocaleString("en")} characters.`
    : null;

/** Parses one value and adds its problem under its path. */
const parseScalar = (
  value: unknown,
  path: ReadonlyArray<PropertyKey>,
  problemOf: ValueCheck,
  problems: Problems,
): Scalar => {
  const trimmed = typeof value === "string" ? value.trim() : value;
  const textProblem = typeof trimmed === "string" ? (unstorable(trimmed) ?? lengthProblem(trimmed)) : null;
  const problem = textProblem ?? problemOf(trimmed);
  if (problem !== null) problems.add(path.map(String).join("."), fieldSentence(problem, path));
  return trimmed as Scalar;
};

/** Parses the value of a condition by its operator, and adds its problems. */
export const parseValue = (
  value: unknown,
  path: string,
  op: RuleOperator,
  problemOf: ValueCheck,
  problems: Problems,
): PropertyCondition["value"] => {
  const names: ReadonlyArray<PropertyKey> = path.split(".");
  const refuse = (sentence: string) => {
    problems.add(path, sentence);
    return false;
  };
  if (value === undefined) return refuse("The value is required.");
  if (op === "exists")
    return typeof value === "boolean" ? value : refuse("The value of exists must be true or false.");
  if (value === null) {
    return refuse("The value cannot be null: to ask whether a device has the attribute, use exists.");
  }
  if (op !== "in") return parseScalar(value, names, problemOf, problems);
  if (!Array.isArray(value) || value.length === 0 || value.length > maxValues) return refuse(valueCount);
  return value.map((entry: unknown, index) => parseScalar(entry, [...names, index], problemOf, problems));
};

/** Parses a rule and adds all its problems under its path (contract B4); undefined if it has any. */
export const parseRule = <Condition>(
  value: unknown,
  path: string,
  problems: Problems,
  parseCondition: (entry: Json | null, path: string, problems: Problems) => Condition,
): { readonly match: typeof RuleMatch.Type; readonly conditions: ReadonlyArray<Condition> } | undefined => {
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    problems.add(
      path,
      value === undefined || value === null
        ? "The rule is required."
        : fieldSentence("The {field} must be an object.", path.split(".")),
    );
    return undefined;
  }
  const rule: Json = value;
  const { match } = parseObject(RuleHead, rule, path, problems);
  const limit = { max: maxConditions, sentence: conditionCount };
  const conditions = parseList(rule["conditions"], `${path}.conditions`, limit, problems, (entry, at) =>
    parseCondition(entry, at, problems),
  );
  if (conditions?.length === 0) problems.add(`${path}.conditions`, conditionCount);
  return match === undefined || conditions === undefined || problems.has(path)
    ? undefined
    : { match, conditions };
};

const PropertyHead = Schema.Struct({
  attribute: text({ max: 255, description: "Name of a property.", example: "total" }),
  op: RuleOperator,
});

const parseProperty = (entry: Json | null, path: string, problems: Problems): PropertyCondition => {
  const { attribute, op } = parseObject(PropertyHead, entry, path, problems);
  const value =
    entry === null || op === undefined
      ? ""
      : parseValue(entry["value"], `${path}.value`, op, anyCheckOf(op), problems);
  return { attribute: attribute ?? "", op: op ?? "eq", value };
};

/** Parses a rule over the properties of an event, and adds its problems under its path. */
export const parsePropertyRule = (
  value: unknown,
  path: string,
  problems: Problems,
): PropertyRule | undefined => parseRule(value, path, problems, parseProperty);
