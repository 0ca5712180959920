import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable } from "./MemoryStore.ts";
import { type NewSession, SessionsRepository } from "../../src/console/SessionsRepository.ts";

type StoredSession = NewSession & { readonly minuteOpened: number; readonly minuteUsed: number };

const sessions = memoryTable<StoredSession>("console_session");
const codes = memoryTable<{ readonly expiresAt: number }>("console_code");

const maxPruned = 100;

const keyOf = (digest: Uint8Array): string => Buffer.from(digest).toString("hex");

/** Sessions of the console in memory. */
export const sessionsMemory = Layer.effect(
  SessionsRepository,
  Effect.map(MemoryStore, (store) =>
    SessionsRepository.of({
      open: (session) =>
        store.write((tables) => {
          const over = tables.filter(sessions, ({ expiresAt }) => expiresAt <= session.createdAt);
          for (const { digest } of over.slice(0, maxPruned)) tables.delete(sessions, keyOf(digest));
          tables.put(sessions, keyOf(session.digest), { ...session, minuteOpened: -Infinity, minuteUsed: 0 });
        }),

      take: (digest, limit, now) =>
        store.write((tables) => {
          const known = tables.rows(sessions).get(keyOf(digest));
          if (known === undefined || known.expiresAt <= now) return null;
          const isOver = known.minuteOpened <= now - 60_000 || known.minuteOpened > now + 60_000;
          const { digest: _, ...counted } = tables.put(sessions, keyOf(digest), {
            ...known,
            minuteOpened: isOver ? now : known.minuteOpened,
            minuteUsed: isOver ? 1 : Math.min(known.minuteUsed, limit) + 1,
          });
          return counted;
        }),

      end: (digest) => store.write((tables) => tables.delete(sessions, keyOf(digest))),

      issueCode: (digest, expiresAt, now) =>
        store.write((tables) => {
          const over = [...tables.rows(codes)].filter(([, code]) => code.expiresAt <= now);
          for (const [key] of over.slice(0, maxPruned)) tables.delete(codes, key);
          tables.put(codes, keyOf(digest), { expiresAt });
        }),

      spendCode: (digest, now) =>
        store.write((tables) => {
          const known = tables.rows(codes).get(keyOf(digest));
          return known !== undefined && known.expiresAt > now && tables.delete(codes, keyOf(digest));
        }),
    }),
  ),
);
