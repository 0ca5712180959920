import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { signIn } from "../../console/TestSession.ts";
import { TestWaypost } from "../../TestWaypost.ts";
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
