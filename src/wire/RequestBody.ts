import { ByteSize, Context, Effect, Predicate } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpIncomingMessage } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { IncomingMessage } from "node:http";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "./ApiError.ts";
import { JsonOverLimit, parseBounded } from "./BoundedJson.ts";

/** The maximum size of a body, and the accepted content types. */
interface Rules {
  readonly maxBytes: number;
  readonly contentTypes: ReadonlyArray<string>;
  /** Whether the handler reads the body as a stream, and never as a whole. */
  readonly isStreamed?: boolean;
}

/** Annotation of an endpoint: the rules of its body. */
export const BodyRules = Context.Reference<Rules>("waypost/wire/BodyRules", {
  defaultValue: () => ({ maxBytes: 1_048_576, contentTypes: ["application/json"] }),
});

/** The body rules of an endpoint. */
export const bodyRules = (endpoint: { readonly annotations: Context.Context<never> }): Rules =>
  Context.get(endpoint.annotations, BodyRules);

/** The broken rule of the head of a request; null for none. A missing content type is accepted. */
export const headRefusal = (
  request: HttpServerRequest.HttpServerRequest,
  rules: Rules,
): PayloadTooLarge | UnsupportedMediaType | null => {
  const contentType = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (contentType !== undefined && contentType !== "" && !rules.contentTypes.includes(contentType))
    return UnsupportedMediaType.of(rules.contentTypes);
  return Number(request.headers["content-length"] ?? 0) > rules.maxBytes
    ? PayloadTooLarge.of(rules.maxBytes)
    : null;
};

/** Bodies that were read as a whole. */
const bodies = new WeakMap<IncomingMessage, Uint8Array>();

/** Reads a body of a declared length. Node ends it at that length. */
const readDeclared = (source: IncomingMessage): Effect.Effect<Uint8Array, Unprocessable> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = [];
    const onData = (chunk: Buffer): void => void chunks.push(chunk);
    const onEnd = (): void => {
      stop();
      const [first] = chunks;
      const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
      bodies.set(source, bytes);
      resume(Effect.succeed(bytes));
    };
    const onClose = (): void => {
      stop();
      resume(Effect.fail(badBody(bodyProblems.broken)));
    };
    const stop = (): void => {
      source.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
    };
    source.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
    return Effect.sync(stop);
  });

/**
 * Reads the whole body within the rules; a second call gets the same bytes (contract B3). @throws 413 for a
 * body over the limit, 415 for a content type that is not accepted, 422 for one that did not arrive whole
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  rules: Rules,
): Effect.Effect<Uint8Array, PayloadTooLarge | UnsupportedMediaType | Unprocessable> => {
  const refusal = headRefusal(request, rules);
  if (refusal !== null) return Effect.fail(refusal);
  const { headers, source } = request;
  if (source instanceof IncomingMessage) {
    const known = bodies.get(source);
    if (known !== undefined) return Effect.succeed(known);
    // Effect's reader waits for the close of the stream, which comes several ticks after its end.
    const isDeclared = headers["content-length"] !== undefined && headers["expect"] === undefined;
    if (isDeclared && !source.readableDidRead && !source.destroyed) return readDeclared(source);
  }
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(rules.maxBytes)),
    Effect.map((bytes) => new Uint8Array(bytes)),
    Effect.mapError((error) =>
      error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
        ? PayloadTooLarge.of(rules.maxBytes)
        : badBody(bodyProblems.broken),
    ),
  );
};

/** Parameters of a handler of raw requests. */
export interface RequestInput {
  readonly request: HttpServerRequest.HttpServerRequest;
  readonly endpoint: HttpApiEndpoint.Constraint;
}

/** The body rules of the endpoint of a raw request. */
const rulesOf = ({ endpoint }: RequestInput): Rules => bodyRules(endpoint as unknown as HttpApiEndpoint.Top);

const readObject = Effect.fnUntraced(function* (input: RequestInput, isOptional: boolean) {
  const bytes = yield* readBody(input.request, rulesOf(input));
  const text = decode(bytes);
  if (text === null) return yield* badBody(bodyProblems.utf8);
  if (text.trim() === "") {
    return isOptional ? {} : yield* badBody(bodyProblems.empty);
  }
  const value = yield* Effect.try({
    try: () => parseBounded(text, maxParts),
    catch: (error) => badBody(bodyProblems[error instanceof JsonOverLimit ? error.limit : "json"]),
  });
  if (!Predicate.isObject(value) || Array.isArray(value)) return yield* badBody(bodyProblems.object);
  return value;
});

/**
 * The maximum number of objects, arrays and fields in a body that is parsed as a whole. No endpoint reads as
 * many.
 */
const maxParts = 50_000;

/** The problems of a body as a whole. */
export const bodyProblems = {
  broken: "The body did not arrive whole: send it again.",
  utf8: "The body must be JSON in UTF-8.",
  empty: "The body is empty: send a JSON object.",
  json: "The body must be valid JSON.",
  object: "The body must be a JSON object.",
  depth: "The body nests deeper than 64 levels: send a flatter one.",
  parts: "The body has more than 50,000 objects, arrays and fields: send a smaller one.",
} as const;

/** 422 at `body`. */
export const badBody = (message: string) => Unprocessable.validation({ body: [message] });

/** Reads the body as a JSON object, within the body rules of the endpoint. @throws 413, 415, 422 at `body` */
export const readJson = (input: RequestInput) => readObject(input, false);

/**
 * As `readJson`, for an optional body: a request without one, whatever its content type, is an empty object.
 */
export const readOptionalJson = Effect.fnUntraced(function* (input: RequestInput) {
  const { headers } = input.request;
  const isChunked = headers["transfer-encoding"] !== undefined;
  if (!isChunked && Number(headers["content-length"] ?? 0) === 0) return {};
  return yield* readObject(input, true);
});

const decoder = new TextDecoder("utf-8", { fatal: true });

const decode = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
};
