/** Comparison of two versions of a JSON schema of an OpenAPI document. */
import { isDeepStrictEqual } from "node:util";

/** A schema: the keywords that the documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | ReadonlyArray<string>;
  readonly format?: string;
  readonly enum?: ReadonlyArray<unknown>;
  readonly const?: unknown;
  readonly anyOf?: ReadonlyArray<Schema>;
  readonly allOf?: ReadonlyArray<Schema>;
  readonly items?: Schema;
  readonly prefixItems?: ReadonlyArray<Schema>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: ReadonlyArray<string>;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const known = new Set(
  (
    "$ref type format enum const anyOf allOf items prefixItems properties required additionalProperties " +
    "minimum maximum minLength maxLength minItems maxItems description examples default"
  ).split(" "),
);

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Who reads a value: the server reads requests, the client responses. */
export type Side = "request" | "response";

const nameOf = (schema: Schema): string | undefined => schema.$ref?.split("/").at(-1);

/** A schema of one type, without references and alternatives. */
type Variant = Schema & { readonly type?: string };

/** The alternatives of a schema. */
const variantsOf = (schema: Schema, schemas: Schemas): ReadonlyArray<Variant> => {
  const { $ref, allOf, anyOf, type, ...rest } = schema;
  const types = type === undefined || typeof type === "string" ? [type] : type;
  const own = types.map((each) => (each === undefined ? rest : { ...rest, type: each }));
  const parts = [...($ref === undefined ? [] : [schemas[nameOf(schema) ?? ""] ?? {}]), ...(allOf ?? [])];
  return parts
    .map((part) => variantsOf(part, schemas))
    .concat(anyOf === undefined ? [] : [anyOf.flatMap((each) => variantsOf(each, schemas))])
    .reduce((all, next) => all.flatMap((one) => next.map((other) => ({ ...other, ...one }))), own);
};

const valuesOf = ({ const: single, enum: several }: Schema): ReadonlyArray<unknown> | undefined =>
  single === undefined ? several : [single];

/** The type of values; `anything` without a restriction. */
const typeOf = (schema: Variant): string => {
  const [first] = valuesOf(schema) ?? [];
  return schema.type ?? (first === undefined ? "anything" : typeof first);
};

const shown = (value: unknown): string => JSON.stringify(value);

/**
 * Compares schemas of a released and of the current document. A finding says what breaks for a program that
 * was written for the released one: a request that was valid no longer is, or a response lacks what it had.
 */
export class SchemaChanges {
  readonly #released: Schemas;
  readonly #current: Schemas;
  /** The findings about pairs of named schemas. A pair that is being compared has none yet. */
  readonly #compared = new Map<string, ReadonlyArray<string>>();

  constructor(released: Schemas, current: Schemas) {
    this.#released = released;
    this.#current = current;
  }

  /** The findings about a value at `where`. Those about a named schema begin with its name. */
  compare(released: Schema, current: Schema, side: Side, where: string): ReadonlyArray<string> {
    const name = nameOf(released);
    if (name === undefined) return this.#compareVariants(released, current, side, where);
    const pair = [side, name, nameOf(current) ?? shown(current)].join(" ");
    const before = this.#compared.get(pair);
    if (before !== undefined) return before;
    this.#compared.set(pair, []);
    const found = this.#compareVariants(released, current, side, `${name} (${side})`);
    this.#compared.set(pair, found);
    return found;
  }

  /** Each alternative of a request must still be taken; each of a response must have been there. */
  #compareVariants(released: Schema, current: Schema, side: Side, where: string): ReadonlyArray<string> {
    const before = variantsOf(released, this.#released);
    const now = variantsOf(current, this.#current);
    const [given, taken] = side === "request" ? [before, now] : [now, before];
    return given.flatMap((one) => {
      if (side === "response" && this.#isNewKind(one, before, now, where)) return [];
      const attempts = taken.map((other) =>
        side === "request"
          ? this.#compareOne(one, other, side, where)
          : this.#compareOne(other, one, side, where),
      );
      // The one that fits best. Two that differ in their type tell the least.
      const isNear = (index: number): number => (typeOf(taken[index] ?? {}) === typeOf(one) ? 0 : 1);
      const [best = 0] = attempts
        .map((_, index) => index)
        .toSorted((a, b) => isNear(a) - isNear(b) || (attempts[a]?.length ?? 0) - (attempts[b]?.length ?? 0));
      return attempts.some((findings) => findings.length === 0) ? [] : (attempts[best] ?? []);
    });
  }

  /**
   * Whether an object of a response is of a kind that is new beside those that were there: it always has a
   * field that none of them has, and each of them still stands.
   */
  #isNewKind(
    one: Variant,
    before: ReadonlyArray<Variant>,
    now: ReadonlyArray<Variant>,
    where: string,
  ): boolean {
    const isNew = (field: string): boolean =>
      before.every(({ properties }) => properties?.[field] === undefined);
    const stands = (released: Variant): boolean =>
      now.some((each) => each !== one && this.#compareOne(released, each, "response", where).length === 0);
    return before.length > 0 && (one.required ?? []).some(isNew) && before.every(stands);
  }

  #compareOne(released: Variant, current: Variant, side: Side, where: string): ReadonlyArray<string> {
    const unknown = [...Object.keys(released), ...Object.keys(current)].find((name) => !known.has(name));
    if (unknown !== undefined)
      return [`${where} has the keyword ${unknown}, which scripts/check/schemaChanges.ts does not compare.`];
    const [before, now] = [typeOf(released), typeOf(current)];
    const [narrow, wide] = side === "request" ? [before, now] : [now, before];
    const isWithin = narrow === wide || wide === "anything" || (narrow === "integer" && wide === "number");
    if (!isWithin) return [`${where} was of type ${before} and can be ${now}.`];
    return [
      ...this.#compareValues(released, current, side, where),
      ...this.#compareProperties(released, current, side, where),
      ...this.#compareItems(released, current, side, where),
    ];
  }

  #compareValues(released: Schema, current: Schema, side: Side, where: string): ReadonlyArray<string> {
    const findings: Array<string> = [];
    const [before, now] = [valuesOf(released), valuesOf(current)];
    if (now !== undefined)
      for (const value of before ?? [])
        if (!now.some((each) => isDeepStrictEqual(each, value)))
          findings.push(`${where} has no value ${shown(value)} any more.`);
    if (side === "response") {
      if (released.format !== undefined && released.format !== current.format)
        findings.push(`${where} had the format ${released.format}.`);
      return findings;
    }
    if (before === undefined && now !== undefined) findings.push(`${where} took any value.`);
    if (current.format !== undefined && released.format !== current.format)
      findings.push(`${where} has the new format ${current.format}.`);
    for (const limit of ["minimum", "minLength", "minItems"] as const)
      if ((current[limit] ?? -Infinity) > (released[limit] ?? -Infinity))
        findings.push(`${where} has the stricter ${limit} ${current[limit]}.`);
    for (const limit of ["maximum", "maxLength", "maxItems"] as const)
      if ((current[limit] ?? Infinity) < (released[limit] ?? Infinity))
        findings.push(`${where} has the stricter ${limit} ${current[limit]}.`);
    return findings;
  }

  #compareProperties(released: Schema, current: Schema, side: Side, where: string): ReadonlyArray<string> {
    const [before, now] = [released.properties ?? {}, current.properties ?? {}];
    const [required, requiredNow] = [released.required ?? [], current.required ?? []];
    const findings = Object.entries(before).flatMap(([name, schema]) => {
      const later = now[name];
      return later === undefined
        ? [`${where}.${name} vanishes.`]
        : this.compare(schema, later, side, `${where}.${name}`);
    });
    if (side === "request")
      for (const name of requiredNow)
        if (!required.includes(name)) findings.push(`${where}.${name} is required now.`);
    if (side === "response")
      for (const name of required)
        if (name in now && !requiredNow.includes(name))
          findings.push(`${where}.${name} may be left out now.`);
    const [rest = false, restNow = false] = [released.additionalProperties, current.additionalProperties];
    if (typeof rest === "object" && typeof restNow === "object")
      return [...findings, ...this.compare(rest, restNow, side, `${where}.*`)];
    if (typeof rest === "object") findings.push(`${where} has no further fields any more.`);
    return findings;
  }

  #compareItems(released: Schema, current: Schema, side: Side, where: string): ReadonlyArray<string> {
    const [before, now] = [released.prefixItems ?? [], current.prefixItems ?? []];
    const pairs = before.map((schema, index) => [schema, now[index] ?? current.items, index] as const);
    return [...pairs, [released.items, current.items, ""] as const].flatMap(([schema, later, index]) =>
      schema === undefined ? [] : this.compare(schema, later ?? {}, side, `${where}[${index}]`),
    );
  }
}
