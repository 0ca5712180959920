import { Effect, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import { IncomingMessage } from "node:http";

/** Bodies up to this size are read by the platform itself after the answer. */
const smallBytes = 262_144;

/** No endpoint takes more: an upload's 51,200 KB and what is around them. */
const mostBytes = 67_108_864;

/** For all of it, and for each next piece: a client that sends nothing waits for the answer. */
const patience = "10 seconds";
const pause = "1 second";

/**
 * Lets a body that nobody has begun to read arrive, and forgets it. An answer that is known by the head alone (a refusal, a
 * replay) would else end the connection under a client that is still sending, and most clients then never read it. A
 * client that asks before it sends (`Expect: 100-continue`) is answered at once, and nobody is waited for
 * beyond 64 MiB, 10 seconds, or a second without a byte.
 */
export const letBodyArrive = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const { headers, source } = request;
  const length = headers["content-length"];
  const isLarge =
    length === undefined ? headers["transfer-encoding"] !== undefined : Number(length) > smallBytes;
  const isUntouched = source instanceof IncomingMessage && !source.readableDidRead && !source.complete;
  if (!isLarge || !isUntouched || headers["expect"] !== undefined) return Effect.void;
  let bytes = 0;
  return request.stream.pipe(
    Stream.timeout(pause),
    Stream.runForEachWhile((chunk) => Effect.sync(() => (bytes += chunk.length) < mostBytes)),
    Effect.timeoutOption(patience),
    Effect.ignore,
  );
};
