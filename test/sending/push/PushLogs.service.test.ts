import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Settings } from "../../../src/config/Settings.ts";
import { PushCredentials } from "../../../src/sending/credentials/PushCredentials.ts";
import { assertUnseen, captured, logged } from "../../CapturedLog.ts";
import { TestWaypost, testOperatorKey, testSecretKey } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { p256Key, rsaKey } from "./PushKeys.ts";
import type { Behaviour } from "./PushServers.ts";
import { pushed, pushWorld } from "./PushWorld.ts";

/** A line of a PEM that is part of the key. */
const core = (pem: string) => pem.split("\n")[1] ?? "";

const behaviours: ReadonlyArray<Behaviour> = [
  "accept",
  "unauthorized",
  { status: 400 },
  { status: 503, retryAfter: "1" },
  { status: 302, location: "http://127.0.0.1:1/" },
  { status: 400, echo: true },
  { status: 429, echo: true },
  { status: 503, echo: true },
  { status: 307, echo: true },
  "reset",
  "gone",
];

layer(TestWaypost.layer.pipe(Layer.provide(captured)))("Logs of pushes", (it) => {
  for (const [name, started] of Object.entries(localServices)) {
    it.effect(`the debug log has no secrets of pushes by ${name}, for any response`, () =>
      Effect.gen(function* () {
        logged.length = 0;
        const service = yield* started;
        const headline = "A headline that only one should read";
        const world = yield* pushWorld(service, { notification: { headline } });
        const { fired, production } = world;
        const secrets: Record<string, string> = {
          headline,
          operatorKey: testOperatorKey,
          secretKey: testSecretKey,
          rsaKey: core(rsaKey),
          p256Key: core(p256Key),
          sdkKey: production.sdkKey,
        };
        for (const [at, behaviour] of behaviours.entries()) {
          service.answer(() => behaviour);
          const phone = yield* fired(`push-token-number-${at}-of-${name}`);
          secrets[`device token ${at}`] = phone.token;
          secrets[`push token ${at}`] = phone.name;
          for (const [key, value] of Object.entries((phone.push as { keys?: object }).keys ?? {})) {
            secrets[`${key} ${at}`] = String(value);
          }
          yield* pushed;
          yield* TestClock.adjust("40 seconds");
          yield* pushed;
        }
        // A corrupt address is an internal error, which is logged with its cause.
        service.answer(() => "accept");
        const sql = yield* SqlClient.SqlClient;
        for (const [at, address] of [{ endpoint: "no address: push-token-that-is-spoilt" }, null].entries()) {
          const spoilt = yield* fired(`push-token-number-${at}-of-${name}-spoilt`);
          yield* Effect.orDie(sql`
            UPDATE device SET address = ${JSON.stringify(address)}::jsonb WHERE id = ${spoilt.id}`);
          secrets[`spoilt ${at}`] = spoilt.name;
          yield* pushed;
        }
        secrets["spoilt endpoint"] = "push-token-that-is-spoilt";
        for (const [at, { headers }] of service.ledger.entries()) {
          const [, token = "", key] = /^(?:bearer|vapid t=)\s*([^,]+)(?:, k=(.+))?$/i.exec(
            String(headers["authorization"]),
          ) ?? ["", ""];
          // The tokens of the local FCM are short.
          if (token.length > 7) secrets[`authorization ${at}`] = token;
          if (token.includes(".")) secrets[`signature ${at}`] = token.split(".")[2] ?? "";
          assert.isTrue(key === undefined || key.length === 87);
        }
        const tenant = { workspaceId: production.workspaceId, environment: "production" } as const;
        const opened = yield* Effect.provide(
          Effect.flatMap(PushCredentials, ({ open }) => open(tenant, "webpush")),
          Layer.provide(PushCredentials.layer, Settings.layerTest({})),
        );
        if (opened !== null) secrets["VAPID key"] = core(opened.credentials.private_key);
        assert.strictEqual(opened !== null, name === "webpush");
        // Stored and shown reasons have no secrets either.
        const shown = yield* world.waypost.operator(`${world.base}/deliveries?limit=100`);
        const reasons = shown.body.data.map((each: any) => each.last_error);
        assert.isAbove(reasons.filter((reason: unknown) => reason !== null).length, 4);
        logged.push(
          JSON.stringify(shown.body),
          JSON.stringify((yield* world.waypost.operator(`${world.base}/transports`)).body),
        );
        assertUnseen(secrets);
        const all = logged.join("\n");
        assert.match(all, /"message":"request"/);
        assert.match(all, /Sending a push failed/);
        if (name !== "webpush") assert.match(all, /refuses the credentials/);
      }),
    );
  }
});
