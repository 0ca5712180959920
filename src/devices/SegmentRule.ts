import { Schema } from "effect";
import { EventName } from "../wire/EventName.ts";
import { maxConditions, PropertyRule, RuleMatch, RuleOperator, RuleValue } from "../rules/Rule.ts";
import { optionalOrNull, text, whole } from "../wire/Text.ts";

// Columns of every device. They take precedence over an app's attribute of the same name.
const builtIns = [
  "platform",
  "locale",
  "timezone",
  "app_version",
  "registered_at",
  "user_id",
  "subscribed",
] as const;
/** A column of every device that rules can use. */
export type BuiltInAttribute = (typeof builtIns)[number];

/** Whether an attribute is a column of every device. */
export const isBuiltIn = (attribute: string): attribute is BuiltInAttribute =>
  builtIns.some((name) => name === attribute);

/** The fields of a condition that are parsed independently of each other. */
export const conditionHead = {
  attribute: text({
    max: 255,
    description:
      "Name of a device attribute, or one of `platform`, `locale`, `timezone`, `app_version`, " +
      "`registered_at`, `user_id`, `subscribed`, which take precedence over an app's attribute of the same " +
      "name.",
    example: "plan",
  }),
  op: RuleOperator,
};

/** One condition of a rule. A missing attribute meets only `ne` and `exists: false`. */
export const SegmentCondition = Schema.Struct({
  ...conditionHead,
  value: RuleValue.annotate({
    description:
      "A text, number, true or false, compared by value and type: the text 5 is not the number 5. For `in` " +
      "a list of 1 to 1,000 of them; for `exists` true or false; for `contains` a text; for " +
      "`registered_at` a date-time or a date; for `subscribed` true or false.",
    examples: ["gold"],
  }),
}).annotate({ identifier: "SegmentCondition" });
export type SegmentCondition = typeof SegmentCondition.Type;

const maxEventDays = 90;

/** The fields of a condition on events that are parsed independently of each other. */
export const eventConditionHead = {
  event: EventName,
  op: Schema.Literals(["happened", "not_happened"]).annotate({
    description: "Whether the person, or the device without one, has had such an event.",
    examples: ["happened"],
  }),
  within_days: whole({
    min: 1,
    max: maxEventDays,
    description: "In so many days before now, by when the events occurred.",
    example: 30,
  }),
};

/** A condition on the custom events of the person behind a device, or of a device without one. */
export const EventCondition = Schema.Struct({
  ...eventConditionHead,
  where: optionalOrNull(PropertyRule),
}).annotate({ identifier: "EventCondition" });
export type EventCondition = typeof EventCondition.Type;

/** Whether a condition is one on events. */
export const isOnEvents = (condition: SegmentCondition | EventCondition): condition is EventCondition =>
  "event" in condition;

/** The rule of a segment: the devices that it contains (contract L6). */
export const SegmentRule = Schema.Struct({
  match: RuleMatch,
  conditions: Schema.Array(Schema.Union([SegmentCondition, EventCondition]))
    .annotate({
      description: "1 to 50 conditions.",
      examples: [[{ attribute: "plan", op: "eq", value: "gold" }]],
    })
    .check(Schema.isMinLength(1), Schema.isMaxLength(maxConditions)),
}).annotate({ identifier: "SegmentRule" });
export type SegmentRule = typeof SegmentRule.Type;

/**
 * The devices that a push campaign reaches: those in any or all of these segments; without segments every
 * device.
 */
export interface Audience {
  readonly match: "any" | "all";
  readonly rules: ReadonlyArray<SegmentRule>;
}

const version = /^[vV]?(\d+(?:\.\d+)*)/;

/**
 * The numbers of an app version, by which versions compare, without trailing zeros: 4.10.0-beta is [4, 10].
 * Null for a text that does not begin with a number.
 */
export const versionNumbers = (text: string): ReadonlyArray<bigint> | null => {
  const [, dotted] = version.exec(text) ?? [];
  if (dotted === undefined) return null;
  const numbers = dotted.split(".").map(BigInt);
  while (numbers.length > 1 && numbers.at(-1) === 0n) numbers.pop();
  return numbers;
};
