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

/** An endpoint of an interface, with facts of its definition and of its OpenAPI document. */
export interface Endpoint {
  readonly api: DocumentName;
  /** Method and path below the base address, such as `GET /media/:media`. Examples have it as their key. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names of the path's parameters, from left to right. */
  readonly params: ReadonlyArray<string>;
  readonly needs: Ability | null;
  /** It works in Production before the full API is enabled. */
  readonly worksAlways: boolean;
  /** It accepts an Idempotency-Key. */
  readonly takesKey: boolean;
  readonly takesSdkKey: boolean;
  /** The operator calls it in the workspace of the fixture, instead of a token (contract W1). */
  readonly byOperator: boolean;
  /** The operation in the OpenAPI document, and that document. */
  readonly operation: any;
  readonly document: any;
}

const apis = { platform: PlatformApi, device: DeviceApi, operator: OperatorApi } as const;

const endpointsOf = (api: DocumentName): ReadonlyArray<Endpoint> => {
  const document: any = apiDocument(api);
  const endpoints: Array<Endpoint> = [];
  HttpApi.reflect(apis[api] as unknown as HttpApi.Top, {
    onGroup: () => {},
    onEndpoint: (found: {
      readonly endpoint: HttpApiEndpoint.Top;
      readonly group: HttpApiGroup.Top;
      readonly middleware: ReadonlySet<{ readonly key: string }>;
    }) => {
      const { endpoint, group } = found;
      const annotations = Context.merge(group.annotations, endpoint.annotations);
      const middleware = new Set([...found.middleware].map(({ key }) => key));
      const path = endpoint.path.replace(`/${api}/v1`, "");
      const documentPath = path.replaceAll(/:(\w+)/g, "{$1}");
      endpoints.push({
        api,
        name: `${endpoint.method} ${path}`,
        method: endpoint.method,
        path,
        params: [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name),
        needs: Option.getOrNull(Context.getOption(annotations, Needs)),
        worksAlways: Context.get(annotations, WorksAlways),
        takesKey: middleware.has(Idempotency.key),
        takesSdkKey: middleware.has(SdkAccess.key),
        byOperator: false,
        operation: document.paths[documentPath][endpoint.method.toLowerCase()],
        document,
      });
    },
  });
  return endpoints;
};

/** Every endpoint of every interface, read from the `…Api.ts` files: a new one is in every matrix. */
export const everyEndpoint: ReadonlyArray<Endpoint> = documentNames.flatMap(endpointsOf);

/** The endpoints of the platform API. */
export const platformEndpoints = everyEndpoint.filter(({ api }) => api === "platform");

/** The same, called by the operator. */
export const platformByOperator = platformEndpoints.map((endpoint) => ({ ...endpoint, byOperator: true }));

/** Every endpoint by every caller. */
export const everyCall: ReadonlyArray<Endpoint> = [...everyEndpoint, ...platformByOperator];

/** The path with its parameters filled in. The values are not encoded. */
export const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The example of ${path} gives no ${name}`);
    return value;
  });

const resolved = (document: any, schema: any): any =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

const isIdName = (name: string): boolean => /(?:^|_)ids?$/.test(name);

/** The dotted paths of the ids in a schema. `*` stands for every index of a list. */
const idPathsIn = (document: any, schema: any, path: string, depth = 0): ReadonlyArray<string> => {
  const target = resolved(document, schema);
  if (target === undefined || depth > 12) return [];
  const last = path.split(".").findLast((part) => part !== "*") ?? "";
  const isId = (target.type === "string" && isIdName(last)) || target.format === "uuid";
  if (isId && path !== "") return [path];
  const inner = (part: any, name: string) =>
    idPathsIn(document, part, path === "" ? name : `${path}.${name}`, depth + 1);
  return [
    ...Object.entries<any>(target.properties ?? {}).flatMap(([name, part]) => inner(part, name)),
    ...(target.items === undefined ? [] : inner(target.items, "*")),
    ...[...(target.anyOf ?? []), ...(target.oneOf ?? []), ...(target.allOf ?? [])].flatMap((part) =>
      idPathsIn(document, part, path, depth + 1),
    ),
  ];
};

/** Ids that clients make: the same id in another workspace has no effect. */
const ownIds = new Set([
  "events.*.id",
  "external_id",
  "user_id",
  "events.*.user_id",
  // Ids of projects, teams and keys at Google and Apple.
  "service_account.project_id",
  "service_account.private_key_id",
  "team_id",
  "key_id",
  // Names that an app gives its actions and channels.
  ...["", "variants.*.", "notification.", "notification.variants.*."].flatMap((within) => [
    `${within}push.channel_id`,
    `${within}push.actions.*.id`,
  ]),
]);

/** The ids of a request outside its path: dotted paths of its body, and query parameters as `?name`. */
export const idPathsOf = ({ document, operation }: Endpoint): ReadonlyArray<string> => {
  const bodies = Object.values<any>(operation.requestBody?.content ?? {});
  const query = operation.parameters.filter((each: any) => each.in === "query");
  const paths = [
    ...bodies.flatMap(({ schema }) => idPathsIn(document, schema, "")),
    ...query
      .filter(({ schema }: any) => resolved(document, schema).format === "uuid")
      .map(({ name }: any) => `?${name}`),
  ];
  return [...new Set(paths)].filter((path) => !ownIds.has(path));
};
