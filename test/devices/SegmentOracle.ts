import { isBuiltIn, type SegmentCondition, type SegmentRule } from "../../src/devices/SegmentRule.ts";

/** A device with the fields that rules compare. */
export interface RuledDevice {
  readonly platform: string;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly app_version: string | null;
  readonly user_id: string | null;
  readonly subscribed: boolean;
  /** Epoch milliseconds. */
  readonly registered_at: number;
  readonly attributes: { readonly [name: string]: string | number | boolean | ReadonlyArray<string> };
}

type Held = string | number | boolean | ReadonlyArray<string> | undefined;

const heldOf = (device: RuledDevice, attribute: string): Held => {
  if (isBuiltIn(attribute)) return device[attribute] ?? undefined;
  return Object.hasOwn(device.attributes, attribute) ? device.attributes[attribute] : undefined;
};

const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);

const compare = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const at = a.findIndex((each, index) => each !== b[index]);
  if (at === -1) return a.length - b.length;
  return b[at] === undefined ? 1 : (a[at] ?? 0) - b[at];
};

const version = (text: string): ReadonlyArray<number> | undefined => {
  const found = /^v?\d+(\.\d+)*/i.exec(text)?.[0];
  return found
    ?.replace(/^v/i, "")
    .replace(/(\.0+)+$/, "")
    .split(".")
    .map(Number);
};

/** The difference of two ordered values, or undefined. */
const difference = (attribute: string, held: Held, value: unknown): number | undefined => {
  if (attribute === "app_version") {
    const [a, b] = [version(String(held ?? "")), version(String(value))];
    return a === undefined || b === undefined ? undefined : compare(a, b);
  }
  if (typeof held === "number" && typeof value === "number") return held - value;
  if (typeof held === "string" && typeof value === "string") return compare(points(held), points(value));
  return undefined;
};

const second = (millis: number) => Math.floor(millis / 1000);

const meetsCondition = (device: RuledDevice, { attribute, op, value }: SegmentCondition): boolean => {
  const isTime = attribute === "registered_at";
  const held = isTime ? second(device.registered_at) : heldOf(device, attribute);
  const meant = (each: unknown) => (isTime ? Date.parse(String(each)) / 1000 : each);
  const order = difference(attribute, held, meant(value));
  switch (op) {
    case "exists":
      return (held !== undefined) === value;
    case "eq":
      return held === meant(value);
    case "ne":
      return held !== meant(value);
    case "in":
      return Array.isArray(value) && value.some((each) => held === meant(each));
    case "contains":
      return (typeof held === "string" || Array.isArray(held)) && held.includes(value as string);
    case "gt":
      return order !== undefined && order > 0;
    case "gte":
      return order !== undefined && order >= 0;
    case "lt":
      return order !== undefined && order < 0;
    case "lte":
      return order !== undefined && order <= 0;
  }
};

/** Whether a device is in a segment with this rule, computed without SQL. */
export const meets = (device: RuledDevice, rule: SegmentRule): boolean => {
  const each = rule.conditions.map(
    (condition) => "attribute" in condition && meetsCondition(device, condition),
  );
  return rule.match === "all" ? each.every(Boolean) : each.some(Boolean);
};
