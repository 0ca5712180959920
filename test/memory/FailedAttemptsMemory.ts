import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable } from "./MemoryStore.ts";
import { FailedAttemptsRepository } from "../../src/access/FailedAttemptsRepository.ts";

interface Window {
  readonly address: string;
  readonly attempts: number;
  readonly windowOpened: number;
}

const windows = memoryTable<Window>("failed_attempt");

/** Failed attempts in memory. */
export const failedAttemptsMemory = Layer.effect(
  FailedAttemptsRepository,
  Effect.map(MemoryStore, (store) =>
    FailedAttemptsRepository.of({
      count: (address, now, since) =>
        store.write((tables) => {
          const known = tables.rows(windows).get(address);
          const isOpen =
            known !== undefined && known.windowOpened > since && known.windowOpened <= now + 60_000;
          return tables.put(windows, address, {
            address,
            attempts: isOpen ? known.attempts + 1 : 1,
            windowOpened: isOpen ? known.windowOpened : now,
          });
        }),

      prune: (since, limit) =>
        store.write((tables) => {
          const over = tables
            .filter(windows, ({ windowOpened }) => windowOpened <= since)
            .toSorted((a, b) => a.windowOpened - b.windowOpened)
            .slice(0, limit);
          for (const { address } of over) tables.delete(windows, address);
          return over.length;
        }),
    }),
  ),
);
