import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { signIn } from "../../console/TestSession.ts";
import { TestWaypost, testOperatorKey } from "../../TestWaypost.ts";
import { commandLine, runCli } from "../CommandLine.ts";

layer(TestWaypost.layer)("waypost console", (it) => {
  it.effect("waypost console prints an address that signs the operator in, once (console.code)", () =>
    Effect.gen(function* () {
      const { json, origin, run } = yield* commandLine;
      const { code, stdout } = yield* run("console");
      assert.strictEqual(code, 0);
      assert.match(stdout, /^Open this address and press "Sign in"\. It works once, until 20\d\d-.*\.$/m);
      const address = new URL(stdout.trimEnd().split("\n").at(-1) ?? "");
      assert.strictEqual(address.pathname + address.search, "/console/sign-in");
      const credential = { code: address.hash.slice(1) };
      assert.strictEqual((yield* signIn(origin, credential)).answer.body.data.kind, "operator");
      assert.strictEqual((yield* signIn(origin, credential)).answer.status, 401);
      const { expires_at: expiry, url } = yield* json("console");
      assert.isString(expiry);
      assert.notStrictEqual(url, address.href);
    }),
  );

  it.effect("waypost console list and end show and end sessions (console.sessions)", () =>
    Effect.gen(function* () {
      const { json, origin, run, tenant } = yield* commandLine;
      yield* run("console end --all");
      assert.strictEqual((yield* run("console list")).stdout, "Nobody is signed in now.\n");
      const { tokens, workspace } = yield* tenant();
      yield* signIn(origin, { access_key: tokens.sandbox, name: "Ada" });
      const own = yield* signIn(origin, { access_key: testOperatorKey, name: "Kim" });
      yield* own.ask("/console/session");
      const { stdout } = yield* run("console list");
      assert.match(stdout, /^ID +NAME +TOKEN +WORKSPACE +SIGNED IN +FROM +LAST USED +LAST FROM$/m);
      assert.match(stdout, /Kim +operator +all +2026-11-21.* +127\.0\.0\.1 +2026-11-21.* +127\.0\.0\.1$/m);
      assert.match(stdout, new RegExp(`Ada +Test token +${workspace.name} `));
      const [kim, ada] = yield* json("console list");
      assert.deepStrictEqual((yield* run(`console end ${kim.id}`)).stdout, `Ended the session ${kim.id}.\n`);
      assert.strictEqual((yield* own.ask("/console/session")).body.data, null);
      const again = yield* run(`console end ${kim.id}`);
      assert.deepStrictEqual(
        [again.code, again.stderr],
        [1, "There is no session with this id: it may have ended.\n"],
      );
      // A mistyped id ends no other session.
      for (const line of ['console end ""', "console end .", "console end ..", "console end x/.."])
        assert.strictEqual((yield* run(line)).code, 1, line);
      for (const line of ["console end", `console end ${ada.id} --all`])
        assert.strictEqual((yield* run(line)).code, 2, line);
      assert.lengthOf(yield* json("console list"), 1);
      assert.deepStrictEqual(yield* json("console end --all"), { ended: 1 });
    }),
  );

  it.effect("waypost console refuses a wrong operator key (console.code)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { code, stderr, stdout } = yield* runCli(["console"], {
        WAYPOST_URL: origin,
        WAYPOST_OPERATOR_KEY: "another-operator-key-0123456789",
      });
      assert.deepStrictEqual([code, stdout], [1, ""]);
      assert.include(stderr, "key");
    }),
  );
});
