import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable } from "./MemoryStore.ts";
import {
  IdempotencyRepository,
  type IdempotentRequest,
  type StoredResponse,
} from "../../src/http/IdempotencyRepository.ts";

interface StoredAt extends StoredResponse {
  readonly createdAt: number;
}

const responses = memoryTable<StoredAt>("idempotent_response");

const nameOf = ({ key, path, tenant }: IdempotentRequest): string =>
  JSON.stringify([tenant.workspaceId, tenant.environment, path, key]);

/** Idempotent responses in memory. */
export const idempotencyMemory = Layer.effect(
  IdempotencyRepository,
  Effect.map(MemoryStore, (store) => {
    const find = (request: IdempotentRequest, since: number) =>
      store.read((tables) => {
        const found = tables.rows(responses).get(nameOf(request));
        if (found === undefined || found.createdAt <= since) return null;
        const { createdAt: _, ...response } = found;
        return response;
      });

    return IdempotencyRepository.of({
      // Transactions of the store run one after another: nobody else holds the lock.
      claim: (request, since) => Effect.map(find(request, since), (stored) => ({ isLocked: true, stored })),

      store: (request, response, now) =>
        Effect.asVoid(
          store.write((tables) => tables.put(responses, nameOf(request), { ...response, createdAt: now })),
        ),

      prune: (before, limit) =>
        store.write((tables) => {
          const over = [...tables.rows(responses)]
            .filter(([, { createdAt }]) => createdAt <= before)
            .slice(0, limit);
          for (const [name] of over) tables.delete(responses, name);
          return over.length;
        }),
    });
  }),
);
