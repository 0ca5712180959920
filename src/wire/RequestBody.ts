import { ByteSize, Context, Effect, Predicate } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpIncomingMessage } from "effect/http";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "./ApiError.ts";
import { parseShallow } from "./ShallowJson.ts";

/** What an endpoint takes as a body: most bytes, and the content types. Stands as an annotation on the endpoint. */
export const BodyRules = Context.Reference<{
  readonly maxBytes: number;
  readonly contentTypes: ReadonlyArray<string>;
}>("waypost/wire/BodyRules", {
  defaultValue: () => ({ maxBytes: 1_048_576, contentTypes: ["application/json"] }),
});

type Rules = Context.Service.Shape<typeof BodyRules>;

/** The rules of an endpoint. */
export const bodyRules = (endpoint: { readonly annotations: Context.Context<never> }): Rules =>
  Context.get(endpoint.annotations, BodyRules);

/**
 * Reads the whole body within the rules, once: a second call gets the same bytes. Fails with 413 over the limit and 415
 * for a content type that is not taken; none given counts as the right one (contract B3).
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

/** The body as a JSON object. Anything else is 422 at `body`, with the reason in words. */
export const readObject = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  rules: Rules,
) {
  const bytes = yield* readBody(request, rules);
  const text = decode(bytes);
  if (text === null) return yield* badBody("The body must be JSON in UTF-8.");
  if (text.trim() === "") return yield* badBody("The body is empty: send a JSON object.");
  const value = yield* Effect.try({
    try: () => parseShallow(text),
    catch: () => badBody("The body must be valid JSON."),
  });
  if (!Predicate.isObject(value) || Array.isArray(value))
    return yield* badBody("The body must be a JSON object.");
  return value;
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
