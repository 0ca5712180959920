import { Effect, Schema, type Scope } from "effect";
import { HttpServerResponse } from "effect/http";
import { batchedByKey } from "../database/Batched.ts";

interface Read<A, E> {
  readonly key: string;
  readonly read: Effect.Effect<A, E>;
}

/**
 * Makes the function that responds with what `read` gives. Requests with the same key that come while a read
 * of it runs share the next one, and the encoded response. A read begins after all requests that share it
 * have come, so that each sees every change that was committed before. The key names all that the read
 * depends on, first of all the environment.
 */
export const sharedReads = <S extends Schema.Encoder<unknown>, E>(
  schema: S,
): Effect.Effect<
  (read: Read<S["Type"], E>) => Effect.Effect<HttpServerResponse.HttpServerResponse, E>,
  never,
  Scope.Scope
> => {
  const encode = Schema.encodeEffect(schema);
  return Effect.map(
    batchedByKey<Read<S["Type"], E>, Uint8Array, E, never>(
      Number.POSITIVE_INFINITY,
      ({ key }) => key,
      Effect.fnUntraced(function* (reads) {
        const [{ read }] = reads as [Read<S["Type"], E>];
        const bytes = Buffer.from(JSON.stringify(yield* Effect.orDie(encode(yield* read))));
        return reads.map(() => bytes);
      }),
    ),
    (share) => (read) =>
      Effect.map(share(read), (bytes) =>
        HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }),
      ),
  );
};
