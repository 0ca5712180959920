import { Option, Predicate, Schema } from "effect";
import { TimeZoneName } from "../../time/TimeZone.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { optionalText, text } from "../../wire/Text.ts";
import { type Attributes, mergedAttributes, SentAttributes } from "../Attributes.ts";
import { Platform, UserId } from "../Device.ts";
import { PushAddress, storedAddress, type Transport } from "../PushAddress.ts";

/** A row of an import: its columns, as the file has them. Those that are not there are not given. */
export type ImportedRow = { readonly [column: string]: unknown };

/** Values of a row; undefined keeps the device's own. */
export interface ImportedDevice {
  readonly installationId: string;
  readonly platform?: Platform | undefined;
  readonly push?: { readonly transport: Transport; readonly address: object | null } | undefined;
  readonly attributes?: Attributes | undefined;
  readonly locale?: string | null | undefined;
  readonly timezone?: TimeZoneName | null | undefined;
  readonly userId?: string | null | undefined;
}

/** A parsed row, or why it is refused. */
export type ParsedRow =
  | { readonly device: ImportedDevice }
  | { readonly installationId: string | null; readonly reasons: ReadonlyArray<string> };

const Row = Schema.Struct({
  installation_id: text({ max: 255, description: "The installation.", example: "5f0c1b1e" }),
  platform: Schema.optionalKey(Platform),
  attributes: Schema.optionalKey(Schema.NullOr(SentAttributes)),
  locale: optionalText({ max: 64, description: "Language and region.", example: "nl-NL" }),
  timezone: Schema.optionalKey(Schema.NullOr(TimeZoneName)),
  user_id: Schema.optionalKey(Schema.NullOr(UserId)),
  push: Schema.optionalKey(PushAddress),
});

/** A column that may be JSON in a text; undefined for a text that is none. */
const jsonOf = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
};

/** The push address of a row from its columns, or the sentence of its problem; null for none. */
const pushOf = ({ address, transport }: ImportedRow): { readonly push: object } | string | null => {
  const hasAddress = address !== undefined && address !== null;
  if (transport === undefined || transport === null) {
    return hasAddress ? "The transport is required with an address." : null;
  }
  if (!hasAddress) return { push: { transport } };
  const parsed = jsonOf(address);
  if (!Predicate.isObject(parsed) || Array.isArray(parsed)) {
    return 'The address must be a JSON object, such as {"token": "…"} for fcm and apns.';
  }
  return { push: { ...parsed, transport } };
};

const sentence = (text: string): string => text.replaceAll("push.", "address.");

const plainColumns = ["installation_id", "platform", "locale", "timezone", "user_id"] as const;

/** Decodes a valid row at once; of another one, `parseFields` finds the problems. */
const decodeRow = Schema.decodeUnknownOption(Row);

const deviceOf = (fields: typeof Row.Type): ImportedDevice => ({
  installationId: fields.installation_id,
  platform: fields.platform,
  push: fields.push && storedAddress(fields.push),
  attributes: fields.attributes === undefined ? undefined : mergedAttributes({}, fields.attributes ?? {}),
  locale: fields.locale,
  timezone: fields.timezone,
  userId: fields.user_id,
});

/** Parses a row. `problemsOfPush` refuses addresses that may not be called. */
export const importedDevice = (
  row: ImportedRow,
  problemsOfPush: (push: PushAddress) => ReadonlyArray<string>,
): ParsedRow => {
  const reasons: Array<string> = [];
  const input: { [column: string]: unknown } = {};
  for (const column of plainColumns) if (row[column] !== undefined) input[column] = row[column];
  const push = pushOf(row);
  if (typeof push === "string") reasons.push(push);
  else if (push !== null) input["push"] = push.push;
  if (row["attributes"] !== undefined) {
    const attributes = jsonOf(row["attributes"]);
    if (attributes === undefined) reasons.push("The attributes must be a JSON object.");
    else input["attributes"] = attributes;
  }
  const decoded = Option.getOrNull(decodeRow(input));
  if (decoded !== null) {
    if (decoded.push !== undefined) reasons.push(...problemsOfPush(decoded.push));
    return reasons.length === 0
      ? { device: deviceOf(decoded) }
      : { installationId: decoded.installation_id, reasons };
  }
  const { fields, problems } = parseFields(Row, input);
  for (const each of Object.values(problems.fields)) reasons.push(...each.map(sentence));
  if (fields.push !== undefined) reasons.push(...problemsOfPush(fields.push));
  return { installationId: fields.installation_id ?? null, reasons };
};

/** A device as two rows give it: the later one replaces what it gives. */
export const laterOver = (earlier: ImportedDevice, later: ImportedDevice): ImportedDevice => ({
  installationId: later.installationId,
  platform: later.platform ?? earlier.platform,
  push: later.push ?? earlier.push,
  attributes: later.attributes ?? earlier.attributes,
  locale: later.locale === undefined ? earlier.locale : later.locale,
  timezone: later.timezone === undefined ? earlier.timezone : later.timezone,
  userId: later.userId === undefined ? earlier.userId : later.userId,
});
