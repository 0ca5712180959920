import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { generateKeyPairSync } from "node:crypto";
import {
  apnsCredentials,
  fcmCredentials,
  p256Key,
  rsaKey,
  webPushCredentials,
} from "../sending/push/PushKeys.ts";
import { type Answer, type Ask, TestWaypost, testStart } from "../TestWaypost.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const refusal = ({ body, status }: Answer) => {
  assert.deepStrictEqual([status, body.error?.code], [422, "validation_failed"], JSON.stringify(body));
  return body.error.fields as Record<string, ReadonlyArray<string>>;
};

const world = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const { operator, workspace } = yield* TestWaypost;
  const made = yield* workspace();
  const path = (environment: string) => `/workspaces/${made.id}/${environment}/transports`;
  return {
    operator,
    path,
    list: (environment: string) => Effect.map(operator(path(environment)), ({ body }) => body.data),
    put: (transport: string, body: unknown, environment = "sandbox") =>
      operator(`${path(environment)}/${transport}`, { method: "PUT", body }),
    remove: (transport: string, environment = "sandbox") =>
      operator(`${path(environment)}/${transport}`, { method: "DELETE" }),
  };
});

const unset = { configured: false, public_key: null, default_url: null, updated_at: null };
const set = { ...unset, configured: true, updated_at: "2026-11-21T12:00:00+00:00" };

layer(TestWaypost.layer)("Credentials of push services", (it) => {
  it.effect(
    "credentials are set and deleted by environment, and listed without secrets (operator.transports)",
    () =>
      Effect.gen(function* () {
        const { list, operator, path, put, remove } = yield* world;
        const none = ["fcm", "apns", "webpush"].map((transport) => ({ transport, ...unset }));
        assert.deepStrictEqual((yield* operator(path("sandbox"))).body, {
          data: none,
          meta: { next_cursor: null },
        });
        const fcm = yield* put("fcm", fcmCredentials());
        assert.deepStrictEqual([fcm.status, fcm.body], [200, { data: { transport: "fcm", ...set } }]);
        const apns = yield* put("apns", apnsCredentials());
        assert.deepStrictEqual([apns.status, apns.body], [200, { data: { transport: "apns", ...set } }]);
        assert.deepStrictEqual(yield* list("sandbox"), [
          { transport: "fcm", ...set },
          { transport: "apns", ...set },
          none[2],
        ]);
        assert.deepStrictEqual(yield* list("production"), none);
        const gone = yield* remove("fcm");
        assert.deepStrictEqual([gone.status, gone.body], [200, { data: { id: "fcm", deleted: true } }]);
        assert.deepStrictEqual((yield* list("sandbox"))[0], none[0]);
        for (const transport of ["fcm", "inbox", "nonsense"]) {
          const again = yield* remove(transport);
          assert.deepStrictEqual([again.status, again.body.error.code], [404, "not_found"]);
        }
      }),
  );

  it.effect(
    "the server makes web push keys once and keeps them when the subject changes (operator.transports)",
    () =>
      Effect.gen(function* () {
        const { list, put, remove } = yield* world;
        const first = (yield* put("webpush", webPushCredentials)).body.data;
        const point = Buffer.from(first.public_key, "base64url");
        assert.deepStrictEqual([point.length, point[0]], [65, 4]);
        yield* TestClock.adjust("1 minute");
        const second = (yield* put("webpush", { subject: "https://example.com/contact" })).body.data;
        assert.deepStrictEqual(second, { ...first, updated_at: "2026-11-21T12:01:00+00:00" });
        assert.deepStrictEqual((yield* list("sandbox"))[2], second);
        const other = (yield* put("webpush", webPushCredentials, "production")).body.data;
        assert.notStrictEqual(other.public_key, first.public_key);
        yield* remove("webpush");
        const replaced = (yield* put("webpush", webPushCredentials)).body.data;
        assert.notStrictEqual(replaced.public_key, first.public_key);

        const responses = yield* Effect.all(
          Array.from({ length: 6 }, () => put("webpush", webPushCredentials, "production")),
          { concurrency: "unbounded" },
        );
        assert.deepStrictEqual(
          new Set(responses.map(({ body }) => body.data.public_key)),
          new Set([other.public_key]),
        );
      }),
  );

  it.effect("credentials are unreadable in the database (operator.transports)", () =>
    Effect.gen(function* () {
      const { put } = yield* world;
      yield* put("fcm", fcmCredentials());
      yield* put("apns", apnsCredentials());
      yield* put("webpush", { subject: "mailto:someone-to-write-to@example.com" });
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql<{ readonly row: string; readonly sealed: Uint8Array }>`
        SELECT p::text AS row, p.sealed FROM push_credential p`;
      assert.isAtLeast(rows.length, 3);
      for (const { row, sealed } of rows) {
        const text = row + Buffer.from(sealed).toString("latin1");
        for (const secret of ["PRIVATE KEY", "acme-shop", "A1B2C3D4E5", "com.example", "someone-to"]) {
          assert.notInclude(text, secret);
        }
      }
    }),
  );

  it.effect(
    "all problems of credentials are reported together, each in a sentence (B4, operator.transports)",
    () =>
      Effect.gen(function* () {
        const { list, put } = yield* world;
        assert.hasAllKeys(refusal(yield* put("fcm", {})), ["service_account"]);
        assert.hasAllKeys(refusal(yield* put("fcm", { service_account: "{}" })), ["service_account"]);
        assert.deepStrictEqual(
          refusal(
            yield* put("fcm", {
              service_account: {
                project_id: "acme/../other",
                client_email: "push@example.com",
                private_key: p256Key,
                token_uri: "ftp://example.com",
              },
              base_url: "https://example.com/?a=b",
            }),
          ),
          {
            "service_account.private_key": [
              "The private key must be the RSA key of the service account's JSON file, in PEM.",
            ],
            "service_account.project_id": [
              "The project id must be the Firebase project's, such as acme-shop.",
            ],
            "service_account.token_uri": [
              "The token address must be a full https address, such as https://push.example.com.",
            ],
            base_url: ["The base address may hold no user name, question mark or #."],
          },
        );
        assert.hasAllKeys(refusal(yield* put("apns", {})), ["team_id", "key_id", "private_key", "topic"]);
        const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp384r1" });
        for (const bad of [
          rsaKey,
          String(privateKey.export({ type: "pkcs8", format: "pem" })),
          "no key",
          5,
        ]) {
          const answer = yield* put("apns", { ...apnsCredentials(), private_key: bad });
          assert.hasAllKeys(refusal(answer), ["private_key"]);
        }
        assert.hasAllKeys(
          refusal(yield* put("apns", { ...apnsCredentials(), team_id: "a b", key_id: "ü", topic: "a\r\nb" })),
          ["team_id", "key_id", "topic"],
        );
        for (const subject of ["push@example.com", "http://example.com", "mailto:nobody", "https://", ""]) {
          assert.hasAllKeys(refusal(yield* put("webpush", { subject })), ["subject"], subject);
        }
        assert.isTrue((yield* list("sandbox")).every((each: typeof unset) => !each.configured));
      }),
  );

  it.effect("an unknown workspace or environment is 404 before problems of a body (B1)", () =>
    Effect.gen(function* () {
      const { operator, path } = yield* world;
      const asks: ReadonlyArray<Ask & { readonly at: string }> = [
        { at: "" },
        { at: "/fcm", method: "DELETE" },
        ...["fcm", "apns", "webpush"].map((each) => ({ at: `/${each}`, method: "PUT", body: "not json" })),
      ];
      for (const base of [path("staging"), `/workspaces/${nobody}/sandbox/transports`]) {
        for (const { at, ...ask } of asks) {
          const answer = yield* operator(base + at, ask);
          assert.deepStrictEqual([at, answer.status, answer.body.error.code], [at, 404, "not_found"]);
        }
      }
    }),
  );

  it.effect("an unknown transport is 404 for every method, with the known ones (operator.transports)", () =>
    Effect.gen(function* () {
      const { operator, path } = yield* world;
      for (const method of ["PUT", "DELETE", "GET", "POST", "PATCH"]) {
        for (const name of ["sms", "FCM", "__proto__", "constructor", "inbox"]) {
          const answer = yield* operator(`${path("sandbox")}/${name}`, { method });
          assert.deepStrictEqual([method, name, answer.status], [method, name, 404]);
          assert.match(answer.body.error.message, /must be fcm, apns or webpush/);
        }
      }
      const answer = yield* operator(`${path("sandbox")}/fcm`, { method: "POST" });
      assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "DELETE, PUT"]);
    }),
  );
});

layer(TestWaypost.layerWith({ allowPrivateAddresses: false }))("Addresses of push services", (it) => {
  it.effect(
    "the address of a push service must be https and public unless private ones are allowed " +
      "(operator.transports)",
    () =>
      Effect.gen(function* () {
        const { put } = yield* world;
        for (const base_url of [
          "http://push.example.com",
          "https://localhost:8443",
          "https://127.0.0.1",
          "https://[::1]",
          "https://169.254.169.254",
        ]) {
          assert.hasAllKeys(
            refusal(yield* put("apns", apnsCredentials({ base_url }))),
            ["base_url"],
            base_url,
          );
          assert.hasAllKeys(
            refusal(yield* put("fcm", fcmCredentials({ base_url, token_uri: base_url }))),
            ["base_url", "service_account.token_uri"],
            base_url,
          );
        }
        const good = yield* put("apns", apnsCredentials({ base_url: "https://api.sandbox.push.apple.com" }));
        assert.strictEqual(good.status, 200);
      }),
  );
});
