/** A rule while it is written: values as typed, with the type that the attribute has. */
import type { BuiltInAttribute } from "../../src/devices/SegmentRule.ts";
import type { EventCondition, SegmentCondition, SegmentRule } from "../data/Resources.ts";

/** The comparison of a condition. */
export type Comparison = SegmentCondition["op"];
type Value = SegmentCondition["value"];
type Scalar = Exclude<Value, ReadonlyArray<unknown>>;

/** The type of the values of an attribute. */
export type ValueType = "text" | "number" | "boolean" | "any";

/** A name, with values that were seen. */
export interface KnownValues {
  readonly name: string;
  readonly values: ReadonlyArray<{ readonly value: unknown }>;
}

/** A condition as typed. The values of `in` stand one a line. */
export interface TypedCondition {
  readonly attribute: string;
  readonly op: Comparison;
  readonly value: string;
  readonly type: ValueType;
  /** The stored value, for as long as nothing of the condition is changed: it keeps its type. */
  readonly kept?: Value | undefined;
}

/** A condition on events as typed. */
export interface TypedEvent extends Pick<EventCondition, "event" | "op"> {
  readonly within_days: string;
  readonly where: TypedRule;
}

/** A rule as typed. */
export interface TypedRule {
  readonly match: "all" | "any";
  readonly conditions: ReadonlyArray<TypedCondition>;
  /** None in drafts of older versions. */
  readonly onEvents?: ReadonlyArray<TypedEvent>;
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

/** A rule without conditions. */
export const emptyRule: TypedRule = { match: "all", conditions: [] };

/** A condition on events before anything is chosen. */
export const emptyEvent: TypedEvent = { event: "", op: "happened", within_days: "30", where: emptyRule };

const typeOf = (value: unknown): ValueType =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";

/** The type of an attribute: that of its most frequent value. One of events may not have been seen yet. */
export const typeOfAttribute = (
  name: string,
  known: ReadonlyArray<KnownValues>,
  isOfEvents = false,
): ValueType => {
  const builtIn = isOfEvents ? undefined : builtInTypeByName.get(name);
  const value = known.find((each) => each.name === name)?.values[0]?.value;
  return builtIn ?? (value === undefined && isOfEvents ? "any" : typeOf(value));
};

/** Whether a comparison takes the values true and false. */
export const isFlag = ({ op, type }: Pick<TypedCondition, "op" | "type">): boolean =>
  op === "exists" || (type === "boolean" && (op === "eq" || op === "ne"));

const scalarOf = (text: string, type: ValueType): Scalar => {
  const trimmed = text.trim();
  const isAny = type === "any";
  if ((isAny || type === "boolean") && (trimmed === "true" || trimmed === "false")) return trimmed === "true";
  if ((isAny || type === "number") && trimmed !== "" && Number.isFinite(Number(trimmed)))
    return Number(trimmed);
  return text;
};

const valueOf = (condition: TypedCondition): Value => {
  const { kept, op, type, value } = condition;
  if (kept !== undefined) return kept;
  if (op === "exists") return value !== "false";
  if (op !== "in") return scalarOf(value, op === "contains" ? "text" : type);
  return value
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => scalarOf(line, type));
};

const conditionsOf = ({ conditions }: TypedRule): ReadonlyArray<SegmentCondition> =>
  conditions.map((each) => ({ attribute: each.attribute, op: each.op, value: valueOf(each) }));

/** A rule over the properties of an event as the API takes it; null for any event. */
export const whereOf = (rule: TypedRule) =>
  rule.conditions.length === 0 ? null : { match: rule.match, conditions: conditionsOf(rule) };

/** The rule as the API takes it: it says what is wrong with a number of days. */
export const ruleOf = (rule: TypedRule): SegmentRule => ({
  match: rule.match,
  conditions: [
    ...conditionsOf(rule),
    ...(rule.onEvents ?? []).map(({ event, op, where, within_days: days }) => ({
      event: event.trim(),
      op,
      within_days: /^\d+$/.test(days.trim()) ? Number(days) : (days as unknown as number),
      where: whereOf(where),
    })),
  ],
});

/** Whether every condition has what it needs to be counted. */
export const isComplete = ({ conditions, onEvents = [] }: TypedRule): boolean =>
  conditions.length + onEvents.length > 0 &&
  conditions.every((each) => each.attribute !== "" && (isFlag(each) || each.value.trim() !== "")) &&
  onEvents.every(
    ({ event, where, within_days: days }) =>
      event.trim() !== "" && days.trim() !== "" && (where.conditions.length === 0 || isComplete(where)),
  );

const typedConditionOf = ({ attribute, op, value }: SegmentCondition): TypedCondition => {
  const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<Scalar>;
  return { attribute, op, value: values.map(String).join("\n"), type: typeOf(values[0]), kept: value };
};

type Condition = SegmentRule["conditions"][number];

const isOnEvents = (condition: Condition): condition is EventCondition => "event" in condition;

const typedEventOf = ({ event, op, where, within_days }: EventCondition): TypedEvent => ({
  event,
  op,
  within_days: String(within_days),
  where: typedRuleOf(where ?? null),
});

/** A stored rule as typed; null is one without conditions. */
export const typedRuleOf = (rule: SegmentRule | null): TypedRule =>
  rule === null
    ? emptyRule
    : {
        match: rule.match,
        conditions: rule.conditions.filter((each) => !isOnEvents(each)).map(typedConditionOf),
        onEvents: rule.conditions.filter(isOnEvents).map(typedEventOf),
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

const eventText = ({ event, op, where, within_days }: EventCondition): string =>
  `${event} ${op === "happened" ? "happened" : "did not happen"} within ${within_days} days` +
  (where === undefined || where === null ? "" : ` (${ruleText(where)})`);

/** A rule in words. */
export const ruleText = ({ conditions, match }: SegmentRule): string =>
  conditions
    .map((each) => (isOnEvents(each) ? eventText(each) : conditionText(each)))
    .join(match === "all" ? ", and " : ", or ");
