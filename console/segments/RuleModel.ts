/** A rule while it is written: values as typed, with the type that the attribute has. */
import type { BuiltInAttribute } from "../../src/devices/SegmentRule.ts";
import type { AttributeSummary, EventCondition, SegmentCondition, SegmentRule } from "../data/Resources.ts";

/** The comparison of a condition. */
export type Comparison = SegmentCondition["op"];
type Value = SegmentCondition["value"];
type Scalar = Exclude<Value, ReadonlyArray<unknown>>;

/** The type of the values of an attribute. */
export type ValueType = "text" | "number" | "boolean";

/** A condition as typed. The values of `in` stand one a line. */
export interface TypedCondition {
  readonly attribute: string;
  readonly op: Comparison;
  readonly value: string;
  readonly type: ValueType;
}

/** A rule as typed. */
export interface TypedRule {
  readonly match: "all" | "any";
  readonly conditions: ReadonlyArray<TypedCondition>;
  /** Conditions on events, which are kept as they are. */
  readonly onEvents?: ReadonlyArray<EventCondition>;
}

const builtInTypes: Readonly<Record<BuiltInAttribute, ValueType>> = {
  platform: "text",
  locale: "text",
  timezone: "text",
  app_version: "text",
  registered_at: "text",
  user_id: "text",
  subscribed: "boolean",
};

const builtInTypeByName: ReadonlyMap<string, ValueType> = new Map(Object.entries(builtInTypes));

/** Attributes that every device has. */
export const builtInAttributes: ReadonlyArray<string> = [...builtInTypeByName.keys()];

const comparisonTexts: Readonly<Record<Comparison, string>> = {
  eq: "is",
  ne: "is not",
  in: "is one of",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  contains: "contains",
  exists: "exists",
};

/** The comparisons as choices. */
export const comparisons = Object.entries(comparisonTexts).map(([value, text]) => ({ value, text }));

/** A condition before anything is chosen. */
export const emptyCondition: TypedCondition = { attribute: "", op: "eq", value: "", type: "text" };

const typeOf = (value: unknown): ValueType =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";

/** The type of an attribute: that of its most frequent value. */
export const typeOfAttribute = (name: string, attributes: ReadonlyArray<AttributeSummary>): ValueType =>
  builtInTypeByName.get(name) ?? typeOf(attributes.find((each) => each.name === name)?.values[0]?.value);

/** Whether a comparison takes the values true and false. */
export const isFlag = ({ op, type }: Pick<TypedCondition, "op" | "type">): boolean =>
  op === "exists" || (type === "boolean" && (op === "eq" || op === "ne"));

const scalarOf = (text: string, type: ValueType): Scalar => {
  const trimmed = text.trim();
  if (type === "boolean" && (trimmed === "true" || trimmed === "false")) return trimmed === "true";
  if (type === "number" && trimmed !== "" && Number.isFinite(Number(trimmed))) return Number(trimmed);
  return text;
};

const valueOf = (condition: TypedCondition): Value => {
  const { op, type, value } = condition;
  if (op === "exists") return value !== "false";
  if (op !== "in") return scalarOf(value, op === "contains" ? "text" : type);
  return value
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => scalarOf(line, type));
};

/** The rule as the API takes it. */
export const ruleOf = ({ conditions, match, onEvents = [] }: TypedRule): SegmentRule => ({
  match,
  conditions: [
    ...conditions.map((each) => ({ attribute: each.attribute, op: each.op, value: valueOf(each) })),
    ...onEvents,
  ],
});

/** Whether every condition has what it needs to be counted. */
export const isComplete = ({ conditions, onEvents = [] }: TypedRule): boolean =>
  conditions.length + onEvents.length > 0 &&
  conditions.every((each) => each.attribute !== "" && (isFlag(each) || each.value.trim() !== ""));

const typedConditionOf = ({ attribute, op, value }: SegmentCondition): TypedCondition => {
  const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<Scalar>;
  return { attribute, op, value: values.map(String).join("\n"), type: typeOf(values[0]) };
};

type Condition = SegmentRule["conditions"][number];

const isOnEvents = (condition: Condition): condition is EventCondition => "event" in condition;

/** A stored rule as typed. */
export const typedRuleOf = ({ conditions, match }: SegmentRule): TypedRule => {
  const onEvents = conditions.filter(isOnEvents);
  const onAttributes = conditions.filter((each) => !isOnEvents(each));
  return { match, conditions: onAttributes.map(typedConditionOf), ...(onEvents.length > 0 && { onEvents }) };
};

const maxNamedValues = 3;

const valueText = (value: Value): string => {
  if (!Array.isArray(value)) return String(value);
  const named = value.slice(0, maxNamedValues).map(String).join(", ");
  return value.length > maxNamedValues ? `${named} and ${value.length - maxNamedValues} more` : named;
};

const conditionText = ({ attribute, op, value }: SegmentCondition): string =>
  op === "exists"
    ? `${attribute} ${value === true ? "exists" : "does not exist"}`
    : `${attribute} ${comparisonTexts[op]} ${valueText(value)}`;

/** A condition on events in words. */
export const eventText = ({ event, op, where, within_days }: EventCondition): string =>
  `${event} ${op === "happened" ? "happened" : "did not happen"} within ${within_days} days` +
  (where === undefined || where === null ? "" : ` (${ruleText(where)})`);

/** A rule in words. */
export const ruleText = ({ conditions, match }: SegmentRule): string =>
  conditions
    .map((each) => (isOnEvents(each) ? eventText(each) : conditionText(each)))
    .join(match === "all" ? ", and " : ", or ");
