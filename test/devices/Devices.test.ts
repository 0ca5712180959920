import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { devicesOf } from "./TestDevices.ts";

layer(TestWaypost.layer)("Devices", (it) => {
  it.effect("the first registration is 201 with a token; it is an inbox and not approved in Sandbox", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* devicesOf();
      const made = yield* sandbox.register("phone-1", { platform: "ios", attributes: { a: null, b: 2 } });
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      const { device_token, id, ...shown } = made.body.data;
      assert.match(device_token, /^wpd_[0-9A-Za-z]{50}$/);
      assert.deepStrictEqual(shown, {
        installation_id: "phone-1",
        platform: "ios",
        transport: "inbox",
        address_gone: false,
        approved: false,
        attributes: { b: 2 },
        locale: null,
        timezone: null,
        app_version: null,
        registered_at: "2026-11-21T12:00:00+00:00",
        last_seen_at: "2026-11-21T12:00:00+00:00",
      });
    }),
  );
});
