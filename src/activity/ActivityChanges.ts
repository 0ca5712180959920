import type { Schema } from "effect";
import { isDeepStrictEqual } from "node:util";
import { codePoints } from "../wire/CodePoints.ts";
import { secretMask } from "../telemetry/SecretMasking.ts";

/** The fields of a resource before or after a change. */
export type RecordedFields = Readonly<Record<string, unknown>>;

/** The old and the new value of a field; both are null if the values are secret. */
export interface RecordedChange {
  readonly old: Schema.Json;
  readonly new: Schema.Json;
}

/** Changes by dotted field name. */
export type RecordedChanges = Readonly<Record<string, RecordedChange>>;

/** The maximum number of characters of a text in activity. */
const maxTextLength = 200;
/** The maximum number of elements of a list in activity. */
const maxListLength = 20;

/** Fields that every change or none has, and the figures that a response computes. */
const ignored = new Set(["id", "created_at", "updated_at"]);

const mask = secretMask();

/** The value of a query parameter whose name says that it signs or authorizes, and the user of an address. */
const secretParameter =
  /([?&;][^=&#\s]*(?:sig|token|key|secret|passw|pwd|auth|credential|code)[^=&#\s]*=)[^&#\s]+/gi;
const userInfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi;

/** A text as activity has it: without secrets of addresses and tokens, shortened. */
export const recordedText = (text: string): string => {
  const masked = mask(text.replace(secretParameter, "$1<redacted>").replace(userInfo, "$1<redacted>@"));
  return codePoints(masked) > maxTextLength
    ? `${Array.from(masked).slice(0, maxTextLength).join("")}…`
    : masked;
};

const isRecord = (value: unknown): value is RecordedFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shown = (value: unknown): Schema.Json => {
  if (typeof value === "string") return recordedText(value);
  if (Array.isArray(value)) {
    const first = value.slice(0, maxListLength).map(shown);
    return value.length > maxListLength ? [...first, `… and ${value.length - maxListLength} more`] : first;
  }
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
  }
  return typeof value === "number" || typeof value === "boolean" ? value : null;
};

/** The values of a resource by dotted name; lists are values. */
const flattened = (fields: RecordedFields, prefix: string, into: Map<string, unknown>): void => {
  for (const [name, value] of Object.entries(fields)) {
    if (prefix === "" && ignored.has(name)) continue;
    if (isRecord(value)) flattened(value, `${prefix}${name}.`, into);
    else into.set(`${prefix}${name}`, value ?? null);
  }
};

const valuesOf = (fields: RecordedFields | null): ReadonlyMap<string, unknown> => {
  const values = new Map<string, unknown>();
  if (fields !== null) flattened(fields, "", values);
  return values;
};

/**
 * The fields in which a resource differs before and after a change; null before it is created and after it is
 * deleted. A missing field counts as null. With `isSecret` the changes name the fields and not their values.
 */
export const changesOf = (
  before: RecordedFields | null,
  after: RecordedFields | null,
  isSecret = false,
): RecordedChanges => {
  const [old, next] = [valuesOf(before), valuesOf(after)];
  const changes: Record<string, RecordedChange> = {};
  for (const name of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(name) ?? null, next.get(name) ?? null];
    if (isDeepStrictEqual(was, is)) continue;
    changes[name] = isSecret ? { old: null, new: null } : { old: shown(was), new: shown(is) };
  }
  return changes;
};
