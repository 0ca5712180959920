import { assert, describe, it } from "@effect/vitest";
import { type Endpoint, everyEndpoint } from "../matrices/Endpoints.ts";

const isSecretName = (name: string): boolean =>
  /secret|token|password|(?:sdk|private|access)_key$/.test(name);

const resolved = (document: any, schema: any): any =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

/** The dotted paths of texts with the name of a secret in a schema. */
const secretsIn = (document: any, schema: any, path = "", depth = 0): ReadonlyArray<string> => {
  const target = resolved(document, schema);
  if (target === undefined || depth > 12) return [];
  const parts = [...(target.anyOf ?? []), ...(target.oneOf ?? []), ...(target.allOf ?? [])];
  const isText = target.type === "string" || parts.some((part: any) => part.type === "string");
  if (isText && isSecretName(path.split(".").at(-1) ?? "")) return [path];
  return [
    ...Object.entries<any>(target.properties ?? {}).flatMap(([name, part]) =>
      secretsIn(document, part, path === "" ? name : `${path}.${name}`, depth + 1),
    ),
    ...secretsIn(document, target.items, `${path}.*`, depth + 1),
    ...parts.flatMap((part: any) => secretsIn(document, part, path, depth + 1)),
  ];
};

const shownBy = ({ document, operation }: Endpoint): ReadonlyArray<string> =>
  Object.entries<any>(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, { content }]) => Object.values<any>(content ?? {}))
    .flatMap(({ schema }) => secretsIn(document, schema));

describe("secrets in responses", () => {
  const shown = everyEndpoint
    .map((endpoint) => ({ endpoint, paths: [...new Set(shownBy(endpoint))] }))
    .filter(({ paths }) => paths.length > 0);

  it("a response that can be repeated shows a secret in data.secret only (Y29)", () => {
    const repeatable = shown.filter(({ endpoint }) => endpoint.takesKey);
    assert.deepStrictEqual(
      Object.fromEntries(repeatable.map(({ endpoint, paths }) => [endpoint.name, paths])),
      {
        "POST /webhooks": ["data.secret"],
        "POST /webhooks/:webhook/secret": ["data.secret"],
      },
    );
  });

  it("endpoints with any other secret take no Idempotency-Key (operator.unlimited)", () => {
    const names = shown
      .filter(({ endpoint }) => !endpoint.takesKey)
      .map(({ endpoint, paths }) => `${endpoint.name} ${paths.join(" ")}`);
    assert.deepStrictEqual(names.toSorted(), [
      "POST /devices/me/rotate data.device_token",
      "POST /workspaces/:workspace/:env/sdk-keys data.sdk_key",
      "POST /workspaces/:workspace/:env/user-secret data.user_secret",
      "POST /workspaces/:workspace/tokens data.token",
      "PUT /devices/:installation_id data.device_token",
    ]);
  });
});
