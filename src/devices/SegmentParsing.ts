import { Effect, Struct, Schema } from "effect";
import { parseInstant } from "../time/Instant.ts";
import type { RuleOperator } from "../rules/Rule.ts";
import {
  anyCheckOf,
  check,
  checkText,
  isOrder,
  parsePropertyRule,
  parseRule,
  parseValue,
  type ValueCheck,
} from "../rules/RuleParsing.ts";
import { parseObject } from "../wire/ListParsing.ts";
import { ParsedBody, parseFields } from "../wire/ParsedBody.ts";
import type { Problems } from "../wire/Problems.ts";
import { readJson, type RequestInput } from "../wire/RequestBody.ts";
import { Platform } from "./Device.ts";
import { SegmentDraft, SegmentPatch } from "./Segment.ts";
import {
  conditionHead,
  type EventCondition,
  eventConditionHead,
  type SegmentCondition,
  type SegmentRule,
  versionNumbers,
} from "./SegmentRule.ts";

type Json = { readonly [field: string]: unknown };

const ConditionHead = Schema.Struct(conditionHead);
const EventHead = Schema.Struct(eventConditionHead);
const checkInstant = check(
  (value) => typeof value === "string" && parseInstant(value) !== null,
  "The {field} must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
);
const checkVersion = check(
  (value) => typeof value === "string" && versionNumbers(value) !== null,
  "The {field} must be a version that begins with a number, such as 4.10.0.",
);
const checkPlatform = check(
  Schema.is(Platform),
  `The {field} must be one of ${Platform.literals.join(", ")}.`,
);

const checkFlag = check((value) => typeof value === "boolean", "The {field} must be true or false.");

/** The check of a single value; an attribute that could not be parsed counts as one of the app's own. */
const checkOf = (attribute: string | undefined, op: RuleOperator): ValueCheck => {
  if (op === "contains") return attribute === "subscribed" ? checkFlag : anyCheckOf(op);
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
      return anyCheckOf(op);
  }
};

const parseEventCondition = (entry: Json, path: string, problems: Problems): EventCondition => {
  const { event = "", op = "happened", within_days = 1 } = parseObject(EventHead, entry, path, problems);
  const sent = entry["where"] ?? null;
  const where = sent === null ? undefined : parsePropertyRule(sent, `${path}.where`, problems);
  return { event, op, within_days, ...(where && { where }) };
};

const parseCondition = (
  entry: Json | null,
  path: string,
  problems: Problems,
): SegmentCondition | EventCondition => {
  if (entry !== null && Object.hasOwn(entry, "event")) return parseEventCondition(entry, path, problems);
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
      : parseValue(entry["value"], `${path}.value`, op, checkOf(attribute, op), problems);
  return { attribute: attribute ?? "", op: op ?? "eq", value };
};

/** Parses a rule and adds all its problems under `rule` (contract B4); undefined if it has any. */
const parseSegmentRule = (value: unknown, problems: Problems): SegmentRule | undefined =>
  parseRule(value, "rule", problems, parseCondition);

const DraftHead = SegmentDraft.mapFields(Struct.omit(["rule"]));
const PatchHead = SegmentPatch.mapFields(Struct.omit(["rule"]));

type Rule = Pick<SegmentDraft, "rule">;

const withRule = <A extends object>(head: ParsedBody<A>, body: Json): ParsedBody<A & Rule> => {
  const rule = parseSegmentRule(body["rule"], head.problems);
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
