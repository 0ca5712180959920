import { Effect, type Scope } from "effect";
import { HttpServerResponse } from "effect/http";
import { batchedByKey } from "../database/Batched.ts";

interface Read<A, E> {
  readonly key: string;
  readonly read: Effect.Effect<A, E>;
}

/**
 * Makes the function that responds with what `read` gives: a JSON value whose fields are exactly those of the
 * response, in their order. It is not encoded by a schema, which costs as much as writing it. Requests with
 * the same key that come while a read of it runs share the next one, and the written response. A read begins
 * after all requests that share it have come, so that each sees every change that was committed before. The
 * key names all that the read depends on, first of all the environment.
 */
export const sharedReads = <A, E>(): Effect.Effect<
  (read: Read<A, E>) => Effect.Effect<HttpServerResponse.HttpServerResponse, E>,
  never,
  Scope.Scope
> =>
  Effect.map(
    batchedByKey<Read<A, E>, Uint8Array, E, never>({
      maxBatch: Number.POSITIVE_INFINITY,
      keyOf: ({ key }) => key,
      run: Effect.fnUntraced(function* (reads) {
        const [{ read }] = reads as [Read<A, E>];
        const bytes = Buffer.from(JSON.stringify(yield* read));
        return reads.map(() => bytes);
      }),
    }),
    (share) => (read) =>
      Effect.map(share(read), (bytes) =>
        HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }),
      ),
  );
