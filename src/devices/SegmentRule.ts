import { Schema } from "effect";
import { text } from "../wire/Text.ts";

/** Most conditions of a rule. */
export const maxConditions = 50;
/** Most values of an `in`. */
export const maxValues = 1000;

/** What a condition asks of an attribute. */
export const SegmentOperator = Schema.Literals([
  "eq",
  "ne",
  "in",
  "gt",
  "gte",
  "lt",
  "lte",
  "exists",
  "contains",
]).annotate({
  description:
    "`eq`, `ne`: is, or is not, this value; `in`: is one of these values; `gt`, `gte`, `lt`, `lte`: numbers by size, texts by " +
    "their characters, `app_version` by its numbers, `registered_at` by time; `exists`: whether the device has the attribute; " +
    "`contains`: a text within a text, or one of a list of texts.",
  examples: ["eq"],
});
export type SegmentOperator = typeof SegmentOperator.Type;

const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]);
/** One value that an attribute is compared with. */
export type Scalar = typeof Scalar.Type;

// The attributes that every device has a place for, whatever its app tells; they go before one that an app calls the same.
const builtIns = ["platform", "locale", "timezone", "app_version", "registered_at"] as const;
type BuiltIn = (typeof builtIns)[number];

/** Whether an attribute is one that Waypost itself knows of every device. */
export const isBuiltIn = (attribute: string): attribute is BuiltIn =>
  builtIns.some((name) => name === attribute);

/** What can be read of a condition without knowing what goes together. */
export const conditionHead = {
  attribute: text({
    max: 255,
    description:
      "Name of a device attribute, or one of `platform`, `locale`, `timezone`, `app_version`, `registered_at`, which go before " +
      "an attribute that the app calls the same.",
    example: "plan",
  }),
  op: SegmentOperator,
};

/** One condition of a rule. A missing attribute meets none but `ne` and `exists: false`. */
export const SegmentCondition = Schema.Struct({
  ...conditionHead,
  value: Schema.Union([Scalar, Schema.Array(Scalar)]).annotate({
    description:
      "A text, number, true or false, compared by value and type: the text 5 is not the number 5. For `in` a list of 1 to 1,000 " +
      "of those; for `exists` true or false; for `contains` a text; a date-time, or a date, for `registered_at`.",
    examples: ["gold"],
  }),
}).annotate({ identifier: "SegmentCondition" });
export type SegmentCondition = typeof SegmentCondition.Type;

/** How the conditions of a rule go together. */
export const RuleMatch = Schema.Literals(["all", "any"]).annotate({
  description: "Whether a device must meet `all` of the conditions or `any` of them.",
  examples: ["all"],
});

/** Which devices a segment holds (contract L6). */
export const SegmentRule = Schema.Struct({
  match: RuleMatch,
  conditions: Schema.Array(SegmentCondition)
    .annotate({
      description: "1 to 50 conditions.",
      examples: [[{ attribute: "plan", op: "eq", value: "gold" }]],
    })
    .check(Schema.isMinLength(1), Schema.isMaxLength(maxConditions)),
}).annotate({ identifier: "SegmentRule" });
export type SegmentRule = typeof SegmentRule.Type;

/** Whom a push campaign reaches: the devices of any or all of these segments; without any, every device. */
export interface Audience {
  readonly match: "any" | "all";
  readonly rules: ReadonlyArray<SegmentRule>;
}

const version = /^[vV]?(\d+(?:\.\d+)*)/;

/**
 * The numbers of an app's version that decide which is newer, without zeros at its end: 4.10.0-beta is [4, 10]. Null for a text
 * that does not begin with a number.
 */
export const versionNumbers = (text: string): ReadonlyArray<bigint> | null => {
  const [, dotted] = version.exec(text) ?? [];
  if (dotted === undefined) return null;
  const numbers = dotted.split(".").map(BigInt);
  while (numbers.length > 1 && numbers.at(-1) === 0n) numbers.pop();
  return numbers;
};
