import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { asker, TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.shared)("GET /", (it) => {
  it.effect(
    "the address of the server leads people to the console, and is 404 for JSON (running.start)",
    () =>
      Effect.gen(function* () {
        const ask = asker((yield* TestWaypost).origin, null);
        for (const accept of ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*"]) {
          const start = yield* ask("/", { headers: { accept } });
          assert.strictEqual(start.status, 302);
          const page = yield* ask(start.headers.get("location") ?? "", { headers: { accept } });
          assert.strictEqual(page.status, 200);
          assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
          assert.include(page.body, "<title>Waypost</title>");
        }
        const json = yield* ask("/", { headers: { accept: "application/json" } });
        assert.deepStrictEqual([json.status, json.body.error.code], [404, "not_found"]);
        assert.strictEqual((yield* ask("/nothing")).status, 404);
      }),
  );
});
