import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import { type AccessNeed, TokensRepository } from "../../src/access/TokensRepository.ts";
import { CommitRefused } from "../../src/database/BeforeCommit.ts";
import { Database } from "../../src/database/Database.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { WorkspacesRepository } from "../../src/workspaces/WorkspacesRepository.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import type { WorkspacePatch } from "../../src/workspaces/Workspace.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const newKey = (environment: Environment = "sandbox") => ({
  id: idAt(now),
  environment,
  name: "App",
  digest: new Uint8Array(randomBytes(32)),
  allowedOrigins: ["https://shop.example"],
  now,
});

const newToken = (environment: Environment = "sandbox", expiresAt: number | null = null) => ({
  ...newKey(environment),
  abilities: ["reports:read", "campaigns:write"] as const,
  expiresAt,
});

layer(TestRepositories.layer)("TokensRepository", (it) => {
  it.effect("an issued token is found by its digest with its abilities and expiry", () =>
    Effect.gen(function* () {
      const repository = yield* TokensRepository;
      const { sandbox } = yield* newTenants;
      const draft = newToken("production", now + 1000);
      assert.deepStrictEqual(yield* repository.insertToken(sandbox.workspaceId, draft), {
        id: draft.id,
        name: "App",
        environment: "production",
        abilities: ["reports:read", "campaigns:write"],
        expires_at: "2026-11-21T12:00:01+00:00",
        revoked_at: null,
        last_used_at: null,
        created_at: "2026-11-21T12:00:00+00:00",
      });
      assert.deepStrictEqual(yield* repository.findToken(draft.digest), {
        id: draft.id,
        name: "App",
        workspace_id: sandbox.workspaceId,
        environment: "production",
        abilities: ["reports:read", "campaigns:write"],
        expires_at: new Date(now + 1000),
        revoked_at: null,
      });
      assert.isNull(yield* repository.findToken(newToken().digest));
    }),
  );

  it.effect("a transaction commits only while the access of its token lasts (B2.5, B2.7)", () =>
    Effect.gen(function* () {
      const repository = yield* TokensRepository;
      const workspaces = yield* WorkspacesRepository;
      const database = yield* Database;
      const { sandbox } = yield* newTenants;
      const token = newToken("production", now + 1000);
      yield* repository.insertToken(sandbox.workspaceId, token);
      /** Why a transaction is refused; null if it commits. */
      const refusal = (need: Partial<AccessNeed>) =>
        repository.requireAccess({ tokenId: token.id, needsApi: true, now, ...need }).pipe(
          database.atomically,
          Effect.as(null),
          Effect.catchDefect((defect) =>
            defect instanceof CommitRefused ? Effect.succeed(defect.reason) : Effect.die(defect),
          ),
        );
      const update = (change: WorkspacePatch) => workspaces.update(sandbox.workspace.id, change, now);
      assert.strictEqual(yield* refusal({}), "disabled");
      assert.isNull(yield* refusal({ needsApi: false }));
      yield* update({ platform_api_enabled: true });
      assert.isNull(yield* refusal({ now: now + 999 }));
      yield* update({ deletion_scheduled: true });
      assert.strictEqual(yield* refusal({}), "paused");
      assert.strictEqual(yield* refusal({ now: now + 1000 }), "expired");
      yield* repository.revokeToken(sandbox.workspaceId, token.id, now);
      assert.strictEqual(yield* refusal({ now: now + 1000 }), "revoked");
      assert.strictEqual(yield* refusal({ tokenId: newToken().id }), "revoked");
      yield* update({ deletion_scheduled: false });
      const endless = newToken();
      yield* repository.insertToken(sandbox.workspaceId, endless);
      assert.isNull(yield* refusal({ tokenId: endless.id, now: now + 1e12 }));
    }),
  );

  it.effect("an issued SDK key is found by its digest", () =>
    Effect.gen(function* () {
      const repository = yield* TokensRepository;
      const { sandbox } = yield* newTenants;
      const draft = newKey();
      const key = yield* repository.insertSdkKey(sandbox.workspaceId, draft);
      assert.strictEqual(key.created_at, "2026-11-21T12:00:00+00:00");
      assert.deepStrictEqual(yield* repository.findSdkKey(draft.digest), {
        id: draft.id,
        name: "App",
        workspace_id: sandbox.workspaceId,
        environment: "sandbox",
        revoked_at: null,
        allowed_origins: ["https://shop.example"],
        created_at: new Date("2026-11-21T12:00:00Z"),
      });
      assert.isNull(yield* repository.findSdkKey(newKey().digest));
    }),
  );

  it.effect(
    "revoking twice keeps the first instant, and a credential of another workspace is not revoked",
    () =>
      Effect.gen(function* () {
        const repository = yield* TokensRepository;
        const { sandbox } = yield* newTenants;
        const other = (yield* newTenants).sandbox;
        const [token, key] = [newToken(), newKey()];
        const issuedToken = yield* repository.insertToken(sandbox.workspaceId, token);
        const issuedKey = yield* repository.insertSdkKey(sandbox.workspaceId, key);
        assert.isNull(yield* repository.revokeToken(other.workspaceId, token.id, now));
        assert.isNull(yield* repository.revokeSdkKey(sandbox.workspaceId, "production", key.id, now));
        const revoked_at = utcText(now);
        for (const at of [now, now + 5000]) {
          const isNew = at === now;
          assert.deepStrictEqual(yield* repository.revokeToken(sandbox.workspaceId, token.id, at), {
            credential: { ...issuedToken, revoked_at },
            isNew,
          });
          assert.deepStrictEqual(yield* repository.revokeSdkKey(sandbox.workspaceId, "sandbox", key.id, at), {
            credential: { ...issuedKey, revoked_at },
            isNew,
          });
        }
        assert.deepStrictEqual((yield* repository.findToken(token.digest))?.revoked_at, new Date(now));
        assert.deepStrictEqual((yield* repository.findSdkKey(key.digest))?.revoked_at, new Date(now));
      }),
  );

  it.effect("the last use of a token and of an SDK key is dated", () =>
    Effect.gen(function* () {
      const repository = yield* TokensRepository;
      const { sandbox } = yield* newTenants;
      const [token, key] = [newToken(), newKey()];
      yield* repository.insertToken(sandbox.workspaceId, token);
      yield* repository.insertSdkKey(sandbox.workspaceId, key);
      yield* repository.touchToken(token.id, now + 60_000);
      yield* repository.touchSdkKey(key.id, now + 60_000);
      const position = { before: null, limit: 10 };
      const tokens = yield* repository.pageOfTokens(sandbox.workspaceId, position);
      const keys = yield* repository.pageOfSdkKeys(sandbox.workspaceId, "sandbox", position);
      assert.deepStrictEqual(
        [...tokens, ...keys].map(({ last_used_at }) => last_used_at),
        ["2026-11-21T12:01:00+00:00", "2026-11-21T12:01:00+00:00"],
      );
    }),
  );

  it.effect("a page of tokens holds one workspace and one of SDK keys one environment, newest first", () =>
    Effect.gen(function* () {
      const repository = yield* TokensRepository;
      const { sandbox } = yield* newTenants;
      const other = (yield* newTenants).sandbox;
      const tokens = [newToken(), newToken("production"), newToken()];
      for (const token of tokens) yield* repository.insertToken(sandbox.workspaceId, token);
      yield* repository.insertToken(other.workspaceId, newToken());
      const keys = [newKey(), newKey("production")];
      for (const key of keys) yield* repository.insertSdkKey(sandbox.workspaceId, key);
      const newest = tokens
        .map(({ id }) => id)
        .toSorted()
        .toReversed();
      const pageOf = (before: string | null) =>
        Effect.map(repository.pageOfTokens(sandbox.workspaceId, { before, limit: 2 }), (rows) =>
          rows.map(({ id }) => id),
        );
      assert.deepStrictEqual(yield* pageOf(null), newest.slice(0, 2));
      assert.deepStrictEqual(yield* pageOf(newest[1] ?? ""), newest.slice(2));
      const production = yield* repository.pageOfSdkKeys(sandbox.workspaceId, "production", {
        before: null,
        limit: 9,
      });
      assert.deepStrictEqual(
        production.map(({ id }) => id),
        [keys[1]?.id],
      );
    }),
  );
});
