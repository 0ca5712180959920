import { Predicate, Schema } from "effect";
import { TimeZoneName } from "../../time/TimeZone.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { optionalText, text } from "../../wire/Text.ts";
import { type Attributes, mergedAttributes, SentAttributes } from "../Attributes.ts";
import { Platform, UserId } from "../Device.ts";
import { PushAddress, storedAddress, type Transport } from "../PushAddress.ts";

/** A row of an import: its columns, as the file has them. Those that are not there are not given. */
export type ImportedRow = { readonly [column: string]: unknown };

/** What a row gives a device; undefined keeps what the device has. */
export interface ImportedDevice {
  readonly installationId: string;
  readonly platform?: Platform | undefined;
  readonly push?: { readonly transport: Transport; readonly address: object | null } | undefined;
  readonly attributes?: Attributes | undefined;
  readonly locale?: string | null | undefined;
  readonly timezone?: string | null | undefined;
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

/** Parses a row. `endpointProblem` refuses addresses that may not be called. */
export const importedDevice = (
  row: ImportedRow,
  problemsOfPush: (push: PushAddress) => ReadonlyArray<string>,
): ParsedRow => {
  const reasons: Array<string> = [];
  const push = pushOf(row);
  if (typeof push === "string") reasons.push(push);
  const { address: _address, attributes: sent, push: _push, transport: _transport, ...columns } = row;
  const attributes = sent === undefined ? undefined : jsonOf(sent);
  if (sent !== undefined && attributes === undefined) reasons.push("The attributes must be a JSON object.");
  const { fields, problems } = parseFields(Row, {
    ...columns,
    ...(attributes === undefined ? {} : { attributes }),
    ...(push === null || typeof push === "string" ? {} : push),
  });
  for (const each of Object.values(problems.fields)) reasons.push(...each.map(sentence));
  if (fields.push !== undefined) reasons.push(...problemsOfPush(fields.push));
  const installationId = fields.installation_id ?? null;
  if (installationId === null || reasons.length > 0) return { installationId, reasons };
  return {
    device: {
      installationId,
      platform: fields.platform,
      push: fields.push && storedAddress(fields.push),
      attributes: fields.attributes === undefined ? undefined : mergedAttributes({}, fields.attributes ?? {}),
      locale: fields.locale,
      timezone: fields.timezone,
      userId: fields.user_id,
    },
  };
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
