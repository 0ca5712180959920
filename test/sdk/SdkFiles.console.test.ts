import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { createHash } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };
import { asker, TestWaypost } from "../TestWaypost.ts";

const scripts = ["waypost.js", "worker.js", "inbox.js"] as const;

layer(TestWaypost.shared)("Files of the web SDK", (it) => {
  it.effect("the scripts are served to pages of any origin, each with its digest (BW2)", () =>
    Effect.gen(function* () {
      const ask = asker((yield* TestWaypost).origin, null);
      const integrity = yield* ask("/sdk/v1/integrity.json");
      assert.deepStrictEqual(Object.keys(integrity.body), [...scripts]);
      for (const name of scripts)
        for (const coding of ["br", "gzip", "identity"]) {
          const { body, headers, status } = yield* ask(`/sdk/v1/${name}`, {
            headers: { "accept-encoding": coding },
          });
          assert.strictEqual(status, 200);
          assert.strictEqual(headers.get("content-type"), "text/javascript; charset=utf-8");
          assert.strictEqual(headers.get("access-control-allow-origin"), "*");
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff");
          assert.strictEqual(headers.get("content-encoding") ?? "identity", coding);
          const digest = createHash("sha384").update(String(body)).digest("base64");
          assert.strictEqual(integrity.body[name], `sha384-${digest}`);
        }
      assert.strictEqual((yield* ask("/sdk/v1/other.js")).status, 404);
    }),
  );

  it.effect("the page of test devices has a policy of its own, and cannot be framed (console.try)", () =>
    Effect.gen(function* () {
      const ask = asker((yield* TestWaypost).origin, null);
      const { body, headers, status } = yield* ask("/sdk/v1/try.html");
      assert.strictEqual(status, 200);
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8");
      const policy = String(headers.get("content-security-policy"));
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
        assert.include(policy, part);
      assert.isNull(headers.get("access-control-allow-origin"));
      assert.include(String(body), '<script type="module" src="try.js">');
      assert.strictEqual((yield* ask("/sdk/v1/try.js")).status, 200);
    }),
  );

  it.effect(
    "a script is immutable under the address of its version, and kept for an hour without (BW2)",
    () =>
      Effect.gen(function* () {
        const ask = asker((yield* TestWaypost).origin, null);
        for (const [query, expected] of [
          [`?v=${manifest.version}`, "public, max-age=31536000, immutable"],
          ["", "public, max-age=3600"],
          ["?v=0.0.1", "public, max-age=3600"],
        ] as const) {
          const { headers } = yield* ask(`/sdk/v1/waypost.js${query}`);
          assert.strictEqual(headers.get("cache-control"), expected);
        }
      }),
  );
});
