import { Context, Option } from "effect";
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api";
import type { Ability } from "../../src/access/Ability.ts";
import { Needs, WorksAlways } from "../../src/access/Access.ts";
import { apiDocument, type DocumentName, documentNames } from "../../src/ApiDocuments.ts";
import { DeviceApi } from "../../src/DeviceApi.ts";
import { SdkAccess } from "../../src/devices/DeviceAccess.ts";
import { Idempotency } from "../../src/http/Idempotency.ts";
import { OperatorApi } from "../../src/OperatorApi.ts";
import { PlatformApi } from "../../src/PlatformApi.ts";

/** One endpoint of an interface, as its contract and its document have it. */
export interface Endpoint {
  readonly of: DocumentName;
  /** Method and path below the base address: what examples are found by. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names of the path's parameters, from left to right. */
  readonly params: ReadonlyArray<string>;
  readonly needs: Ability | null;
  readonly worksAlways: boolean;
  readonly takesKey: boolean;
  readonly takesSdkKey: boolean;
  /** Its operation in the OpenAPI document, and that document. */
  readonly operation: any;
  readonly document: any;
}

const apis = { platform: PlatformApi, device: DeviceApi, operator: OperatorApi } as const;

const endpointsOf = (of: DocumentName): ReadonlyArray<Endpoint> => {
  const document: any = apiDocument(of);
  const endpoints: Array<Endpoint> = [];
  HttpApi.reflect(apis[of] as unknown as HttpApi.Top, {
    onGroup: () => {},
    onEndpoint: (found: {
      readonly endpoint: HttpApiEndpoint.Top;
      readonly group: HttpApiGroup.Top;
      readonly middleware: ReadonlySet<{ readonly key: string }>;
    }) => {
      const { endpoint, group } = found;
      const annotations = Context.merge(group.annotations, endpoint.annotations);
      const middleware = new Set([...found.middleware].map(({ key }) => key));
      const path = endpoint.path.replace(`/${of}/v1`, "");
      const shown = path.replaceAll(/:(\w+)/g, "{$1}");
      endpoints.push({
        of,
        name: `${endpoint.method} ${path}`,
        method: endpoint.method,
        path,
        params: [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name),
        needs: Option.getOrNull(Context.getOption(annotations, Needs)),
        worksAlways: Context.get(annotations, WorksAlways),
        takesKey: middleware.has(Idempotency.key),
        takesSdkKey: middleware.has(SdkAccess.key),
        operation: document.paths[shown][endpoint.method.toLowerCase()],
        document,
      });
    },
  });
  return endpoints;
};

/** Every endpoint of every interface: a new one is in every matrix from the moment it is in its `…Api.ts`. */
export const everyEndpoint: ReadonlyArray<Endpoint> = documentNames.flatMap(endpointsOf);

/** Those of the platform API. */
export const platformEndpoints = everyEndpoint.filter(({ of }) => of === "platform");

/** The path with its parameters filled in; what is given is sent as it is. */
export const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The example of ${path} gives no ${name}`);
    return value;
  });

const target = (document: any, schema: any): any =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

const namesIds = (name: string): boolean => /(?:^|_)ids?$/.test(name);

/** Places of a schema where ids stand, `*` for any position of a list. */
const idPlaces = (document: any, schema: any, place: string, depth = 0): ReadonlyArray<string> => {
  const at = target(document, schema);
  if (at === undefined || depth > 12) return [];
  const last = place.split(".").findLast((part) => part !== "*") ?? "";
  const isId = (at.type === "string" && namesIds(last)) || at.format === "uuid";
  if (isId && place !== "") return [place];
  const inner = (part: any, name: string) =>
    idPlaces(document, part, place === "" ? name : `${place}.${name}`, depth + 1);
  return [
    ...Object.entries<any>(at.properties ?? {}).flatMap(([name, part]) => inner(part, name)),
    ...(at.items === undefined ? [] : inner(at.items, "*")),
    ...[...(at.anyOf ?? []), ...(at.oneOf ?? []), ...(at.allOf ?? [])].flatMap((part) =>
      idPlaces(document, part, place, depth + 1),
    ),
  ];
};

/** Ids that a client makes itself, of which no other workspace can have one in the way. */
const ownIds = new Set([
  "events.*.id",
  "external_id",
  "?part",
  // What Google and Apple call a project, a team and a key.
  "service_account.project_id",
  "service_account.private_key_id",
  "team_id",
  "key_id",
]);

/** Where a request can name things beside its path: places of its body, and query parameters as `?name`. */
export const namedPlaces = ({ document, operation }: Endpoint): ReadonlyArray<string> => {
  const bodies = Object.values<any>(operation.requestBody?.content ?? {});
  const query = operation.parameters.filter((each: any) => each.in === "query");
  const places = [
    ...bodies.flatMap(({ schema }) => idPlaces(document, schema, "")),
    ...query
      .filter(({ schema }: any) => target(document, schema).format === "uuid")
      .map(({ name }: any) => `?${name}`),
  ];
  return [...new Set(places)].filter((place) => !ownIds.has(place));
};
