import { Predicate, Schema } from "effect";
import { inParts, readBy } from "../wire/Parts.ts";
import type { Problems } from "../wire/Problems.ts";
import { text, unstorable } from "../wire/Text.ts";

const maxConditions = 50;
const conditionCount = `A rule needs 1 to ${maxConditions} conditions.`;
/** The most values of an `in`. */
const maxValues = 1000;
const valueCount = `The value of in must be a list of 1 to ${maxValues.toLocaleString("en")} values.`;
/** The attributes of a device have at most 8 KiB, so no longer value can match. */
const maxValueLength = 8192;

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
const RuleValue = Schema.Union([Scalar, Schema.Array(Scalar)]);
type RuleValue = typeof RuleValue.Type;

const trimmed = (sent: unknown): unknown => {
  if (Array.isArray(sent)) return sent.map(trimmed);
  return typeof sent === "string" ? sent.trim() : sent;
};

/** The value of a condition, whose texts are trimmed. `checkValue` checks it by the operator. */
export const conditionValue = (description: string, example: string | number) =>
  readBy(RuleValue.annotate({ description, examples: [example] }), (sent) => trimmed(sent) as RuleValue);

/** Gives the sentence for a value that is not accepted, or null. */
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

const textProblem = (value: unknown): string | null => {
  if (!isText(value)) return null;
  const tooLong = `The {field} must have at most ${maxValueLength.toLocaleString("en")} characters.`;
  return unstorable(value) ?? (value.length > maxValueLength ? tooLong : null);
};

const valueProblem = (value: unknown, op: RuleOperator): string | null => {
  if (value === undefined) return "The value is required.";
  if (op === "exists")
    return typeof value === "boolean" ? null : "The value of exists must be true or false.";
  if (value === null)
    return "The value cannot be null: to ask whether a device has the attribute, use exists.";
  const isList = Array.isArray(value) && value.length > 0 && value.length <= maxValues;
  return op === "in" && !isList ? valueCount : null;
};

/** Checks the value of a condition by its operator, each value of `in` by itself. */
export const checkValue = (
  { op, value }: { readonly op?: RuleOperator; readonly value?: unknown },
  problemOf: (op: RuleOperator) => ValueCheck,
  problems: Problems,
): void => {
  // A condition without an operator has no problem of its value.
  if (op === undefined) return;
  const problem = valueProblem(value, op);
  if (problem !== null) return problems.add("value", problem);
  if (op === "exists") return;
  const isIn = op === "in";
  for (const [index, each] of (isIn ? (value as ReadonlyArray<unknown>) : [value]).entries()) {
    const sentence = textProblem(each) ?? problemOf(op)(each);
    if (sentence !== null) problems.refuse(isIn ? `value.${index}` : "value", sentence);
  }
};

/** How the conditions of a rule are combined. */
const RuleMatch = Schema.Literals(["all", "any"]).annotate({
  description: "Whether `all` of the conditions must be met or `any` of them.",
  examples: ["all"],
});

/** The fields of a rule over conditions. */
export const ruleFields = <Condition extends Schema.Top>(
  condition: Condition,
  example: Condition["Type"],
) => ({
  match: RuleMatch,
  conditions: Schema.Array(condition)
    .annotate({ description: "1 to 50 conditions.", examples: [[example]] as never })
    .check(
      Schema.isMinLength(1, { message: conditionCount }),
      Schema.isMaxLength(maxConditions, { message: conditionCount }),
    )
    .annotateKey({ messageMissingKey: conditionCount }),
});

/** A condition on one value by its name. */
const PropertyCondition = Schema.Struct({
  attribute: text({ max: 255, description: "Name of a property of the event.", example: "total", json: {} }),
  op: RuleOperator,
  value: conditionValue(
    "A text, number, true or false, compared by value and type; for `in` a list of 1 to 1,000 of them; " +
      "for `exists` true or false; for `contains` a text.",
    50,
  ),
})
  .annotate({ identifier: "PropertyCondition" })
  .pipe(inParts((condition, problems) => checkValue(condition, anyCheckOf, problems)));
type PropertyCondition = typeof PropertyCondition.Type;

/** A rule over the properties of an event. A missing property meets only `ne` and `exists: false`. */
export const PropertyRule = Schema.Struct(
  ruleFields(PropertyCondition, { attribute: "total", op: "gte", value: 50 }),
).annotate({ identifier: "PropertyRule" });
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
