import { Effect, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { IncomingMessage } from "node:http";

/** Node reads unread bodies up to this size itself after the response. */
const smallBytes = 262_144;

/** No endpoint accepts more: an upload of 51,200 KB and its multipart headers. */
const maxBytes = 67_108_864;

const bodyTimeout = "10 seconds";
/** Between two chunks: a client that sends nothing is waiting for the response. */
const chunkTimeout = "1 second";

/**
 * Reads and discards the rest of a body, before the response: most clients read a response only when they
 * have sent their body, and the connection would be closed. It stops after 64 MiB, 10 seconds, or a second
 * without a byte, and does not wait for a client that sent `Expect: 100-continue`.
 */
export const discardRest = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const { headers, source } = request;
  if (!(source instanceof IncomingMessage) || source.complete || headers["expect"] !== undefined)
    return Effect.void;
  let bytes = 0;
  return request.stream.pipe(
    Stream.timeout(chunkTimeout),
    Stream.runForEachWhile((chunk) => Effect.sync(() => (bytes += chunk.length) < maxBytes)),
    Effect.timeoutOption(bodyTimeout),
    Effect.ignore,
  );
};

/** Discards a large body that no handler has begun to read; Node reads a small one itself. */
export const discardBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const { headers, source } = request;
  const length = headers["content-length"];
  const isLarge =
    length === undefined ? headers["transfer-encoding"] !== undefined : Number(length) > smallBytes;
  const isUntouched = source instanceof IncomingMessage && !source.readableDidRead;
  return isLarge && isUntouched ? discardRest(request) : Effect.void;
};
