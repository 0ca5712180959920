/**
 * Compares pushes with options to what the services' own libraries make of them (`scripts/pushFixtures.ts`).
 */
import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import recorded from "./LibraryFixtures.json" with { type: "json" };
import { localServices } from "./LocalProviders.ts";
import { pushed, pushWorld } from "./PushWorld.ts";

const shown = {
  sound: "coffee.caf",
  badge: 3,
  priority: "normal",
  ttl_seconds: 3600,
  collapse_key: "order-4711",
  interruption_level: "time-sensitive",
  channel_id: "offers",
  category: "OFFER",
  data: { order: "4711" },
};
const silent = { silent: true, data: { order: "4711" } };

/** The only push of a notification with these options, as the service got it. */
const pushOf = (transport: keyof typeof localServices, push: object) =>
  Effect.gen(function* () {
    const service = yield* localServices[transport];
    const { fired } = yield* pushWorld(service, { notification: { push } });
    const { message } = yield* fired();
    yield* pushed;
    assert.deepStrictEqual(service.complaints, []);
    const [entry, ...more] = service.ledger;
    if (entry === undefined || more.length > 0) throw new Error("Not one push");
    return { ...entry, message };
  });

layer(TestWaypost.layer)("Pushes with options, as the libraries of the services make them", (it) => {
  it.effect("FCM gets what firebase-admin makes of the options (T3.1)", () =>
    Effect.gen(function* () {
      for (const [options, expected] of [
        [shown, recorded.fcm.shown],
        [silent, recorded.fcm.silent],
      ] as const) {
        const { body, message } = yield* pushOf("fcm", options);
        const { token, data, ...rest } = body;
        const { waypost, ...own } = data;
        const { token: _, data: expectedData, ...others } = expected;
        assert.isString(token);
        assert.deepStrictEqual(own, expectedData);
        assert.strictEqual(JSON.parse(waypost).id, message.id);
        // A silent push replaces itself on an iPhone, as the library does not ask for.
        const headers = { "apns-collapse-id": message.id, ...others.apns.headers };
        // Names of enumerations are written in upper case, which the service documents.
        const android = { ...others.android, priority: others.android.priority.toUpperCase() };
        assert.deepStrictEqual(rest, { ...others, android, apns: { ...others.apns, headers } });
      }
    }),
  );

  it.effect("APNs gets what @parse/node-apn makes of the options (T3.1)", () =>
    Effect.gen(function* () {
      for (const [options, expected] of [
        [shown, recorded.apns.shown],
        [silent, recorded.apns.silent],
      ] as const) {
        const { body, headers, message } = yield* pushOf("apns", options);
        const { waypost, ...rest } = body;
        assert.deepStrictEqual(rest, expected.body);
        assert.strictEqual(waypost.id, message.id);
        for (const [name, value] of Object.entries(expected.headers))
          assert.strictEqual(headers[name], String(value), name);
      }
    }),
  );

  it.effect("Web Push gets the headers that web-push makes of the options (T3.1)", () =>
    Effect.gen(function* () {
      for (const [options, expected] of [
        [shown, recorded.webpush.shown],
        [silent, recorded.webpush.silent],
      ] as const) {
        const { headers } = yield* pushOf("webpush", options);
        for (const [name, value] of Object.entries(expected))
          if (name !== "Topic") assert.strictEqual(headers[name.toLowerCase()], String(value), name);
      }
    }),
  );
});
