import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import { type AccessNeed, TokensSql } from "../../src/access/TokensSql.ts";
import { CommitRefused } from "../../src/database/BeforeCommit.ts";
import { Database } from "../../src/database/Database.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { WorkspacesSql } from "../../src/workspaces/WorkspacesSql.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import type { WorkspacePatch } from "../../src/workspaces/Workspace.ts";
import { TestStatements } from "../database/TestStatements.ts";
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

layer(TestStatements.layer)("TokensSql", (it) => {
  it.effect("a transaction commits only while the access of its token lasts (B2.5, B2.7)", () =>
    Effect.gen(function* () {
      const repository = yield* TokensSql;
      const workspaces = yield* WorkspacesSql;
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

  it.effect(
    "revoking twice keeps the first instant, and a credential of another workspace is not revoked",
    () =>
      Effect.gen(function* () {
        const repository = yield* TokensSql;
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
});
