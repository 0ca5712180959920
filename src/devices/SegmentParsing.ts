import { Effect, Predicate, Schema, Struct } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { parseInstant } from "../time/Instant.ts";
import { say } from "../wire/Explain.ts";
import type { Problems } from "../wire/Problems.ts";
import { bodyRules, readObject } from "../wire/RequestBody.ts";
import { readEach, readFields } from "../wire/SentList.ts";
import { ParsedBody, parseFields } from "../wire/ParsedBody.ts";
import { unstorable } from "../wire/Text.ts";
import { Platform } from "./Device.ts";
import { SegmentDraft, SegmentPatch } from "./Segment.ts";
import {
  conditionHead,
  mostConditions,
  mostValues,
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
const conditionCount = `A rule needs 1 to ${mostConditions} conditions.`;
const valueCount = `The value of in must be a list of 1 to ${mostValues.toLocaleString("en")} values.`;
/** No attribute of a device is longer, whatever it holds. */
const longest = 8192;

/** What a value must be, or null if it is that. A text has been trimmed. */
type Demand = (value: unknown) => string | null;

const plain: Demand = (value) =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
    ? null
    : "The {field} must be a text, a number, true or false.";

const ordered: Demand = (value) =>
  typeof value === "string" || Number.isFinite(value)
    ? null
    : "The {field} must be a number or a text: by size and order nothing else compares.";

const aText: Demand = (value) => (typeof value === "string" ? null : "The {field} must be a text.");

const something: Demand = (value) =>
  typeof value === "string" && value !== ""
    ? null
    : "The {field} must be a text that is not empty: a part of a text, or one text of a list.";

const anInstant: Demand = (value) =>
  typeof value === "string" && parseInstant(value) !== null
    ? null
    : "The {field} must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.";

const aVersion: Demand = (value) =>
  typeof value === "string" && versionNumbers(value) !== null
    ? null
    : "The {field} must be a version that begins with a number, such as 4.10.0.";

const aPlatform: Demand = (value) =>
  Platform.literals.some((platform) => platform === value)
    ? null
    : `The {field} must be one of ${Platform.literals.join(", ")}.`;

const isOrder = (op: SegmentOperator): boolean => op === "gt" || op === "gte" || op === "lt" || op === "lte";

/** What a single value of a condition must be; an attribute that could not be read may be any. */
const demandOf = (attribute: string | undefined, op: SegmentOperator): Demand => {
  if (op === "contains") return something;
  switch (attribute) {
    case "registered_at":
      return anInstant;
    case "app_version":
      return isOrder(op) ? aVersion : aText;
    case "platform":
      return isOrder(op) ? aText : aPlatform;
    case "locale":
    case "timezone":
      return aText;
    default:
      return isOrder(op) ? ordered : plain;
  }
};

/** Reads one value, and adds what is wrong with it under its place. */
const readScalar = (
  value: unknown,
  at: ReadonlyArray<PropertyKey>,
  demand: Demand,
  problems: Problems,
): Scalar => {
  const trimmed = typeof value === "string" ? value.trim() : value;
  const reason =
    typeof trimmed === "string"
      ? (unstorable(trimmed) ??
        (trimmed.length > longest
          ? `The {field} must have at most ${longest.toLocaleString("en")} characters.`
          : null))
      : null;
  const problem = reason ?? demand(trimmed);
  if (problem !== null) problems.add(at.map(String).join("."), say(problem, at));
  return trimmed as Scalar;
};

/** Reads the value of a condition as its attribute and operator want it. */
const readValue = (
  value: unknown,
  path: string,
  attribute: string | undefined,
  op: SegmentOperator,
  problems: Problems,
): SegmentCondition["value"] => {
  const at: ReadonlyArray<PropertyKey> = [...path.split("."), "value"];
  const refuse = (sentence: string) => {
    problems.add(`${path}.value`, sentence);
    return false;
  };
  if (value === undefined) return refuse("The value is required.");
  if (op === "exists")
    return typeof value === "boolean" ? value : refuse("The value of exists must be true or false.");
  if (value === null) {
    return refuse("The value cannot be null: to ask whether a device has the attribute, use exists.");
  }
  const demand = demandOf(attribute, op);
  if (op !== "in") return readScalar(value, at, demand, problems);
  if (!Array.isArray(value) || value.length === 0 || value.length > mostValues) return refuse(valueCount);
  return value.map((entry: unknown, place) => readScalar(entry, [...at, place], demand, problems));
};

const readCondition = (entry: Json, path: string, problems: Problems): SegmentCondition => {
  const { attribute, op } = readFields(ConditionHead, entry, path, problems);
  if (attribute === "registered_at" && op === "contains") {
    problems.add(
      `${path}.op`,
      "The time of registering contains no text: compare it with gt, gte, lt or lte.",
    );
  }
  // Without an operator nothing can be said of the value; an entry that is no object has said so already.
  const value =
    op === undefined || path === "" ? "" : readValue(entry["value"], path, attribute, op, problems);
  return { attribute: attribute ?? "", op: op ?? "eq", value };
};

/** Reads a rule; undefined where it is none. What is wrong with it is said under `rule`, all at once (contract B4). */
const readRule = (value: unknown, problems: Problems): SegmentRule | undefined => {
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    problems.add(
      "rule",
      value === undefined || value === null ? "The rule is required." : "The rule must be an object.",
    );
    return undefined;
  }
  const rule: Json = value;
  const { match } = readFields(RuleHead, rule, "rule", problems);
  const most = { count: mostConditions, sentence: conditionCount };
  const conditions = readEach(rule["conditions"], "rule.conditions", most, problems, (entry, path) =>
    readCondition(entry, path, problems),
  );
  if (conditions?.length === 0) problems.add("rule.conditions", conditionCount);
  return match === undefined || conditions === undefined || problems.has("rule")
    ? undefined
    : { match, conditions };
};

const rest = {
  draft: SegmentDraft.mapFields(Struct.omit(["rule"])),
  patch: SegmentPatch.mapFields(Struct.omit(["rule"])),
};

const withRule = <A extends object>(
  read: ParsedBody<A>,
  body: Json,
): ParsedBody<A & Pick<SegmentDraft, "rule">> => {
  const rule = readRule(body["rule"], read.problems);
  return new ParsedBody<A & Pick<SegmentDraft, "rule">>(
    { ...read.fields, ...(rule && { rule }) } as Partial<A & Pick<SegmentDraft, "rule">>,
    read.problems,
  );
};

/** Reads a new segment from a JSON object. */
export const parseSegmentBody = (body: Json): ParsedBody<SegmentDraft> =>
  withRule(parseFields(rest.draft, body), body);

/** Reads a change of a segment from a JSON object. */
const parseSegmentPatchBody = (body: Json): ParsedBody<SegmentPatch> => {
  const read = parseFields(rest.patch, body);
  return Object.hasOwn(body, "rule") ? withRule(read, body) : read;
};

interface Input {
  readonly request: HttpServerRequest.HttpServerRequest;
  readonly endpoint: HttpApiEndpoint.Constraint;
}

const readBody = ({ endpoint, request }: Input) =>
  readObject(request, bodyRules(endpoint as unknown as HttpApiEndpoint.Top));

/** Reads a request's body as a new segment, within the endpoint's body rules. */
export const readSegment = (input: Input) => Effect.map(readBody(input), parseSegmentBody);

/** Reads a request's body as a change of a segment, within the endpoint's body rules. */
export const readSegmentPatch = (input: Input) => Effect.map(readBody(input), parseSegmentPatchBody);
