/** Types and routes of the platform API, derived from `PlatformApi` only. */
import { HttpApi } from "effect/http-api";
import { PlatformApi } from "../PlatformApi.ts";

type Groups = typeof PlatformApi extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never;

/** The name of a group of endpoints, such as `campaigns`. */
export type GroupName = Groups["identifier"];

type Endpoints<G extends GroupName> = Extract<Groups, { readonly identifier: G }>["endpoints"];

/** The name of an endpoint in its group, such as `create`. */
export type EndpointName<G extends GroupName> = keyof Endpoints<G> & string;

/** The JSON form of a schema. Endpoints wrap their schemas in codecs, which hold the original as `schema`. */
type Written<Schema> = Schema extends { readonly schema: { readonly Encoded: infer Encoded } }
  ? Encoded
  : Schema extends { readonly Encoded: infer Encoded }
    ? Encoded
    : never;

type Part<Endpoint, Name extends string> = Endpoint extends { readonly [Key in Name]: infer Schema }
  ? Written<Schema>
  : never;

/** The query parameters of an endpoint. */
export type Query<G extends GroupName, E extends EndpointName<G>> = Once<Part<Endpoints<G>[E], "~Query">>;

/** Removes the arrays: the server accepts repeated parameters only to refuse them. */
type Once<Q> = { readonly [name in keyof Q]: Exclude<Q[name], ReadonlyArray<unknown>> };

/** The JSON body of a request. */
export type Body<G extends GroupName, E extends EndpointName<G>> = Part<Endpoints<G>[E], "~Payload">;

/** The JSON body of a successful response. The requested resource is under `data`. */
export type Envelope<G extends GroupName, E extends EndpointName<G>> = Part<Endpoints<G>[E], "~Success">;

/** The `data` of a successful response. */
export type Answer<G extends GroupName, E extends EndpointName<G>> =
  Envelope<G, E> extends { readonly data: infer Data } ? Data : never;

/** One item of a list. */
export type Item<G extends GroupName, E extends EndpointName<G>> =
  Answer<G, E> extends ReadonlyArray<infer Item> ? Item : never;

/** The method and path of an endpoint. The path starts with `/platform/v1` and has `:name` for each id. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const routes: ReadonlyMap<string, Route> = (() => {
  const byName = new Map<string, Route>();
  HttpApi.reflect(PlatformApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      byName.set(`${group.identifier}.${endpoint.identifier}`, {
        method: endpoint.method,
        path: endpoint.path,
      });
    },
  });
  return byName;
})();

/** The route of an endpoint. */
export const routeOf = (group: GroupName, endpoint: string): Route => {
  const route = routes.get(`${group}.${endpoint}`);
  if (route === undefined) throw new Error(`The platform API has no endpoint ${group}.${endpoint}.`);
  return route;
};

/**
 * Fills ids into a path.
 * @throws TypeError for an id that is empty or consists of dots, because it would change the path
 */
export const fillPath = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const id = (ids[name] ?? "").trim();
    if (/^\.*$/.test(id))
      throw new TypeError(`The id of the ${words(name)} is missing or invalid; it is "${id}".`);
    return encodeURIComponent(id);
  });

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
