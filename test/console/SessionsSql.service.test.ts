import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import { type NewSession, SessionsSql } from "../../src/console/SessionsSql.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { suiteStart as now } from "../TestTenants.ts";

const newDigest = () => new Uint8Array(randomBytes(32));

const operatorKey = newDigest();
const use = { operatorKey, address: "203.0.113.9", limit: 10 };

const newSession = (overrides: Partial<NewSession> = {}): NewSession => ({
  digest: newDigest(),
  id: idAt(now),
  tokenId: null,
  operatorKey,
  name: "Kim",
  address: "203.0.113.7",
  userAgent: "Browser/1",
  createdAt: now,
  expiresAt: now + 1000,
  ...overrides,
});

layer(TestStatements.layer)("SessionsSql", (it) => {
  it.effect("a session that a jump of the clock seemed to end lives on after it (console.session)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsSql;
      const session = newSession();
      yield* repository.open(session);
      const ahead = now + 48 * 3_600_000;
      assert.isNull(yield* repository.take(session.digest, { ...use, now: ahead }));
      // Opening one deletes those that expired long ago.
      yield* repository.open(newSession({ createdAt: ahead, expiresAt: ahead + 1000 }));
      const found = yield* repository.take(session.digest, { ...use, now: now + 10 });
      assert.strictEqual(found?.id, session.id);
      yield* repository.open(newSession({ createdAt: now + 8 * 86_400_000 }));
      assert.isNull(yield* repository.take(session.digest, { ...use, now: now + 10 }));
    }),
  );

  it.effect("requests count up to one over the limit, and again in the next minute (console.rate)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsSql;
      const session = newSession({ expiresAt: now + 3_600_000 });
      yield* repository.open(session);
      const used = (at: number) =>
        Effect.map(
          repository.take(session.digest, { ...use, limit: 2, now: at }),
          (counted) => counted?.minuteUsed,
        );
      assert.deepStrictEqual(
        [yield* used(now), yield* used(now + 1), yield* used(now + 2), yield* used(now + 59_999)],
        [1, 2, 3, 3],
      );
      assert.strictEqual(yield* used(now + 60_000), 1);
      // The clock was set back.
      assert.strictEqual(yield* used(now - 3_600_000), 1);
    }),
  );

  it.effect(
    "a code is spent once, not after it has expired, and not with another operator key (console.code)",
    () =>
      Effect.gen(function* () {
        const repository = yield* SessionsSql;
        const [used, late, other] = [newDigest(), newDigest(), newDigest()];
        for (const code of [used, late]) yield* repository.issueCode(code, operatorKey, now + 1000, now);
        yield* repository.issueCode(other, newDigest(), now + 1000, now);
        assert.isTrue(yield* repository.spendCode(used, operatorKey, now + 999));
        assert.isFalse(yield* repository.spendCode(used, operatorKey, now + 999));
        assert.isFalse(yield* repository.spendCode(late, operatorKey, now + 1000));
        assert.isFalse(yield* repository.spendCode(other, operatorKey, now));
        assert.isFalse(yield* repository.spendCode(newDigest(), operatorKey, now));
      }),
  );

  it.effect("a session is ended by its id, and all are ended but one (console.sessions)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsSql;
      const [one, kept, other, over] = [
        newSession(),
        newSession(),
        newSession(),
        newSession({ expiresAt: now }),
      ];
      for (const session of [one, kept, other, over]) yield* repository.open(session);
      assert.isTrue(yield* repository.endById(one.id));
      assert.isFalse(yield* repository.endById(one.id));
      assert.isAtLeast(yield* repository.endOthers(kept.id, now), 1);
      assert.isFalse(yield* repository.end(other.digest));
      assert.isTrue(yield* repository.end(kept.digest));
      for (let count = 0; count < 1001; count++) yield* repository.open(newSession());
      assert.strictEqual(yield* repository.endOthers(null, now), 1001);
      assert.strictEqual(yield* repository.endOthers(null, now), 0);
    }),
  );
});
