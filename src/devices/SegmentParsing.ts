import { Effect, Predicate, Struct, Schema } from "effect";
import { parseInstant } from "../time/Instant.ts";
import { parseList, parseObject } from "../wire/ListParsing.ts";
import { ParsedBody, parseFields } from "../wire/ParsedBody.ts";
import type { Problems } from "../wire/Problems.ts";
import { readJson, type RequestInput } from "../wire/RequestBody.ts";
import { fieldSentence } from "../wire/SchemaProblems.ts";
import { unstorable } from "../wire/Text.ts";
import { Platform } from "./Device.ts";
import { SegmentDraft, SegmentPatch } from "./Segment.ts";
import {
  conditionHead,
  maxConditions,
  maxValues,
  RuleMatch,
  type Scalar,
  type SegmentCondition,
  type SegmentOperator,
  type SegmentRule,
  versionNumbers,
} from "./SegmentRule.ts";

type Json = { readonly [field: string]: unknown };

const RuleHead = Schema.Struct({ match: RuleMatch });
const ConditionHead = Schema.Struct(conditionHead);
const conditionCount = `A rule needs 1 to ${maxConditions} conditions.`;
const valueCount = `The value of in must be a list of 1 to ${maxValues.toLocaleString("en")} values.`;
/** The attributes of a device have at most 8 KiB, so no longer value can match. */
const maxValueLength = 8192;

/** Gives the sentence for a value that is not accepted, or null. Texts are trimmed before. */
type ValueCheck = (value: unknown) => string | null;

const check =
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
const checkText = check(isText, "The {field} must be a text.");
const checkPart = check(
  (value) => isText(value) && value !== "",
  "The {field} must be a text that is not empty: a part of a text, or one text of a list.",
);
const checkInstant = check(
  (value) => isText(value) && parseInstant(value) !== null,
  "The {field} must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
);
const checkVersion = check(
  (value) => isText(value) && versionNumbers(value) !== null,
  "The {field} must be a version that begins with a number, such as 4.10.0.",
);
const checkPlatform = check(
  Schema.is(Platform),
  `The {field} must be one of ${Platform.literals.join(", ")}.`,
);

const checkFlag = check((value) => typeof value === "boolean", "The {field} must be true or false.");

const isOrder = (op: SegmentOperator): boolean => op === "gt" || op === "gte" || op === "lt" || op === "lte";

/** The check of a single value; an attribute that could not be parsed counts as one of the app's own. */
const checkOf = (attribute: string | undefined, op: SegmentOperator): ValueCheck => {
  if (op === "contains") return attribute === "subscribed" ? checkFlag : checkPart;
  switch (attribute) {
    case "registered_at":
      return checkInstant;
    case "app_version":
      return isOrder(op) ? checkVersion : checkText;
    case "platform":
      return isOrder(op) ? checkText : checkPlatform;
    case "locale":
    case "timezone":
    case "user_id":
      return checkText;
    case "subscribed":
      return checkFlag;
    default:
      return isOrder(op) ? checkOrdered : checkScalar;
  }
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

/** Parses the value of a condition by its attribute and operator. */
const parseValue = (
  value: unknown,
  path: string,
  attribute: string | undefined,
  op: SegmentOperator,
  problems: Problems,
): SegmentCondition["value"] => {
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
  const problemOf = checkOf(attribute, op);
  if (op !== "in") return parseScalar(value, names, problemOf, problems);
  if (!Array.isArray(value) || value.length === 0 || value.length > maxValues) return refuse(valueCount);
  return value.map((entry: unknown, index) => parseScalar(entry, [...names, index], problemOf, problems));
};

const parseCondition = (entry: Json | null, path: string, problems: Problems): SegmentCondition => {
  const { attribute, op } = parseObject(ConditionHead, entry, path, problems);
  if (attribute === "registered_at" && op === "contains") {
    problems.add(
      `${path}.op`,
      "The time of registering contains no text: compare it with gt, gte, lt or lte.",
    );
  }
  if (attribute === "subscribed" && op !== undefined && (isOrder(op) || op === "contains")) {
    problems.add(`${path}.op`, "A subscription is true or false: compare it with eq, ne or in.");
  }
  // The value is checked by the operator, so a condition without operator has no problem of its value.
  const value =
    entry === null || op === undefined
      ? ""
      : parseValue(entry["value"], `${path}.value`, attribute, op, problems);
  return { attribute: attribute ?? "", op: op ?? "eq", value };
};

/** Parses a rule and adds all its problems under `rule` (contract B4); undefined if it has any. */
const parseRule = (value: unknown, problems: Problems): SegmentRule | undefined => {
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    problems.add(
      "rule",
      value === undefined || value === null ? "The rule is required." : "The rule must be an object.",
    );
    return undefined;
  }
  const rule: Json = value;
  const { match } = parseObject(RuleHead, rule, "rule", problems);
  const limit = { max: maxConditions, sentence: conditionCount };
  const conditions = parseList(rule["conditions"], "rule.conditions", limit, problems, (entry, path) =>
    parseCondition(entry, path, problems),
  );
  if (conditions?.length === 0) problems.add("rule.conditions", conditionCount);
  return match === undefined || conditions === undefined || problems.has("rule")
    ? undefined
    : { match, conditions };
};

const DraftHead = SegmentDraft.mapFields(Struct.omit(["rule"]));
const PatchHead = SegmentPatch.mapFields(Struct.omit(["rule"]));

type Rule = Pick<SegmentDraft, "rule">;

const withRule = <A extends object>(head: ParsedBody<A>, body: Json): ParsedBody<A & Rule> => {
  const rule = parseRule(body["rule"], head.problems);
  return new ParsedBody<A & Rule>(
    { ...head.fields, ...(rule && { rule }) } as Partial<A & Rule>,
    head.problems,
  );
};

/** Parses a new segment. */
export const parseSegmentBody = (body: Json): ParsedBody<SegmentDraft> =>
  withRule(parseFields(DraftHead, body), body);

const parseSegmentPatchBody = (body: Json): ParsedBody<SegmentPatch> => {
  const head = parseFields(PatchHead, body);
  return Object.hasOwn(body, "rule") ? withRule(head, body) : head;
};

const RuleBody = Schema.Struct({});

/** Reads a request's body as a rule without a name. */
export const readRule = (input: RequestInput) =>
  Effect.map(readJson(input), (body) => withRule(parseFields(RuleBody, body), body));

/** Reads a request's body as a new segment. */
export const readSegment = (input: RequestInput) => Effect.map(readJson(input), parseSegmentBody);

/** Reads a request's body as a change of a segment. */
export const readSegmentPatch = (input: RequestInput) => Effect.map(readJson(input), parseSegmentPatchBody);
