/** `GET /docs`: a page to read and try the interfaces, drawn by Scalar. */
import { Effect, Layer } from "effect";
import { HttpRouter, HttpServerResponse } from "effect/http";
import { HttpApi, HttpApiScalar } from "effect/http-api";
import { isJson, type Json } from "../../wire/OpenApiDescriptions.ts";

/** One interface of the page. */
export interface DocsSource {
  /** The name in the address, such as `platform`. */
  readonly name: string;
  readonly title: string;
}

/** The page. Its scripts are files of their own, so that its policy needs no inline scripts. */
export const docsHtml = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Waypost API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>This page needs JavaScript. The documents are at /openapi/platform.json, /openapi/device.json
      and /openapi/operator.json.</noscript>
    <div id="docs"></div>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Starts Scalar with its telemetry, remote fonts, proxy and services off. Scalar links to its own site; the
 * page hides these links and removes their addresses.
 */
export const docsScript = (sources: ReadonlyArray<DocsSource>): string => {
  const configuration = {
    sources: sources.map(({ name, title }, index) => ({
      title,
      slug: name,
      url: `/docs/${name}.json`,
      default: index === 0,
    })),
    agent: { disabled: true },
    customCss: 'a[href*="scalar.com"], a[data-outside] { display: none !important; }',
    documentDownloadType: "direct",
    hideClientButton: true,
    mcp: { disabled: true },
    persistAuth: false,
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
  };
  return `const withoutOutsideLinks = () => {
  for (const link of document.querySelectorAll("a[href]")) {
    if (new URL(link.href).origin === location.origin || link.protocol === "blob:") continue;
    link.removeAttribute("href");
    link.dataset.outside = "";
  }
};
new MutationObserver(withoutOutsideLinks).observe(document.documentElement, {
  attributeFilter: ["href"],
  childList: true,
  subtree: true,
});
Scalar.createApiReference(document.getElementById("docs"), ${JSON.stringify(configuration)});
`;
};

/** The value of a schema with its required fields only; undefined if they have no examples. */
const requiredExample = (components: Json, given: unknown): unknown => {
  if (!isJson(given)) return undefined;
  const reference = given["$ref"];
  const schema = typeof reference === "string" ? components[reference.split("/").at(-1) ?? ""] : given;
  if (!isJson(schema)) return undefined;
  const { examples, properties, required } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (!Array.isArray(required) || !isJson(properties)) return undefined;
  const entries = required.map((name) => [
    String(name),
    requiredExample(components, properties[String(name)]),
  ]);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
};

/** Scalar sends every parameter that has an example: those of optional parameters are switched off. */
const shownParameter = (given: Json): Json => {
  const { schema } = given;
  const examples: unknown = isJson(schema) ? schema["examples"] : undefined;
  const value: unknown = Array.isArray(examples) ? examples[0] : "";
  return given["required"] === true
    ? given
    : { ...given, examples: { default: { value, "x-disabled": true } } };
};

/**
 * Scalar fills a body with every field, although some exclude each other: its example has the required ones.
 */
const shownBody = (components: Json, body: unknown): unknown => {
  const content = isJson(body) ? body["content"] : undefined;
  const json = isJson(content) ? content["application/json"] : undefined;
  if (!isJson(body) || !isJson(content) || !isJson(json)) return body;
  const example = requiredExample(components, json["schema"]);
  if (example === undefined) return body;
  return { ...body, content: { ...content, "application/json": { ...json, example } } };
};

/** A document as the page shows it: a request without further input is one that the server accepts. */
export const docsDocument = (document: Json): Json => {
  const { schemas } = document["components"] as { readonly schemas: Json };
  const operation = (op: unknown): unknown => {
    if (!isJson(op) || !Array.isArray(op["parameters"])) return op;
    const { parameters, requestBody, ...rest } = op as Json & { readonly parameters: ReadonlyArray<Json> };
    return {
      ...rest,
      parameters: parameters.map(shownParameter),
      ...(requestBody === undefined ? {} : { requestBody: shownBody(schemas, requestBody) }),
    };
  };
  const paths = Object.entries(document["paths"] as Json).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item as Json).map(([method, op]) => [method, operation(op)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as Json };
};

/**
 * The program of Scalar, which Effect bundles. Effect has it only within a page of its own: this renders that
 * page of an empty interface and takes the script from it.
 */
export const scalarScript: Effect.Effect<string> = Effect.gen(function* () {
  let page: Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined;
  const router = {
    add: (_method: string, _path: string, handler: typeof page) =>
      Effect.sync(() => {
        page = handler;
      }),
  };
  yield* Layer.build(HttpApiScalar.layer(HttpApi.make("empty"))).pipe(
    Effect.provideService(HttpRouter.HttpRouter, router as unknown as HttpRouter.HttpRouter),
  );
  const response = yield* page ?? Effect.die("HttpApiScalar added no page.");
  const html = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text());
  const start = html.indexOf("<script>") + "<script>".length;
  return html.slice(start, html.indexOf("</script>", start));
}).pipe(Effect.scoped);

/**
 * The policy of the page: nothing from other hosts, and no code from texts. `origins` are the public
 * addresses of this installation, which the page sends requests to.
 */
const contentSecurityPolicy = (origins: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ["connect-src 'self'", ...origins].join(" "),
    // Scalar adds its styles at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The headers of the page and its files. */
export const docsHeaders = (origins: ReadonlyArray<string>) => ({
  "content-security-policy": contentSecurityPolicy(origins),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
});
