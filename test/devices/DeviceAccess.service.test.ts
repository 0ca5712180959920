import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { Tokens } from "../../src/access/Tokens.ts";
import { Devices } from "../../src/devices/Devices.ts";
import { deviceToken, openDeviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceId, DeviceKey } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { givenWorkspace, type GivenSide } from "../given/GivenWorkspace.ts";

const codeOf = (answer: { readonly status: number; readonly body: any }) => [
  answer.status,
  answer.body.error?.code,
];

type Phone = Effect.Success<ReturnType<GivenSide["device"]>> & { readonly installation: string };

layer(TestWaypost.layer)("Authentication of the device interface", (it) => {
  it.effect("every path of the device interface requires a bearer credential (device.access)", () =>
    Effect.gen(function* () {
      const { waypost } = yield* givenWorkspace();
      for (const path of ["/messages", "/nowhere", ""]) {
        assert.deepStrictEqual(codeOf(yield* waypost.device(null)(path)), [401, "missing_token"]);
        assert.deepStrictEqual(codeOf(yield* waypost.device("wpd_nonsense")(path)), [401, "invalid_token"]);
      }
    }),
  );

  it.effect(
    "SDK keys and device tokens do not replace each other, and platform tokens are refused (device.access)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost, workspace } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1");
        const withKey = yield* waypost.device(sandbox.sdkKey)("/messages");
        assert.deepStrictEqual(codeOf(withKey), [401, "invalid_token"]);
        assert.include(withKey.body.error.message, "device's own token");
        const withToken = yield* phone.ask("/devices/phone-2", { method: "PUT", body: { platform: "ios" } });
        assert.deepStrictEqual(codeOf(withToken), [401, "invalid_token"]);
        assert.include(withToken.body.error.message, "SDK key");
        const { token } = yield* waypost.token(workspace, "sandbox");
        assert.deepStrictEqual(codeOf(yield* waypost.device(token)("/messages")), [401, "invalid_token"]);
      }),
  );

  it.effect("404 and 405 are given to valid credentials only (B2, B3)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      assert.deepStrictEqual(codeOf(yield* phone.ask("/nowhere")), [404, "not_found"]);
      assert.deepStrictEqual(codeOf(yield* waypost.device(sandbox.sdkKey)("/nowhere")), [404, "not_found"]);
      const wrong = yield* phone.ask("/events");
      assert.deepStrictEqual(codeOf(wrong), [405, "method_not_allowed"]);
      assert.strictEqual(wrong.headers.get("allow"), "POST");
      assert.strictEqual((yield* phone.ask("/devices/phone-1")).headers.get("allow"), "PUT");
    }),
  );

  it.effect(
    "a token with the key of another device, or with numbers out of range, is refused (device.access)",
    () =>
      Effect.gen(function* () {
        const { production, sandbox, waypost } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1");
        yield* sandbox.device("phone-2");
        yield* production.device("phone-1");
        const opened = openDeviceToken(phone.token);
        const { claims, secret } = opened ?? assert.fail("The token cannot be opened.");
        assert.strictEqual(deviceToken(claims, secret), phone.token);
        for (const forged of [
          { ...claims, deviceKey: DeviceKey(claims.deviceKey + 1) },
          { ...claims, environment: "production" as const },
          { ...claims, workspaceId: claims.workspaceId + 1 },
          { ...claims, deviceKey: DeviceKey(0) },
          { ...claims, deviceKey: DeviceKey(2_147_483_648) },
          { ...claims, workspaceId: 56_800_235_583 },
        ]) {
          const answer = yield* waypost.device(deviceToken(forged, secret))("/messages");
          assert.deepStrictEqual(codeOf(answer), [401, "invalid_token"], JSON.stringify(forged));
        }
        const guessed = yield* waypost.device(deviceToken(claims, makeSecret()))("/messages");
        assert.deepStrictEqual(codeOf(guessed), [401, "invalid_token"]);
        assert.strictEqual((yield* phone.ask("/messages")).status, 200);
      }),
  );

  it.effect(
    "a revoked SDK key is refused by its name immediately, and its devices still work (operator.sdk_keys)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1");
        yield* (yield* Tokens).revokeSdkKey(sandbox.workspaceId, "sandbox", sandbox.sdkKeyId);
        const refused = yield* sandbox.register("phone-2");
        assert.deepStrictEqual(codeOf(refused), [401, "token_revoked"]);
        assert.include(refused.body.error.message, '"Test app" was revoked on 2026-11-21');
        assert.strictEqual((yield* waypost.device(phone.token)("/messages")).status, 200);
      }).pipe(Effect.orDie),
  );

  it.effect(
    "keys and devices of a workspace scheduled for deletion are refused until that is cancelled " +
      "(device.paused)",
    () =>
      Effect.gen(function* () {
        const { sandbox, workspace } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1");
        const workspaces = yield* Workspaces;
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: true }));
        assert.deepStrictEqual(codeOf(yield* phone.ask("/nowhere")), [403, "workspace_paused"]);
        assert.deepStrictEqual(codeOf(yield* sandbox.register("phone-2")), [403, "workspace_paused"]);
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: false }));
        assert.strictEqual((yield* phone.ask("/messages")).status, 200);
      }).pipe(Effect.orDie),
  );

  it.effect("the device interface limits bodies like the platform API, and has no Idempotency-Key (B3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      const post = (body: string, contentType = "application/json") =>
        phone.ask("/events", { body, headers: { "content-type": contentType } });
      assert.deepStrictEqual(codeOf(yield* post(" ".repeat(1_048_577))), [413, "payload_too_large"]);
      assert.deepStrictEqual(codeOf(yield* post("{}", "text/plain")), [415, "unsupported_media_type"]);
      assert.deepStrictEqual(codeOf(yield* post("{")), [422, "validation_failed"]);
      assert.deepStrictEqual(codeOf(yield* post("[]")), [422, "validation_failed"]);
      const rotated = yield* phone.ask("/devices/me/rotate", {
        method: "POST",
        headers: { "idempotency-key": "ü" },
      });
      assert.strictEqual(rotated.status, 200);
      assert.isNull(rotated.headers.get("ratelimit"));
    }),
  );

  it.effect("the document of the device interface has its paths and both kinds of credential", () =>
    Effect.gen(function* () {
      const { waypost } = yield* givenWorkspace();
      const answer = yield* Effect.promise(() => fetch(`${waypost.origin}/openapi/device.json`));
      const document: any = yield* Effect.promise(() => answer.json());
      assert.includeMembers(Object.keys(document.paths), [
        "/devices/{installation_id}",
        "/devices/me",
        "/devices/me/rotate",
        "/events",
        "/messages",
        "/messages/{message}/opened",
      ]);
      assert.sameMembers(Object.keys(document.components.securitySchemes), ["sdkKey", "deviceToken"]);
      assert.includeMembers(Object.keys(document.paths["/devices/{installation_id}"].put.responses), [
        "200",
        "201",
        "401",
        "403",
        "413",
        "415",
        "422",
        "429",
        "500",
        "503",
      ]);
    }),
  );

  it.effect(
    "a token that ends while its request runs changes nothing, and gets unauthenticated " +
      "(B2.5, errors.unauthenticated)",
    () =>
      Effect.gen(function* () {
        const { sandbox, workspace } = yield* givenWorkspace();
        const devices = yield* Devices;
        const ends = {
          unregistered: (phone: Phone) => phone.ask("/devices/me", { method: "DELETE" }),
          rotated: (phone: Phone) => phone.ask("/devices/me/rotate", { method: "POST" }),
          again: (phone: Phone) =>
            Effect.andThen(
              phone.ask("/devices/me", { method: "DELETE" }),
              sandbox.register(phone.installation),
            ),
        };
        for (const [installation, end] of Object.entries(ends)) {
          const phone = { installation, ...(yield* sandbox.device(installation)) };
          const opened = openDeviceToken(phone.token);
          // The token ends after the request was authenticated and before it changes anything.
          const caller = {
            workspaceId: sandbox.workspaceId,
            workspace,
            environment: "sandbox" as const,
            deviceId: DeviceId(phone.id),
            deviceKey: opened?.claims.deviceKey ?? DeviceKey(0),
            tokenDigest: digest(opened?.secret ?? ""),
            locationsVersion: 0,
            webhookEvents: [],
          };
          assert.isBelow((yield* end(phone)).status, 300);
          for (const late of [
            devices.change(caller, ParsedBody.of({ locale: "nl" })),
            devices.rotate(caller),
            devices.unregister(caller),
          ]) {
            const { error } = yield* Effect.flip(late as Effect.Effect<unknown, any>);
            assert.strictEqual(error.code, "unauthenticated", installation);
          }
        }
        const sql = yield* SqlClient.SqlClient;
        const left = yield* sql`
          SELECT installation_id AS id, locale, unregistered_at IS NULL AS registered FROM device
          WHERE workspace_id = ${sandbox.workspaceId} ORDER BY 1`;
        assert.deepStrictEqual(left, [
          { id: "again", locale: null, registered: true },
          { id: "rotated", locale: null, registered: true },
          { id: "unregistered", locale: null, registered: false },
        ]);
      }),
  );
});

layer(TestWaypost.layer)("Unknown credentials", (it) => {
  it.effect(
    "unknown credentials are throttled from the 21st on, and valid ones of the same address are not (I2.2)",
    () =>
      Effect.gen(function* () {
        const { sandbox, waypost } = yield* givenWorkspace();
        const phone = yield* sandbox.device("phone-1");
        for (let attempt = 1; attempt <= 20; attempt++) {
          assert.strictEqual((yield* waypost.device(`wpd_${attempt}`)("/messages")).status, 401);
        }
        const shut = yield* waypost.device("wpk_nonsense")("/messages");
        assert.deepStrictEqual(codeOf(shut), [429, "too_many_failed_attempts"]);
        assert.strictEqual(shut.headers.get("retry-after"), "60");
        assert.strictEqual((yield* phone.ask("/messages")).status, 200);
      }),
  );
});
