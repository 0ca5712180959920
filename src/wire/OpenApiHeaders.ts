import { isJson, type Json } from "./OpenApiDescriptions.ts";

/** A response header with an example of its value. */
const header = (name: string, description: string, example: string | number) => ({
  name,
  content: {
    description,
    schema: { type: typeof example === "number" ? "integer" : "string", examples: [example] },
  },
});

/** Response headers that a document declares, by their name in `components`. */
const components: Readonly<Record<string, ReturnType<typeof header>>> = {
  RequestId: header(
    "X-Request-Id",
    "The id of the request in the log: the id that was sent, or a new one.",
    "4f0c1b1e",
  ),
  RetryAfter: header("Retry-After", "Seconds to wait before a retry.", 12),
  RateLimit: header(
    "RateLimit",
    "Requests left (`r`) and seconds until the reset (`t`) of each window.",
    '"minute";r=29;t=42',
  ),
  RateLimitPolicy: header(
    "RateLimit-Policy",
    "Limit (`q`) and length in seconds (`w`) of each window.",
    '"minute";q=30;w=60',
  ),
  RateLimitLimit: header("X-RateLimit-Limit", "The limit of the window with the fewest requests left.", 30),
  RateLimitRemaining: header("X-RateLimit-Remaining", "The number of requests left in that window.", 29),
  RateLimitReset: header(
    "X-RateLimit-Reset",
    "The end of that window, in seconds since 1970.",
    1_795_262_400,
  ),
  ETag: header("ETag", "The version of the resource or of the content.", '"Jq0kQx4p6Qmd2m2nq6lX1iR3E1i9P7J"'),
  IdempotentReplayed: header(
    "Idempotent-Replayed",
    "`true` if this is the stored response of an earlier request with the same key.",
    "true",
  ),
};

/** Whether an operation has a header parameter, in any letter case. */
const hasHeader = (op: unknown, name: string): boolean =>
  isJson(op) &&
  (op["parameters"] as ReadonlyArray<Json>).some((each) => String(each["name"]).toLowerCase() === name);

/**
 * Whether successful responses have an `ETag`: changes that take `If-Match`, the `GET` of what they change,
 * and what takes `If-None-Match`. A deleted resource has no version.
 */
const hasTag = (method: string, op: Json, item: Json): boolean =>
  hasHeader(op, "if-none-match") ||
  (method !== "delete" && hasHeader(op, "if-match")) ||
  (method === "get" && hasHeader(item["patch"], "if-match"));

const rateLimitNames = Object.keys(components).filter((name) => name.startsWith("RateLimit"));

/** The headers that a response with this status can have. */
const headerNames = (
  status: string,
  isRateLimited: boolean,
  isIdempotent: boolean,
  isReport: boolean,
): ReadonlyArray<string> => [
  "RequestId",
  ...(status === "429" ||
  status === "503" ||
  (status === "409" && isIdempotent) ||
  (status === "200" && isReport)
    ? ["RetryAfter"]
    : []),
  // Authentication comes before the rate limits (contract B1).
  ...(isRateLimited && status !== "401" ? rateLimitNames : []),
  ...(isIdempotent && status.startsWith("2") ? ["IdempotentReplayed"] : []),
];

/** The reports of a device, which can be later in part (contract TR2). */
const reports = ["/events", "/positions"];

/**
 * Declares the headers of every response of a document (contract A5, J3). An operation with the parameter
 * `Idempotency-Key` is idempotent. Of the device interface, operations with a device's token have rate
 * limits, of the platform API all, of the operator interface none. Changes the document.
 */
export const addResponseHeaders = (document: Json, name: "platform" | "device" | "operator"): void => {
  const used = new Set<string>();
  for (const [path, item] of Object.entries(document["paths"] as Json)) {
    for (const [method, op] of Object.entries(item as Json)) {
      if (!isJson(op) || !isJson(op["responses"])) continue;
      const isOfDevice = name === "device" && JSON.stringify(op["security"]).includes("deviceToken");
      const isRateLimited = name === "platform" || isOfDevice;
      const isReport = isOfDevice && reports.some((end) => path.endsWith(end));
      const isIdempotent = hasHeader(op, "idempotency-key");
      const isTagged = hasTag(method, op, item as Json);
      for (const [status, response] of Object.entries(op["responses"])) {
        const names = [
          ...headerNames(status, isRateLimited, isIdempotent, isReport),
          ...(isTagged && status.startsWith("2") ? ["ETag"] : []),
        ];
        for (const name of names) used.add(name);
        (response as Json)["headers"] = Object.fromEntries(
          names.map((name) => [components[name]?.name, { $ref: `#/components/headers/${name}` }]),
        );
      }
    }
  }
  const declared = Object.entries(components).filter(([name]) => used.has(name));
  (document["components"] as Json)["headers"] = Object.fromEntries(
    declared.map(([name, { content }]) => [name, content]),
  );
};

/**
 * Names every security scheme as HTTP registers it, in lower case. A document with one scheme requires it
 * everywhere; with several, each operation says which. Changes the document.
 */
export const nameSecuritySchemes = (document: Json): void => {
  const schemes = (document["components"] as Json)["securitySchemes"] as Json;
  for (const scheme of Object.values(schemes) as Array<Json>) {
    scheme["scheme"] = String(scheme["scheme"]).toLowerCase();
  }
  const names = Object.keys(schemes);
  document["security"] = names.length === 1 ? names.map((name) => ({ [name]: [] })) : [];
};
