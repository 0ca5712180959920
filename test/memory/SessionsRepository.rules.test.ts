import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import { TokensRepository } from "../../src/access/TokensRepository.ts";
import { type NewSession, SessionsRepository } from "../../src/console/SessionsRepository.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const newDigest = () => new Uint8Array(randomBytes(32));

const newSession = (overrides: Partial<NewSession> = {}): NewSession => ({
  digest: newDigest(),
  id: idAt(now),
  tokenId: null,
  operatorKey: newDigest(),
  name: "Kim",
  createdAt: now,
  expiresAt: now + 1000,
  ...overrides,
});

layer(TestRepositories.layer)("SessionsRepository", (it) => {
  it.effect("a session is found by the digest of its cookie until it expires (console.session)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
      const { digest, ...session } = newSession();
      yield* repository.open({ ...session, digest });
      const counted = yield* repository.take(digest, 10, now + 999);
      assert.deepStrictEqual(
        { ...counted, operatorKey: Buffer.from(counted?.operatorKey ?? []).toString("hex") },
        {
          ...session,
          operatorKey: Buffer.from(session.operatorKey ?? []).toString("hex"),
          minuteOpened: now + 999,
          minuteUsed: 1,
        },
      );
      assert.isNull(yield* repository.take(digest, 10, now + 1000));
      assert.isNull(yield* repository.take(newDigest(), 10, now));
    }),
  );

  it.effect("a session of a token names the token, and ends at most once (console.session)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
      const tokens = yield* TokensRepository;
      const { sandbox } = yield* newTenants;
      const token = yield* tokens.insertToken(sandbox.workspaceId, {
        id: idAt(now),
        environment: "sandbox",
        name: "Console",
        digest: newDigest(),
        abilities: ["reports:read"],
        expiresAt: null,
        now,
      });
      const session = newSession({ tokenId: token.id, operatorKey: null });
      yield* repository.open(session);
      assert.strictEqual((yield* repository.take(session.digest, 10, now))?.tokenId, token.id);
      assert.strictEqual((yield* tokens.findTokenById(token.id))?.name, "Console");
      assert.isTrue(yield* repository.end(session.digest));
      assert.isFalse(yield* repository.end(session.digest));
      assert.isNull(yield* repository.take(session.digest, 10, now));
    }),
  );

  it.effect("requests count up to one over the limit, and again in the next minute (console.rate)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
      const session = newSession({ expiresAt: now + 3_600_000 });
      yield* repository.open(session);
      const used = (at: number) =>
        Effect.map(repository.take(session.digest, 2, at), (counted) => counted?.minuteUsed);
      assert.deepStrictEqual(
        [yield* used(now), yield* used(now + 1), yield* used(now + 2), yield* used(now + 59_999)],
        [1, 2, 3, 3],
      );
      assert.strictEqual(yield* used(now + 60_000), 1);
      // The clock was set back.
      assert.strictEqual(yield* used(now - 3_600_000), 1);
    }),
  );

  it.effect("a code is spent once, and not after it has expired (console.code)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
      const [used, late] = [newDigest(), newDigest()];
      yield* repository.issueCode(used, now + 1000, now);
      yield* repository.issueCode(late, now + 1000, now);
      assert.isTrue(yield* repository.spendCode(used, now + 999));
      assert.isFalse(yield* repository.spendCode(used, now + 999));
      assert.isFalse(yield* repository.spendCode(late, now + 1000));
      assert.isFalse(yield* repository.spendCode(newDigest(), now));
    }),
  );

  it.effect("opening a session deletes expired ones, and keeps the others (console.session)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
      const [over, open] = [newSession(), newSession({ expiresAt: now + 5000 })];
      yield* repository.open(over);
      yield* repository.open(open);
      yield* repository.open(newSession({ createdAt: now + 2000, expiresAt: now + 9000 }));
      assert.isFalse(yield* repository.end(over.digest));
      assert.isTrue(yield* repository.end(open.digest));
    }),
  );
});
