import type { ChangeOptions } from "./ClientOptions.ts";

/** A table of endpoints by group and name: method, path and flags, as in `GET /campaigns pages query`. */
export type EndpointTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** An endpoint of a table. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly has: (flag: string) => boolean;
}

/** Options of a call, as far as an endpoint has them. */
export type Options = ChangeOptions & {
  readonly ifMatch?: string;
  readonly dryRun?: boolean;
  readonly name?: string;
  readonly deviceToken?: string;
};

/** Parameters of a query. */
export type Query = Readonly<Record<string, string | number | boolean | Date | null | undefined>>;

/** The arguments of a method. */
export interface Arguments {
  readonly path: string;
  readonly body: unknown;
  readonly query: Query;
  readonly options: Options;
}

/** Reads a row of a table. */
export const parseRow = (row: string): Endpoint => {
  const [method = "", path = "", ...flags] = row.split(" ");
  return { method, path, has: (flag) => flags.includes(flag) };
};

const words = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("_", " ");

/**
 * Fills ids into a path.
 * @throws TypeError for an id that is empty or consists of dots, because it would change the path
 */
const fillPath = (path: string, ids: Array<unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids.shift();
    const id = typeof value === "string" ? value.trim() : "";
    if (/^\.*$/.test(id))
      throw new TypeError(`The id of the ${words(name)} is missing or invalid; it is "${id}".`);
    return encodeURIComponent(id);
  });

/** Reads the arguments of a method: ids of the path, then body, query and options, as its type says. */
export const argumentsOf = ({ has, path }: Endpoint, given: ReadonlyArray<unknown>): Arguments => {
  const rest = [...given];
  const filled = fillPath(path, rest);
  const body = has("body") || has("import") || has("rows") || has("upload") ? rest.shift() : undefined;
  const query = has("query") ? (rest.shift() as Query | undefined) : undefined;
  return { path: filled, body, query: query ?? {}, options: (rest.shift() as Options | undefined) ?? {} };
};

/** The text of a query with its question mark; empty without parameters. */
export const queryText = (query: Query, { dryRun = false }: Options = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries<Query[string]>({
    ...query,
    ...(dryRun ? { dry_run: "1" } : {}),
  })) {
    if (value === undefined || value === null) continue;
    parameters.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
};

/** A request that is not sent: its path is relative to the base address and has the query. */
export interface DescribedRequest extends Pick<Arguments, "body" | "options" | "path"> {
  readonly method: string;
}

/** The request of a row of a table with the arguments of its method, for a program that sends it itself. */
export const describeRequest = (row: string, given: ReadonlyArray<unknown>): DescribedRequest => {
  const endpoint = parseRow(row);
  const { body, options, path, query } = argumentsOf(endpoint, given);
  return { method: endpoint.method, path: path + queryText(query, options), body, options };
};
