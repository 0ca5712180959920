import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, pageOf } from "./MemoryStore.ts";
import type { NewToken } from "../../src/access/TokensRepository.ts";
import {
  type NewSession,
  type SessionRow,
  SessionsRepository,
} from "../../src/console/SessionsRepository.ts";
import { utcText } from "../../src/time/LocalTime.ts";

interface StoredSession extends NewSession {
  readonly minuteOpened: number;
  readonly minuteUsed: number;
  readonly lastUsedAt: number | null;
  readonly lastAddress: string | null;
}
type StoredToken = NewToken & { readonly workspaceId: number; readonly revokedAt: number | null };
interface StoredWorkspace {
  readonly workspaceId: number;
  readonly id: string;
  readonly name: string;
}

const sessions = memoryTable<StoredSession>("console_session");
const codes = memoryTable<{ readonly operatorKey: Uint8Array; readonly expiresAt: number }>("console_code");
const apiTokens = memoryTable<StoredToken>("api_token");
const workspaces = memoryTable<StoredWorkspace>("workspace");

const maxPruned = 100;
const keptMillis = 7 * 86_400_000;

const keyOf = (digest: Uint8Array): string => Buffer.from(digest).toString("hex");

const isEqual = (one: Uint8Array | null, other: Uint8Array): boolean =>
  one !== null && Buffer.compare(one, other) === 0;

const toRow = (
  session: StoredSession,
  token: StoredToken | undefined,
  workspace: StoredWorkspace | undefined,
): SessionRow => ({
  id: session.id,
  kind: token === undefined ? "operator" : "token",
  name: session.name,
  token: token === undefined ? null : { id: token.id, name: token.name },
  workspace: workspace === undefined ? null : { id: workspace.id, name: workspace.name },
  environment: token?.environment ?? null,
  created_at: utcText(session.createdAt),
  last_used_at: session.lastUsedAt === null ? null : utcText(session.lastUsedAt),
  expires_at: utcText(session.expiresAt),
  address: session.address,
  last_address: session.lastAddress,
  user_agent: session.userAgent,
});

/** Sessions of the console in memory. */
export const sessionsMemory = Layer.effect(
  SessionsRepository,
  Effect.map(MemoryStore, (store) =>
    SessionsRepository.of({
      open: (session) =>
        store.write((tables) => {
          const over = tables.filter(
            sessions,
            ({ expiresAt }) => expiresAt + keptMillis <= session.createdAt,
          );
          for (const { digest } of over.slice(0, maxPruned)) tables.delete(sessions, keyOf(digest));
          tables.put(sessions, keyOf(session.digest), {
            ...session,
            minuteOpened: -Infinity,
            minuteUsed: 0,
            lastUsedAt: null,
            lastAddress: null,
          });
        }),

      take: (digest, { address, limit, now, operatorKey }) =>
        store.write((tables) => {
          const known = tables.rows(sessions).get(keyOf(digest));
          if (known === undefined || known.expiresAt <= now) return null;
          if (known.tokenId === null && !isEqual(known.operatorKey, operatorKey)) return null;
          const isOver = known.minuteOpened <= now - 60_000 || known.minuteOpened > now + 60_000;
          const { expiresAt, id, minuteOpened, minuteUsed, name, tokenId } = tables.put(
            sessions,
            keyOf(digest),
            {
              ...known,
              minuteOpened: isOver ? now : known.minuteOpened,
              minuteUsed: isOver ? 1 : Math.min(known.minuteUsed, limit) + 1,
              lastUsedAt: now,
              lastAddress: address,
            },
          );
          return { expiresAt, id, minuteOpened, minuteUsed, name, tokenId };
        }),

      end: (digest) => store.write((tables) => tables.delete(sessions, keyOf(digest))),

      page: (operatorKey, now, position) =>
        store.read((tables) => {
          const rows = tables
            .filter(sessions, ({ expiresAt }) => expiresAt > now)
            .flatMap((session) => {
              if (session.tokenId === null)
                return isEqual(session.operatorKey, operatorKey)
                  ? [toRow(session, undefined, undefined)]
                  : [];
              const token = tables.rows(apiTokens).get(session.tokenId);
              const isOver = token === undefined || (token.expiresAt !== null && token.expiresAt <= now);
              if (isOver || token.revokedAt !== null) return [];
              const own = ({ workspaceId }: StoredWorkspace) => workspaceId === token.workspaceId;
              return [toRow(session, token, tables.find(workspaces, own))];
            });
          return pageOf(rows, position);
        }),

      endById: (id) =>
        store.write((tables) => {
          const known = tables.find(sessions, (session) => session.id === id);
          return known !== undefined && tables.delete(sessions, keyOf(known.digest));
        }),

      endOthers: (keptId, now) =>
        store.write((tables) => {
          const others = tables.filter(sessions, ({ id }) => id !== keptId);
          for (const { digest } of others) tables.delete(sessions, keyOf(digest));
          return others.filter(({ expiresAt }) => expiresAt > now).length;
        }),

      issueCode: (digest, operatorKey, expiresAt, now) =>
        store.write((tables) => {
          const over = [...tables.rows(codes)].filter(([, code]) => code.expiresAt <= now);
          for (const [key] of over.slice(0, maxPruned)) tables.delete(codes, key);
          tables.put(codes, keyOf(digest), { operatorKey, expiresAt });
        }),

      spendCode: (digest, operatorKey, now) =>
        store.write((tables) => {
          const known = tables.rows(codes).get(keyOf(digest));
          const isGood =
            known !== undefined && known.expiresAt > now && isEqual(known.operatorKey, operatorKey);
          return isGood && tables.delete(codes, keyOf(digest));
        }),
    }),
  ),
);
