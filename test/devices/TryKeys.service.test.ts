import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { Tokens } from "../../src/access/Tokens.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const origin = "https://push.example.com";

layer(TestWaypost.layer)("SDK keys for test devices", (it) => {
  it.effect(
    "the page of test devices takes only a key that the console made within the hour (console.try)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost } = yield* givenWorkspace();
        const tokens = yield* Tokens;
        const keyOf = (draft: object) =>
          Effect.map(
            Effect.orDie(tokens.issueSdkKey(sandbox.workspaceId, "sandbox", ParsedBody.of(draft as never))),
            ({ sdk_key }) => sdk_key,
          );
        const ask = (key: string, headers: Record<string, string>, body: object = {}) =>
          Effect.map(
            waypost.device(key)("/devices/try", { method: "PUT", body, headers: { origin, ...headers } }),
            (answer) => answer.body.error?.code ?? answer.status,
          );
        const page = { "waypost-try": "1" };
        const name = "Try it here";
        const good = yield* keyOf({ name, allowed_origins: [origin] });
        assert.strictEqual(yield* ask(good, page), "validation_failed");
        assert.strictEqual(yield* ask(good, { ...page, origin: "https://x.example" }), "origin_not_allowed");
        for (const draft of [{ name: "App" }, { name: "App", allowed_origins: [origin] }, { name }])
          assert.strictEqual(
            yield* ask(yield* keyOf(draft), page),
            "origin_not_allowed",
            JSON.stringify(draft),
          );
        yield* TestClock.adjust("1 hour");
        assert.strictEqual(yield* ask(good, page), "validation_failed");
        yield* TestClock.adjust(1);
        assert.strictEqual(yield* ask(good, page), "origin_not_allowed");
        // A device that the page has registered registers again by its key.
        assert.strictEqual(yield* ask(good, {}, { platform: "web" }), 201);
      }),
  );
});
