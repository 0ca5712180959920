import { Schema } from "effect";
import { shownText } from "../wire/ShownFields.ts";

/** The most conditions of a rule. */
export const maxConditions = 50;
/** The most values of an `in`. */
export const maxValues = 1000;

/** The comparison of a condition. */
export const RuleOperator = Schema.Literals([
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
    "`eq`, `ne`: is, or is not, this value; `in`: is one of these values; `gt`, `gte`, `lt`, `lte`: " +
    "numbers by size, texts by their characters, `app_version` by its numbers, `registered_at` by time; " +
    "`exists`: whether the device has the attribute; `contains`: a text within a text, or one of a list " +
    "of texts.",
  examples: ["eq"],
});
export type RuleOperator = typeof RuleOperator.Type;

const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]);
/** A single value that an attribute is compared with. */
export type Scalar = typeof Scalar.Type;

/** The value of a condition: a list for `in`. */
export const RuleValue = Schema.Union([Scalar, Schema.Array(Scalar)]);

/** How the conditions of a rule are combined. */
export const RuleMatch = Schema.Literals(["all", "any"]).annotate({
  description: "Whether `all` of the conditions must be met or `any` of them.",
  examples: ["all"],
});

/** A condition on one value by its name. */
export const PropertyCondition = Schema.Struct({
  attribute: shownText("Name of a property of the event.", "total"),
  op: RuleOperator,
  value: RuleValue.annotate({
    description:
      "A text, number, true or false, compared by value and type; for `in` a list of 1 to 1,000 of them; " +
      "for `exists` true or false; for `contains` a text.",
    examples: [50],
  }),
}).annotate({ identifier: "PropertyCondition" });
export type PropertyCondition = typeof PropertyCondition.Type;

/** A rule over the properties of an event. A missing property meets only `ne` and `exists: false`. */
export const PropertyRule = Schema.Struct({
  match: RuleMatch,
  conditions: Schema.Array(PropertyCondition)
    .annotate({
      description: "1 to 50 conditions.",
      examples: [[{ attribute: "total", op: "gte", value: 50 }]],
    })
    .check(Schema.isMinLength(1), Schema.isMaxLength(maxConditions)),
}).annotate({ identifier: "PropertyRule" });
export type PropertyRule = typeof PropertyRule.Type;

/** Texts by their code points, as the database compares them; numbers by size. */
const compare = (a: Scalar, b: Scalar): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));

const orders: { readonly [op: string]: (difference: number) => boolean } = {
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
};

const holds = ({ op, value }: PropertyCondition, held: Scalar | undefined): boolean => {
  if (op === "exists") return (held !== undefined) === value;
  if (op === "ne") return held !== value;
  if (held === undefined) return false;
  if (op === "eq") return held === value;
  if (typeof value === "object") return value.includes(held);
  if (op === "contains") return typeof held === "string" && held.includes(String(value));
  // Values of different types have no order.
  return typeof held === typeof value && orders[op]?.(compare(held, value)) === true;
};

/** Whether properties meet a rule, as devices with the same attributes meet that of a segment. */
export const meets = (
  { conditions, match }: PropertyRule,
  properties: { readonly [name: string]: Scalar },
): boolean => {
  const isMet = (condition: PropertyCondition) => {
    const { attribute } = condition;
    return holds(condition, Object.hasOwn(properties, attribute) ? properties[attribute] : undefined);
  };
  return match === "all" ? conditions.every(isMet) : conditions.some(isMet);
};
