import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber, Layer } from "effect";
import { TokensSql } from "../../src/access/TokensSql.ts";
import { CommitRefused } from "../../src/database/BeforeCommit.ts";
import { Database } from "../../src/database/Database.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { WorkspacesSql } from "../../src/workspaces/WorkspacesSql.ts";
import { lockWait } from "../database/OnCitus.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const repositories = Layer.mergeAll(TokensSql.layer, WorkspacesSql.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
);

layer(repositories)("A revocation that is not committed yet", (it) => {
  it.effect("a change waits for the revocation of its token, and is refused after it (B2.5)", () =>
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* TokensSql;
      const { sandbox } = yield* newTenants;
      const tokenId = idAt(now);
      const access = {
        id: tokenId,
        environment: "sandbox",
        name: "App",
        abilities: [],
        expiresAt: null,
      } as const;
      yield* repository.insertToken(sandbox.workspaceId, { ...access, digest: new Uint8Array(32), now });
      const revoked = yield* Deferred.make<void>();
      const mayCommit = yield* Deferred.make<void>();
      const revocation = yield* repository
        .revokeToken(sandbox.workspaceId, tokenId, now)
        .pipe(
          Effect.andThen(Deferred.succeed(revoked, undefined)),
          Effect.andThen(Deferred.await(mayCommit)),
          database.atomically,
          Effect.forkChild,
        );
      yield* Deferred.await(revoked);
      const change = yield* repository.requireAccess({ tokenId, needsApi: false, now }).pipe(
        database.atomically,
        Effect.as(null),
        Effect.catchDefect((defect) => Effect.succeed(defect)),
        Effect.forkChild,
      );
      yield* lockWait("%refuse_commit%");
      yield* Deferred.succeed(mayCommit, undefined);
      yield* Fiber.join(revocation);
      assert.deepStrictEqual(yield* Fiber.join(change), new CommitRefused({ reason: "revoked" }));
    }),
  );
});
