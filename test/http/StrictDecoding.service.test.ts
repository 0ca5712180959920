import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { TestWaypost } from "../TestWaypost.ts";

/** Texts that a lenient decoder of hexadecimal, base64 or base64url leaves out. */
const ignored = ["=", "==", "!", ".", "-", "zz", "\u00e9"];

layer(TestWaypost.layer)("Texts that clients send back", (it) => {
  it.effect("a token, a key or a cursor with anything behind it is refused (A1, B4)", () =>
    Effect.gen(function* () {
      const { platform, sandbox, waypost } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone");
      for (const name of ["one", "two"])
        yield* platform.sandbox("/campaigns", {
          body: { name, type: "push", timezone: "UTC", starts_at: "2026-12-01" },
        });
      const first = yield* platform.sandbox("/campaigns?limit=1");
      const cursor: string = first.body.meta.next_cursor;
      assert.strictEqual((yield* platform.sandbox(`/campaigns?limit=1&cursor=${cursor}`)).status, 200);
      for (const more of ignored) {
        const page = yield* platform.sandbox(
          `/campaigns?limit=1&cursor=${encodeURIComponent(cursor + more)}`,
        );
        assert.deepStrictEqual([page.status, page.body.error.code], [422, "invalid_cursor"], more);
        if (more === "\u00e9") continue;
        assert.strictEqual((yield* waypost.device(phone.token + more)("/devices/me")).status, 401, more);
        const key = waypost.device(sandbox.sdkKey + more);
        const registered = yield* key("/devices/new", { method: "PUT", body: { platform: "android" } });
        assert.strictEqual(registered.status, 401, more);
      }
    }),
  );
});
