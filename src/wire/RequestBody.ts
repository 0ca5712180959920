import { ByteSize, Context, Effect, Predicate } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpIncomingMessage } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "./ApiError.ts";
import { parseShallow } from "./ShallowJson.ts";

/** Annotation of an endpoint: the maximum size of its body and the accepted content types. */
export const BodyRules = Context.Reference<{
  readonly maxBytes: number;
  readonly contentTypes: ReadonlyArray<string>;
}>("waypost/wire/BodyRules", {
  defaultValue: () => ({ maxBytes: 1_048_576, contentTypes: ["application/json"] }),
});

type Rules = Context.Service.Shape<typeof BodyRules>;

/** The body rules of an endpoint. */
export const bodyRules = (endpoint: { readonly annotations: Context.Context<never> }): Rules =>
  Context.get(endpoint.annotations, BodyRules);

/**
 * Reads the whole body within the rules; a second call gets the same bytes. A missing content type counts as
 * accepted (contract B3). @throws 413 for a body over the limit, 415 for a content type that is not accepted
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  rules: Rules,
): Effect.Effect<ArrayBuffer, PayloadTooLarge | UnsupportedMediaType | Unprocessable> => {
  const contentType = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (contentType !== undefined && contentType !== "" && !rules.contentTypes.includes(contentType)) {
    return Effect.fail(UnsupportedMediaType.of(rules.contentTypes));
  }
  if (Number(request.headers["content-length"] ?? 0) > rules.maxBytes) {
    return Effect.fail(PayloadTooLarge.of(rules.maxBytes));
  }
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(rules.maxBytes)),
    Effect.mapError((error) =>
      error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
        ? PayloadTooLarge.of(rules.maxBytes)
        : badBody("The body did not arrive whole: send it again."),
    ),
  );
};

/** What a handler of raw requests gets. */
export interface RequestInput {
  readonly request: HttpServerRequest.HttpServerRequest;
  readonly endpoint: HttpApiEndpoint.Constraint;
}

/** The body rules of the endpoint of a raw request. */
const rulesOf = ({ endpoint }: RequestInput): Rules => bodyRules(endpoint as unknown as HttpApiEndpoint.Top);

const readObject = Effect.fnUntraced(function* (input: RequestInput, isOptional: boolean) {
  const bytes = yield* readBody(input.request, rulesOf(input));
  const text = decode(bytes);
  if (text === null) return yield* badBody("The body must be JSON in UTF-8.");
  if (text.trim() === "") {
    return isOptional ? {} : yield* badBody("The body is empty: send a JSON object.");
  }
  const value = yield* Effect.try({
    try: () => parseShallow(text),
    catch: () => badBody("The body must be valid JSON."),
  });
  if (!Predicate.isObject(value) || Array.isArray(value))
    return yield* badBody("The body must be a JSON object.");
  return value;
});

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

const badBody = (message: string) => Unprocessable.validation({ body: [message] });

const decoder = new TextDecoder("utf-8", { fatal: true });

const decode = (bytes: ArrayBuffer): string | null => {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
};
