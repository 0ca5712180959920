import { Effect, Layer } from "effect";
import { HttpRouter, HttpServerResponse } from "effect/http";
import { type HttpApi, HttpApiScalar, OpenApi } from "effect/http-api";
import { DeviceApi } from "./DeviceApi.ts";
import { Idempotency } from "./http/Idempotency.ts";
import { IfMatch } from "./http/ResourceVersion.ts";
import { OperatorApi } from "./OperatorApi.ts";
import { PlatformApi } from "./PlatformApi.ts";
import { describeApi } from "./wire/OpenApiTidy.ts";

const interfaces = { platform: PlatformApi, device: DeviceApi, operator: OperatorApi };

/** The interfaces that have a document. */
export const documentNames = ["platform", "device", "operator"] as const;
/** One of `documentNames`. */
export type DocumentName = (typeof documentNames)[number];

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

/** The OpenAPI 3.1 document of an interface. */
export const apiDocument = (name: DocumentName): OpenApi.OpenAPISpec =>
  describeApi(interfaces[name] as unknown as HttpApi.Top, (_, middleware) => [
    ...(middleware.has(Idempotency.key) ? [idempotencyKey] : []),
    ...(middleware.has(IfMatch.key) ? [ifMatch] : []),
  ]);

/**
 * `GET /openapi/{name}.json`. A document is made on its first request: making all takes a fifth of the start.
 */
export const documentRoutes = HttpRouter.use((router) =>
  Effect.forEach(
    documentNames,
    (name) =>
      Effect.flatMap(
        Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(apiDocument(name)))),
        (document) => router.add("GET", `/openapi/${name}.json`, document),
      ),
    { discard: true },
  ),
);

/** `GET /docs`: a page to read and try the platform API. It loads nothing from other hosts. */
export const docsPage = Layer.unwrap(
  Effect.sync(() => {
    const scalar = { withDefaultFonts: false, telemetry: false, showDeveloperTools: "never" };
    return HttpApiScalar.layer(
      PlatformApi.annotate(OpenApi.Transform, () => ({ ...apiDocument("platform") })),
      { path: "/docs", scalar },
    );
  }),
);

const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; worker-src 'self' blob:; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors " +
  "'none'";

/** Headers that forbid the browser to load anything from other hosts. */
export const docsPageHeaders = HttpRouter.middleware((page) =>
  Effect.map(
    page,
    HttpServerResponse.setHeaders({
      "content-security-policy": contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    }),
  ),
);
