import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { consoleHeaders } from "../../src/console/ConsolePages.ts";
import { asker, TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.shared)("pages of the console", (it) => {
  it.effect("every address has the same page, with a strict policy (console.headers)", () =>
    Effect.gen(function* () {
      const ask = asker((yield* TestWaypost).origin, null);
      for (const path of ["/console", "/console/", "/console/campaigns/unknown?workspace=x"]) {
        const { headers, status } = yield* ask(path);
        assert.strictEqual(status, 200);
        const policy = headers.get("content-security-policy") ?? "";
        assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self';");
        assert.include(policy, "frame-ancestors 'none'");
        assert.notMatch(policy, /unsafe|\*/);
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff");
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer");
        assert.strictEqual(headers.get("cache-control"), "no-store");
      }
    }),
  );

  it.effect("an unknown built file is 404, whatever its path (console.headers)", () =>
    Effect.gen(function* () {
      const ask = asker((yield* TestWaypost).origin, null);
      for (const name of ["Main-00000000.js", "..%2findex.html", "../index.html", "Main-00000000.js.gz", ""])
        assert.notStrictEqual(
          (yield* ask(`/console/assets/${name}`)).headers.get("cache-control"),
          "public, max-age=31536000, immutable",
          name,
        );
    }),
  );

  it("the policy opens for exactly the origin of the map's style (console.headers)", () => {
    const policy = consoleHeaders("pmtiles://https://tiles.example.com/a/b.pmtiles")[
      "content-security-policy"
    ];
    assert.include(policy, "connect-src 'self' https://tiles.example.com;");
    assert.include(policy, "img-src 'self' https://tiles.example.com data: blob:;");
    assert.notInclude(consoleHeaders(undefined)["content-security-policy"], "https:");
  });
});
