import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomBytes } from "node:crypto";
import { TokensRepository } from "../../src/access/TokensRepository.ts";
import { type NewSession, SessionsRepository } from "../../src/console/SessionsRepository.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

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

layer(TestRepositories.layer)("SessionsRepository", (it) => {
  it.effect("a session is found by the digest of its cookie until it expires (console.session)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
      const session = newSession();
      const { digest, expiresAt, id, name } = session;
      yield* repository.open(session);
      assert.deepStrictEqual(yield* repository.take(digest, { ...use, now: now + 999 }), {
        id,
        tokenId: null,
        name,
        expiresAt,
        minuteOpened: now + 999,
        minuteUsed: 1,
      });
      assert.isNull(yield* repository.take(digest, { ...use, now: now + 1000 }));
      assert.isNull(yield* repository.take(newDigest(), { ...use, now }));
      // The operator key was replaced.
      assert.isNull(yield* repository.take(digest, { ...use, operatorKey: newDigest(), now }));
    }),
  );

  it.effect("a session that a jump of the clock seemed to end lives on after it (console.session)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
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
      const taken = yield* repository.take(session.digest, { ...use, operatorKey: newDigest(), now });
      assert.strictEqual(taken?.tokenId, token.id);
      assert.strictEqual((yield* tokens.findTokenById(token.id))?.name, "Console");
      assert.isTrue(yield* repository.end(session.digest));
      assert.isFalse(yield* repository.end(session.digest));
      assert.isNull(yield* repository.take(session.digest, { ...use, now }));
    }),
  );

  it.effect("requests count up to one over the limit, and again in the next minute (console.rate)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
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
        const repository = yield* SessionsRepository;
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

  it.effect(
    "the list has the open sessions of the operator key and of valid tokens, newest first (console.sessions)",
    () =>
      Effect.gen(function* () {
        const repository = yield* SessionsRepository;
        const tokens = yield* TokensRepository;
        const { sandbox } = yield* newTenants;
        const issue = (expiresAt: number | null) =>
          tokens.insertToken(sandbox.workspaceId, {
            id: idAt(now),
            environment: "sandbox",
            name: "Reader",
            digest: newDigest(),
            abilities: ["reports:read"],
            expiresAt,
            now,
          });
        const [valid, revoked, expired] = [yield* issue(null), yield* issue(null), yield* issue(now + 1)];
        yield* tokens.revokeToken(sandbox.workspaceId, revoked.id, now);
        // The list has sessions of all workspaces: those of this test have a key of their own.
        const own = newDigest();
        const expiresAt = now + 5000;
        const first = newSession({ id: idAt(now), operatorKey: own, expiresAt });
        const second = newSession({ id: idAt(now + 1), tokenId: valid.id, operatorKey: null, expiresAt });
        const over = [
          newSession({ operatorKey: own, expiresAt: now + 2 }),
          newSession({ expiresAt }),
          newSession({ tokenId: revoked.id, operatorKey: null, expiresAt }),
          newSession({ tokenId: expired.id, operatorKey: null, expiresAt }),
        ];
        for (const session of [first, second, ...over]) yield* repository.open(session);
        yield* repository.take(second.digest, { ...use, now: now + 3000 });
        const page = (before: string | null) => repository.page(own, now + 2, { before, limit: 100 });
        const ids = [first, second, ...over].map(({ id }) => id);
        const listed = (yield* page(null)).filter(({ id }) => ids.includes(id));
        assert.deepStrictEqual(listed, [
          {
            id: second.id,
            kind: "token",
            name: "Kim",
            token: { id: valid.id, name: "Reader" },
            workspace: { id: sandbox.workspace.id, name: sandbox.workspace.name },
            environment: "sandbox",
            created_at: utcText(now),
            last_used_at: utcText(now + 3000),
            expires_at: utcText(expiresAt),
            address: "203.0.113.7",
            last_address: "203.0.113.9",
            user_agent: "Browser/1",
          },
          {
            id: first.id,
            kind: "operator",
            name: "Kim",
            token: null,
            workspace: null,
            environment: null,
            created_at: utcText(now),
            last_used_at: null,
            expires_at: utcText(expiresAt),
            address: "203.0.113.7",
            last_address: null,
            user_agent: "Browser/1",
          },
        ]);
        assert.notInclude(
          (yield* page(first.id)).map(({ id }) => id),
          second.id,
        );
      }),
  );

  it.effect("a session is ended by its id, and all are ended but one (console.sessions)", () =>
    Effect.gen(function* () {
      const repository = yield* SessionsRepository;
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

  it.effect(
    "opening a session deletes those that expired a week ago, and keeps the others (console.session)",
    () =>
      Effect.gen(function* () {
        const repository = yield* SessionsRepository;
        const [over, open] = [newSession(), newSession({ expiresAt: now + 5000 })];
        yield* repository.open(over);
        yield* repository.open(open);
        const later = now + 7 * 86_400_000 + 2000;
        yield* repository.open(newSession({ createdAt: later, expiresAt: later + 9000 }));
        assert.isFalse(yield* repository.end(over.digest));
        assert.isTrue(yield* repository.end(open.digest));
      }),
  );
});
