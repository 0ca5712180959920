import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

layer(TestWaypost.shared)("A registration", (it) => {
  it.effect("all problems of a registration are reported together, including the installation id (B4)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost } = yield* givenWorkspace();
      const bad = yield* waypost.device(sandbox.sdkKey)("/devices/%00", {
        method: "PUT",
        body: {
          platform: "toaster",
          push: { transport: "webpush", endpoint: "ftp://x", keys: { p256dh: "x", auth: "y" } },
          attributes: { ok: 1, nested: { a: 1 }, nul: "a\0b", list: [1], half: "\ud800" },
          timezone: "Mars/Phobos",
          locale: "x".repeat(65),
          app_version: 3,
        },
      });
      assert.strictEqual(bad.status, 422);
      assert.strictEqual(bad.body.error.code, "validation_failed");
      assert.sameMembers(Object.keys(bad.body.error.fields), [
        "installation_id",
        "platform",
        "push.endpoint",
        "push.keys.p256dh",
        "push.keys.auth",
        "attributes.nested",
        "attributes.nul",
        "attributes.list.0",
        "attributes.half",
        "timezone",
        "locale",
        "app_version",
      ]);
      for (const [sentence] of Object.values<Array<string>>(bad.body.error.fields))
        assert.match(sentence ?? "", /^[A-Z].*\.$/);
    }),
  );

  it.effect("a registration with an invalid push address is refused (device.addresses, T1.1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      for (const [push, field] of [
        [3, "push"],
        [[], "push"],
        [{}, "push.transport"],
        [{ transport: "pigeon" }, "push.transport"],
        [{ transport: 3 }, "push.transport"],
        [{ transport: "fcm" }, "push"],
        [{ transport: "fcm", token: null, fid: null }, "push"],
        [{ transport: "fcm", token: "a", fid: "b" }, "push"],
        [{ transport: "fcm", fid: "" }, "push.fid"],
        [{ transport: "fcm", fid: "f".repeat(256) }, "push.fid"],
        [{ transport: "fcm", token: "two words" }, "push.token"],
        [{ transport: "apns", token: "" }, "push.token"],
        [{ transport: "webpush", endpoint: "https://push.example.com/1" }, "push.keys"],
      ] as const) {
        const answer = yield* sandbox.register("phone-1", { platform: "ios", push });
        assert.deepStrictEqual(Object.keys(answer.body.error?.fields ?? {}), [field], JSON.stringify(push));
      }
    }),
  );

  it.effect("an installation id can be any text of up to 255 characters", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      for (const name of ["a/b c?d=1#e%", "me", "ünï-😀", "x".repeat(255)]) {
        const made = yield* sandbox.register(name);
        assert.deepStrictEqual([made.status, made.body.data?.installation_id], [201, name]);
      }
      assert.strictEqual((yield* sandbox.register("x".repeat(256))).status, 422);
      assert.strictEqual((yield* sandbox.register("  ")).status, 422);
    }),
  );
});

layer(TestWaypost.layerWith({ allowPrivateAddresses: false }))("A web push endpoint", (it) => {
  it.effect("a web push endpoint must be https and of the public internet (device.addresses)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      const keys = { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) };
      const register = (endpoint: string) =>
        sandbox.register("browser", { platform: "web", push: { transport: "webpush", endpoint, keys } });
      for (const endpoint of [
        "http://push.example.com/1",
        "https://127.0.0.1/1",
        "https://[::1]/1",
        "https://169.254.169.254/latest",
        "https://localhost/1",
        "https://0x7f.1/1",
      ]) {
        const refused = yield* register(endpoint);
        assert.deepStrictEqual(
          [refused.status, Object.keys(refused.body.error.fields)],
          [422, ["push.endpoint"]],
          endpoint,
        );
      }
      assert.strictEqual((yield* register("https://push.example.com/1")).status, 201);
    }),
  );

  it.effect("a path that cannot be decoded is unknown for every method (B2.6)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost } = yield* givenWorkspace();
      const register = yield* waypost.device(sandbox.sdkKey)("/devices/%zz", {
        method: "PUT",
        body: { platform: "ios" },
      });
      assert.strictEqual(register.status, 404);
    }),
  );
});
