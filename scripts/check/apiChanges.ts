/** Comparison of OpenAPI documents: the promise of docs/upgrading.md about the API. */
import { type Schema, SchemaChanges, type Schemas, type Side } from "./schemaChanges.ts";

type Contents = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly parameters?: ReadonlyArray<Parameter>;
  readonly requestBody?: { readonly required?: boolean; readonly content: Contents };
  readonly responses: Readonly<
    Record<string, { readonly content?: Contents; readonly headers?: Readonly<Record<string, unknown>> }>
  >;
}

/** An OpenAPI document, as far as it is compared. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

const operationsOf = ({ paths }: ApiDocument): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]) => [`${method.toUpperCase()} ${path}`, each] as const),
    ),
  );

/** The parameters of an operation by their names for findings. */
const parametersOf = ({ parameters = [] }: Operation): Readonly<Record<string, Parameter>> =>
  Object.fromEntries(parameters.map((each) => [`${each.in} parameter ${each.name}`, each]));

/** The findings about names that a released document has and the current one lacks. */
const gone = (where: string, noun: string, before: object = {}, now: object = {}): ReadonlyArray<string> =>
  Object.keys(before)
    .filter((name) => !(name in now))
    .map((name) => `${where}: the ${`${noun} ${name}`.trim()} vanishes.`);

/**
 * The changes of the current document that break a program written for the released one. Paths, methods,
 * operation ids, credentials, parameters, status codes, media types, headers, fields and values stay; types
 * and formats stay; nothing is required or limited that was not. New fields and values are no findings.
 */
export const apiChanges = (released: ApiDocument, current: ApiDocument): ReadonlyArray<string> => {
  const schemas = new SchemaChanges(released.components.schemas, current.components.schemas);
  const operations = operationsOf(current);

  const compareContents = (before: Contents = {}, now: Contents = {}, side: Side, where: string) => [
    ...gone(where, "media type", before, now),
    ...Object.entries(before).flatMap(([type, { schema }]) => {
      const later = now[type]?.schema;
      return schema === undefined || later === undefined ? [] : schemas.compare(schema, later, side, where);
    }),
  ];

  const compareParameters = (before: Operation, now: Operation, where: string) => {
    const [old, later] = [parametersOf(before), parametersOf(now)];
    return [
      ...gone(where, "", old, later),
      ...Object.entries(later).flatMap(([key, { required, schema }]) => {
        const known = old[key];
        const isStricter = required === true && known?.required !== true;
        return [
          ...(isStricter ? [`${where}: the ${key} is required now.`] : []),
          ...(known === undefined
            ? []
            : schemas.compare(known.schema, schema, "request", `${where}: ${key}`)),
        ];
      }),
    ];
  };

  const compareOperation = (before: Operation, now: Operation, where: string): ReadonlyArray<string> => {
    const credentials = [before, now].map(({ security = [] }) => Object.assign({}, ...security) as object);
    const isBodyNew = now.requestBody?.required === true && before.requestBody?.required !== true;
    return [
      ...(before.operationId === now.operationId ? [] : [`${where} was called ${before.operationId}.`]),
      ...gone(where, "credential", ...credentials),
      ...compareParameters(before, now, where),
      ...(isBodyNew ? [`${where}: the body is required now.`] : []),
      ...compareContents(before.requestBody?.content, now.requestBody?.content, "request", `${where} body`),
      ...gone(where, "status", before.responses, now.responses),
      ...Object.entries(before.responses).flatMap(([status, { content, headers }]) => {
        const later = now.responses[status];
        if (later === undefined) return [];
        return [
          ...gone(`${where} ${status}`, "header", headers, later.headers),
          ...compareContents(content, later.content, "response", `${where} ${status}`),
        ];
      }),
    ];
  };

  const findings = [...operationsOf(released)].flatMap(([where, before]) => {
    const now = operations.get(where);
    return now === undefined ? [`${where} vanishes.`] : compareOperation(before, now, where);
  });
  return [...new Set(findings)];
};
