import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable, type MemoryTable, pageOf } from "../database/MemoryStore.ts";
import { utcText } from "../time/LocalTime.ts";
import type { SdkKey, Token } from "./Token.ts";
import { type NewSdkKey, type NewToken, TokensRepository } from "./TokensRepository.ts";

type Stored<New extends NewSdkKey> = New & {
  readonly workspaceId: number;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
};

const tokens = memoryTable<Stored<NewToken>>("api_token");
const sdkKeys = memoryTable<Stored<NewSdkKey>>("sdk_key");

const textOf = (instant: number | null): string | null => (instant === null ? null : utcText(instant));
const dateOf = (instant: number | null): Date | null => (instant === null ? null : new Date(instant));

const toSdkKey = (stored: Stored<NewSdkKey>): SdkKey => ({
  id: stored.id,
  name: stored.name,
  environment: stored.environment,
  revoked_at: textOf(stored.revokedAt),
  last_used_at: textOf(stored.lastUsedAt),
  created_at: utcText(stored.now),
});

const toToken = (stored: Stored<NewToken>): Token => ({
  ...toSdkKey(stored),
  abilities: stored.abilities,
  expires_at: textOf(stored.expiresAt),
});

const toGrant = (stored: Stored<NewSdkKey>) => ({
  id: stored.id,
  name: stored.name,
  workspace_id: stored.workspaceId,
  environment: stored.environment,
  revoked_at: dateOf(stored.revokedAt),
});

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** API tokens and SDK keys in memory. */
export const tokensMemory = Layer.effect(
  TokensRepository,
  Effect.map(MemoryStore, (store) => {
    const insert = <New extends NewSdkKey>(table: MemoryTable<Stored<New>>, workspaceId: number, row: New) =>
      store.write((tables) =>
        tables.put(table, row.id, { ...row, workspaceId, revokedAt: null, lastUsedAt: null }),
      );

    const change = <New extends NewSdkKey>(
      table: MemoryTable<Stored<New>>,
      id: string,
      condition: (row: Stored<New>) => boolean,
      changed: (row: Stored<New>) => Partial<Stored<NewSdkKey>>,
    ) =>
      store.write((tables) => {
        const found = tables.rows(table).get(id);
        if (found === undefined || !condition(found)) return false;
        tables.put(table, id, { ...found, ...changed(found) });
        return true;
      });

    return TokensRepository.of({
      insertToken: (workspaceId, token) => Effect.map(insert(tokens, workspaceId, token), toToken),
      pageOfTokens: (workspaceId, position) =>
        store.read((tables) =>
          pageOf(
            tables.filter(tokens, (row) => row.workspaceId === workspaceId),
            position,
          ).map(toToken),
        ),
      revokeToken: (workspaceId, id, now) =>
        change(
          tokens,
          id,
          (row) => row.workspaceId === workspaceId,
          ({ revokedAt }) => ({ revokedAt: revokedAt ?? now }),
        ),
      findToken: (digest) =>
        store.read((tables) => {
          const found = tables.find(tokens, (row) => isSame(row.digest, digest));
          if (found === undefined) return null;
          return { ...toGrant(found), abilities: found.abilities, expires_at: dateOf(found.expiresAt) };
        }),
      touchToken: (id, now) =>
        Effect.asVoid(
          change(
            tokens,
            id,
            () => true,
            () => ({ lastUsedAt: now }),
          ),
        ),
      insertSdkKey: (workspaceId, key) => Effect.map(insert(sdkKeys, workspaceId, key), toSdkKey),
      pageOfSdkKeys: (workspaceId, environment, position) =>
        store.read((tables) =>
          pageOf(
            tables.filter(
              sdkKeys,
              (row) => row.workspaceId === workspaceId && row.environment === environment,
            ),
            position,
          ).map(toSdkKey),
        ),
      revokeSdkKey: (workspaceId, environment, id, now) =>
        change(
          sdkKeys,
          id,
          (row) => row.workspaceId === workspaceId && row.environment === environment,
          ({ revokedAt }) => ({ revokedAt: revokedAt ?? now }),
        ),
      findSdkKey: (digest) =>
        store.read((tables) => {
          const found = tables.find(sdkKeys, (row) => isSame(row.digest, digest));
          return found === undefined ? null : toGrant(found);
        }),
      touchSdkKey: (id, now) =>
        Effect.asVoid(
          change(
            sdkKeys,
            id,
            () => true,
            () => ({ lastUsedAt: now }),
          ),
        ),
    });
  }),
);
