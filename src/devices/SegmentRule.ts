import { Schema } from "effect";
import { EventName } from "../wire/EventName.ts";
import {
  anyCheckOf,
  check,
  checkText,
  checkValue,
  conditionValue,
  isOrder,
  PropertyRule,
  ruleFields,
  RuleOperator,
  type ValueCheck,
} from "../rules/Rule.ts";
import { parseInstant } from "../time/Instant.ts";
import { inParts, sparse } from "../wire/Parts.ts";
import { optionalOrNull, text, whole } from "../wire/Text.ts";
import { Platform } from "./Device.ts";

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

/** The check of a single value; an attribute that could not be read counts as one of the app's own. */
const checkOf =
  (attribute: string | undefined) =>
  (op: RuleOperator): ValueCheck => {
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

/** One condition of a rule. A missing attribute meets only `ne` and `exists: false`. */
export const SegmentCondition = Schema.Struct({
  attribute: text({
    max: 255,
    description:
      "Name of a device attribute, or one of `platform`, `locale`, `timezone`, `app_version`, " +
      "`registered_at`, `user_id`, `subscribed`, which take precedence over an app's attribute of the same " +
      "name.",
    example: "plan",
  }),
  op: RuleOperator,
  value: conditionValue(
    "A text, number, true or false, compared by value and type: the text 5 is not the number 5. For `in` " +
      "a list of 1 to 1,000 of them; for `exists` true or false; for `contains` a text; for " +
      "`registered_at` a date-time or a date; for `subscribed` true or false.",
    "gold",
  ),
})
  .annotate({ identifier: "SegmentCondition" })
  .pipe(
    inParts((condition, problems) => {
      const { attribute, op } = condition;
      if (attribute === "registered_at" && op === "contains") {
        problems.add("op", "The time of registering contains no text: compare it with gt, gte, lt or lte.");
      }
      if (attribute === "subscribed" && op !== undefined && (isOrder(op) || op === "contains"))
        problems.add("op", "A subscription is true or false: compare it with eq, ne or in.");
      checkValue(condition, checkOf(attribute), problems);
    }),
  );
export type SegmentCondition = typeof SegmentCondition.Type;

const maxEventDays = 90;

/** A condition on the custom events of the person behind a device, or of a device without one. */
export const EventCondition = Schema.Struct({
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
  where: optionalOrNull(PropertyRule),
})
  .annotate({ identifier: "EventCondition" })
  .pipe(sparse);
export type EventCondition = typeof EventCondition.Type;

/** Whether a condition is one on events. */
export const isOnEvents = (condition: SegmentCondition | EventCondition): condition is EventCondition =>
  "event" in condition;

/** The rule of a segment: the devices that it contains (contract L6). */
export const SegmentRule = Schema.Struct(
  ruleFields(Schema.Union([SegmentCondition, EventCondition]), {
    attribute: "plan",
    op: "eq",
    value: "gold",
  }),
).annotate({ identifier: "SegmentRule" });
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
