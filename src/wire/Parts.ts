/** Annotations of schemas whose values `PartReader.ts` reads part by part. */
import { Schema, type SchemaAST } from "effect";
import type { Problems } from "./Problems.ts";

/** The parts of a value that could be read. Of a list every entry is kept: `{}` or undefined if unread. */
export type Readable<A> = A extends string | number | boolean | null | undefined
  ? A
  : A extends ReadonlyArray<infer Entry>
    ? ReadonlyArray<Entry extends object ? Readable<Entry> : Entry | undefined>
    : A extends object
      ? string extends keyof A
        ? { readonly [name in keyof A]: Readable<A[name]> }
        : { readonly [name in keyof A]?: Readable<A[name]> }
      : A;

/** A JSON object. */
export type Json = { readonly [name: string]: unknown };

/** Checks the readable parts of what was sent against each other. Problems are named from the value on. */
type Rule<A> = (parts: Readable<A>, problems: Problems, sent: Json) => void;

interface Annotation {
  readonly rule?: Rule<never> | undefined;
  readonly before?: (sent: never) => unknown;
  readonly after?: (parts: never) => unknown;
  readonly read?: (sent: unknown) => unknown;
  readonly nameProblem?: (name: string) => string | null;
}

const annotation = "waypost/wire/Parts";

/** How a value is read in parts; undefined for one that its schema says nothing about. */
export const annotationOf = ({ annotations, checks }: SchemaAST.AST): Annotation | undefined =>
  [annotations, ...(checks ?? []).map((check) => check.annotations)]
    .map((each) => each?.[annotation])
    .find((each) => each !== undefined) as Annotation | undefined;

const annotated = <S extends Schema.Top>(schema: S, added: Annotation): S["Rebuild"] =>
  schema.annotate({ [annotation]: { ...annotationOf(schema.ast), ...added } });

/** A value that is read part by part, with the rule across its parts. */
export const inParts =
  <S extends Schema.Top>(rule?: Rule<S["Type"]>) =>
  (schema: S): S["Rebuild"] =>
    annotated(schema, { rule });

/** A record that is read entry by entry, whose names `nameProblem` checks. */
export const namedBy =
  (nameProblem: (name: string) => string | null) =>
  <S extends Schema.Top>(schema: S): S["Rebuild"] =>
    annotated(schema, { nameProblem });

/** A value of which another form is read than was sent. */
export const sentAs =
  (before: (sent: never) => unknown) =>
  <S extends Schema.Top>(schema: S): S["Rebuild"] =>
    annotated(schema, { before });

/** A value that is read part by part, and of whose readable parts another form is kept. */
export const keptAs =
  <S extends Schema.Top, A>(after: (parts: Readable<S["Type"]>) => A) =>
  (schema: S) =>
    annotated(schema, { after }) as unknown as Schema.Codec<A, S["Encoded"]>;

/** A struct that is read part by part, and whose nulls count as left out. */
export const sparse = <S extends Schema.Top>(schema: S) =>
  annotated(schema, {
    after: (parts: object) => Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null)),
  }) as unknown as Schema.Codec<
    { readonly [name in keyof S["Type"]]: Exclude<S["Type"][name], null> },
    S["Encoded"]
  >;

/**
 * A part that a schema documents, and that `read` gives without problems, also if it is left out: a rule has
 * the sentences.
 */
export const readBy = <S extends Schema.Top, A>(schema: S, read: (sent: unknown) => A) =>
  annotated(schema, { read }) as unknown as Schema.Codec<A, S["Encoded"]>;

/** A part that a schema documents, and that is kept as it was sent. */
export const asSent = <S extends Schema.Top>(schema: S) => readBy(schema, (sent) => sent);

/** A list of 1 to `max` entries, each of which is read later, by itself: an invalid one is rejected alone. */
export const sentList = <S extends Schema.Top>(entry: S, max: number, noun: string) => {
  const message = `The ${noun} must hold 1 to ${max} ${noun}.`;
  return Schema.Array(asSent(entry)).check(
    Schema.isMinLength(1, { message }),
    Schema.isMaxLength(max, { message }),
  );
};

/** The most entries of a list or record; those of a longer one are not read. */
export const atMost = (max: number, message: string) =>
  Schema.makeFilter((value: object) => Object.keys(value).length <= max, { message });
