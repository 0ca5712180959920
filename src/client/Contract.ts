/** The platform API's contract as types and routes: everything that the client knows of it is read from `PlatformApi`. */
import { HttpApi } from "effect/http-api";
import { PlatformApi } from "../PlatformApi.ts";

type Groups = typeof PlatformApi extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never;

/** Name of a group of endpoints, such as `campaigns`. */
export type GroupName = Groups["identifier"];

type Endpoints<G extends GroupName> = Extract<Groups, { readonly identifier: G }>["endpoints"];

/** Name of an endpoint within its group, such as `create`. */
export type EndpointName<G extends GroupName> = keyof Endpoints<G> & string;

/** As it is on the wire. Endpoints wrap their schemas in codecs, under which the schema that was given is `schema`. */
type Written<Schema> = Schema extends { readonly schema: { readonly Encoded: infer Encoded } }
  ? Encoded
  : Schema extends { readonly Encoded: infer Encoded }
    ? Encoded
    : never;

type Part<Endpoint, Name extends string> = Endpoint extends { readonly [Key in Name]: infer Schema }
  ? Written<Schema>
  : never;

/** Query parameters of an endpoint, as they are written. */
export type Query<G extends GroupName, E extends EndpointName<G>> = Once<Part<Endpoints<G>[E], "~Query">>;

/** A parameter that the server also reads when it stands several times, to refuse it, stands once. */
type Once<Q> = { readonly [name in keyof Q]: Exclude<Q[name], ReadonlyArray<unknown>> };

/** Body of a request, as it is written in JSON. */
export type Body<G extends GroupName, E extends EndpointName<G>> = Part<Endpoints<G>[E], "~Payload">;

/** Body of a success, as it is written in JSON: what was asked for is under `data`. */
export type Envelope<G extends GroupName, E extends EndpointName<G>> = Part<Endpoints<G>[E], "~Success">;

/** What an endpoint gives. */
export type Answer<G extends GroupName, E extends EndpointName<G>> =
  Envelope<G, E> extends { readonly data: infer Data } ? Data : never;

/** One item of what an endpoint lists. */
export type Item<G extends GroupName, E extends EndpointName<G>> =
  Answer<G, E> extends ReadonlyArray<infer Item> ? Item : never;

/** Where an endpoint is: its path begins with `/platform/v1` and has `:name` where an id goes. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const routes: ReadonlyMap<string, Route> = (() => {
  const found = new Map<string, Route>();
  HttpApi.reflect(PlatformApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      found.set(`${group.identifier}.${endpoint.identifier}`, {
        method: endpoint.method,
        path: endpoint.path,
      });
    },
  });
  return found;
})();

/** The route of an endpoint of the contract. */
export const routeOf = (group: GroupName, endpoint: string): Route => {
  const route = routes.get(`${group}.${endpoint}`);
  if (route === undefined) throw new Error(`The platform API has no endpoint ${group}.${endpoint}.`);
  return route;
};

/** Fills the ids into a path. An id that is empty or made of dots would name another path: refused. */
export const fillPath = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const id = (ids[name] ?? "").trim();
    if (/^\.*$/.test(id)) throw new TypeError(`Give the id of the ${words(name)}; "${id}" is none.`);
    return encodeURIComponent(id);
  });

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
