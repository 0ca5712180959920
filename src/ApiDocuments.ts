import { Effect } from "effect";
import { HttpRouter, HttpServerResponse } from "effect/http";
import type { HttpApi, OpenApi } from "effect/http-api";
import { Settings } from "./config/Settings.ts";
import { DeviceApi } from "./DeviceApi.ts";
import { docsDocument, docsHeaders, docsHtml, docsScript, scalarScript } from "./http/pages/DocsPage.ts";
import { Idempotency } from "./http/Idempotency.ts";
import { IfMatch } from "./http/ResourceVersion.ts";
import { staticContent } from "./http/pages/StaticContent.ts";
import { OperatorApi } from "./OperatorApi.ts";
import { PlatformApi } from "./PlatformApi.ts";
import type { Json } from "./wire/OpenApiDescriptions.ts";
import { addResponseHeaders, nameSecuritySchemes } from "./wire/OpenApiHeaders.ts";
import { describeApi } from "./wire/OpenApiTidy.ts";

const interfaces = { platform: PlatformApi, device: DeviceApi, operator: OperatorApi };

/** The interfaces that have a document. */
export const documentNames = ["platform", "device", "operator"] as const;
/** One of `documentNames`. */
export type DocumentName = (typeof documentNames)[number];

/** The configured public addresses of the platform API; undefined for the default, which is relative. */
export interface DocumentAddresses {
  readonly productionUrl?: string | undefined;
  readonly sandboxUrl?: string | undefined;
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: {
    type: "string",
    description: "The change runs once under this key: a repetition within 24 hours gets the first response.",
    examples: ["5f0c1b1e-3a43-4b0e-9f8e-6a3b1d2c4e5f"],
    minLength: 1,
    maxLength: 255,
  },
};

const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  schema: {
    type: "string",
    description: "The `ETag` of the version to change. Another current version is 412.",
    examples: ['"Jq0kQx4p6Qmd2m2nq6lX1iR3E1i9P7JrB9rXhV5y0aE"'],
  },
};

const workspaceHeader = {
  name: "Waypost-Workspace",
  in: "header",
  required: false,
  schema: {
    type: "string",
    description: "Id of the workspace: required with the operator key, and ignored with a token.",
    format: "uuid",
    examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
  },
};

/** Describes the operator as a caller of the platform API (contract W1). Changes the document. */
const addOperator = (document: Json): void => {
  const schemes = (document["components"] as Json)["securitySchemes"] as Json;
  const description =
    "The operator key of this installation, with the header `Waypost-Workspace`. It has every ability, " +
    "also in Production before the full API is enabled, and no rate limits.";
  schemes["operatorKey"] = { description, type: "http", scheme: "bearer" };
  const security = Object.keys(schemes).map((name) => ({ [name]: [] }));
  document["security"] = security;
  const items = Object.values(document["paths"] as Json) as ReadonlyArray<Json>;
  for (const op of items.flatMap((item) => Object.values(item) as ReadonlyArray<Json>))
    op["security"] = security;
};

/** The OpenAPI 3.1 document of an interface. */
export const apiDocument = (name: DocumentName, addresses: DocumentAddresses = {}): OpenApi.OpenAPISpec => {
  const document = describeApi(interfaces[name] as unknown as HttpApi.Top, (_, middleware) => [
    ...(middleware.has(Idempotency.key) ? [idempotencyKey] : []),
    ...(middleware.has(IfMatch.key) ? [ifMatch] : []),
    ...(name === "platform" ? [workspaceHeader] : []),
  ]) as unknown as Json;
  nameSecuritySchemes(document);
  addResponseHeaders(document, name);
  if (name === "platform") {
    addOperator(document);
    const configured = { Sandbox: addresses.sandboxUrl, Production: addresses.productionUrl };
    document["servers"] = (document["servers"] as ReadonlyArray<ServerEntry>).map((server) => ({
      ...server,
      url: configured[server.description] ?? server.url,
    }));
  }
  return document as unknown as OpenApi.OpenAPISpec;
};

interface ServerEntry {
  readonly url: string;
  readonly description: "Sandbox" | "Production";
}

/**
 * `GET /openapi/{name}.json`, and the page `GET /docs` with its files. Content is made on its first request:
 * making all documents takes a fifth of the start.
 */
export const documentRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { productionUrl, sandboxUrl } = yield* Settings;
    const document = (name: DocumentName) =>
      apiDocument(name, { productionUrl, sandboxUrl }) as unknown as Json;
    const origins = [sandboxUrl, productionUrl].flatMap((url) =>
      url === undefined ? [] : [new URL(url).origin],
    );
    const headers = docsHeaders([...new Set(origins)]);
    const json = (make: () => Json) =>
      staticContent(
        "application/json",
        Effect.sync(() => JSON.stringify(make())),
      );

    for (const name of documentNames) {
      yield* router.add("GET", `/openapi/${name}.json`, yield* json(() => document(name)));
      yield* router.add("GET", `/docs/${name}.json`, yield* json(() => docsDocument(document(name))));
    }
    const sources = [
      { name: "platform", title: "Platform API" },
      { name: "device", title: "Device interface" },
      { name: "operator", title: "Operator interface" },
    ];
    const files = [
      ["/docs", "text/html; charset=utf-8", Effect.succeed(docsHtml)],
      ["/docs/start.js", "text/javascript; charset=utf-8", Effect.succeed(docsScript(sources))],
      ["/docs/scalar.js", "text/javascript; charset=utf-8", scalarScript],
    ] as const;
    for (const [path, contentType, make] of files) {
      const content = yield* staticContent(contentType, make);
      yield* router.add("GET", path, Effect.map(content, HttpServerResponse.setHeaders(headers)));
    }
  }),
);
