import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";
import { TestWaypost } from "../../TestWaypost.ts";

layer(TestWaypost.shared)("The key of Web Push", (it) => {
  it.effect("a device reads the public key of its own environment, null without one (device.push_key)", () =>
    Effect.gen(function* () {
      const { production, sandbox, waypost, workspace } = yield* givenWorkspace();
      const browser = yield* sandbox.device("browser-1", { platform: "web" });
      assert.deepStrictEqual((yield* browser.ask("/push-key")).body, { data: { public_key: null } });
      const put = yield* waypost.operator(`/workspaces/${workspace.id}/sandbox/transports/webpush`, {
        method: "PUT",
        body: { subject: "mailto:push@shop.example" },
      });
      const { public_key } = put.body.data;
      assert.isString(public_key);
      assert.deepStrictEqual((yield* browser.ask("/push-key")).body, { data: { public_key } });
      const other = yield* production.device("browser-1", { platform: "web" });
      assert.isNull((yield* other.ask("/push-key")).body.data.public_key);
      assert.strictEqual((yield* waypost.device(sandbox.sdkKey)("/push-key")).status, 401);
    }),
  );
});
