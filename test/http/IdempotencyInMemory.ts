import { Effect, Layer } from "effect";
import {
  type IdempotentRequest,
  IdempotencySql,
  type StoredResponse,
} from "../../src/http/IdempotencySql.ts";

const nameOf = ({ key, path, tenant }: IdempotentRequest): string =>
  JSON.stringify([tenant.workspaceId, tenant.environment, path, key]);

/** Idempotent responses in memory, for one request at a time: nobody else holds a lock. */
export const idempotencyInMemory = Layer.sync(IdempotencySql, () => {
  const responses = new Map<string, StoredResponse & { readonly createdAt: number }>();
  return {
    claim: (request, since) =>
      Effect.sync(() => {
        const found = responses.get(nameOf(request));
        if (found === undefined || found.createdAt <= since) return { isLocked: true, stored: null };
        const { createdAt: _, ...stored } = found;
        return { isLocked: true, stored };
      }),
    store: (request, response, now) =>
      Effect.sync(() => void responses.set(nameOf(request), { ...response, createdAt: now })),
    prune: (before, limit) =>
      Effect.sync(() => {
        const over = [...responses].filter(([, { createdAt }]) => createdAt <= before).slice(0, limit);
        for (const [name] of over) responses.delete(name);
        return over.length;
      }),
  };
});
