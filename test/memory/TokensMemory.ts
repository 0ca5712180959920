import { Effect, Layer } from "effect";
import { CommitRefused } from "../../src/database/BeforeCommit.ts";
import { MemoryStore, memoryTable, type MemoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { tenantRows } from "./TenantRows.ts";
import type { SdkKey, Token } from "../../src/access/Token.ts";
import {
  type AccessEnd,
  type AccessNeed,
  type NewCredential,
  type NewSdkKey,
  type NewToken,
  TokensRepository,
} from "../../src/access/TokensRepository.ts";

type Stored<New extends NewCredential> = New & {
  readonly workspaceId: number;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
};

const tokens = memoryTable<Stored<NewToken>>("api_token");
const sdkKeys = memoryTable<Stored<NewSdkKey>>("sdk_key");

interface WorkspaceRow {
  readonly workspaceId: number;
  readonly deletionScheduledAt: number | null;
  readonly platformApiEnabled: boolean;
}

const workspaces = memoryTable<WorkspaceRow>("workspace");

const endOf = (
  { expiresAt, revokedAt }: Stored<NewToken>,
  { deletionScheduledAt, platformApiEnabled }: WorkspaceRow,
  { needsApi, now }: AccessNeed,
): AccessEnd | null => {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && expiresAt <= now) return "expired";
  if (deletionScheduledAt !== null) return "paused";
  return needsApi && !platformApiEnabled ? "disabled" : null;
};

const textOf = (instant: number | null): string | null => (instant === null ? null : utcText(instant));
const dateOf = (instant: number | null): Date | null => (instant === null ? null : new Date(instant));

const shownOf = (stored: Stored<NewCredential>) => ({
  id: stored.id,
  name: stored.name,
  environment: stored.environment,
  revoked_at: textOf(stored.revokedAt),
  last_used_at: textOf(stored.lastUsedAt),
  created_at: utcText(stored.now),
});

const toSdkKey = (stored: Stored<NewSdkKey>): SdkKey => ({
  ...shownOf(stored),
  allowed_origins: stored.allowedOrigins,
});

const toToken = (stored: Stored<NewToken>): Token => ({
  ...shownOf(stored),
  abilities: stored.abilities,
  expires_at: textOf(stored.expiresAt),
});

const toGrant = (stored: Stored<NewCredential>) => ({
  id: stored.id,
  name: stored.name,
  workspace_id: stored.workspaceId,
  environment: stored.environment,
  revoked_at: dateOf(stored.revokedAt),
});

const toSdkKeyGrant = (stored: Stored<NewSdkKey>) => ({
  ...toGrant(stored),
  allowed_origins: stored.allowedOrigins,
  created_at: new Date(stored.now),
});

const toTokenGrant = (stored: Stored<NewToken>) => ({
  ...toGrant(stored),
  abilities: stored.abilities,
  expires_at: dateOf(stored.expiresAt),
});

/** API tokens and SDK keys in memory. */
export const tokensMemory = Layer.effect(
  TokensRepository,
  Effect.map(MemoryStore, (store) => {
    const insert = <New extends NewCredential>(
      table: MemoryTable<Stored<New>>,
      workspaceId: number,
      row: New,
    ) =>
      store.write((tables) =>
        tables.put(table, row.id, { ...row, workspaceId, revokedAt: null, lastUsedAt: null }),
      );

    const revoke = <New extends NewCredential, Credential>(
      table: MemoryTable<Stored<New>>,
      id: string,
      now: number,
      isOwn: (row: Stored<New>) => boolean,
      toCredential: (row: Stored<New>) => Credential,
    ) =>
      store.write((tables) => {
        const found = tables.rows(table).get(id);
        if (found === undefined || !isOwn(found)) return null;
        const revoked = tables.put(table, id, { ...found, revokedAt: found.revokedAt ?? now });
        return { credential: toCredential(revoked), isNew: found.revokedAt === null };
      });

    const touch = <New extends NewCredential>(table: MemoryTable<Stored<New>>, id: string, now: number) =>
      store.write((tables) => {
        const found = tables.rows(table).get(id);
        if (found !== undefined) tables.put(table, id, { ...found, lastUsedAt: now });
      });

    const find = <New extends NewCredential>(table: MemoryTable<Stored<New>>, digest: Uint8Array) =>
      store.read((tables) => tables.find(table, (row) => Buffer.compare(row.digest, digest) === 0) ?? null);

    return TokensRepository.of({
      insertToken: (workspaceId, token) => Effect.map(insert(tokens, workspaceId, token), toToken),

      pageOfTokens: (workspaceId, position) =>
        store.read((tables) => {
          const own = tables.filter(tokens, (row) => row.workspaceId === workspaceId);
          return pageOf(own, position).map(toToken);
        }),

      revokeToken: (workspaceId, id, now) =>
        revoke(tokens, id, now, (row) => row.workspaceId === workspaceId, toToken),

      findToken: (digest) => Effect.map(find(tokens, digest), (row) => row && toTokenGrant(row)),

      findTokenById: (id) =>
        store.read((tables) => {
          const row = tables.rows(tokens).get(id);
          return row === undefined ? null : toTokenGrant(row);
        }),

      requireAccess: (need) =>
        Effect.flatMap(
          store.read((tables) => {
            const token = tables.rows(tokens).get(need.tokenId);
            const own = tables.find(workspaces, ({ workspaceId }) => workspaceId === token?.workspaceId);
            return token === undefined || own === undefined ? "revoked" : endOf(token, own, need);
          }),
          (reason) => (reason === null ? Effect.void : Effect.die(new CommitRefused({ reason }))),
        ),

      touchToken: (id, now) => touch(tokens, id, now),

      insertSdkKey: (workspaceId, key) => Effect.map(insert(sdkKeys, workspaceId, key), toSdkKey),

      pageOfSdkKeys: (workspaceId, environment, position) =>
        store.read((tables) =>
          pageOf(tenantRows(tables, sdkKeys, { workspaceId, environment }), position).map(toSdkKey),
        ),

      revokeSdkKey: (workspaceId, environment, id, now) =>
        revoke(
          sdkKeys,
          id,
          now,
          (row) => row.workspaceId === workspaceId && row.environment === environment,
          toSdkKey,
        ),

      findSdkKey: (digest) => Effect.map(find(sdkKeys, digest), (row) => row && toSdkKeyGrant(row)),

      touchSdkKey: (id, now) => touch(sdkKeys, id, now),
    });
  }),
);
