import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { pushWorld } from "./PushWorld.ts";

layer(TestWaypost.layer)("Tests of transports", (it) => {
  it.effect("a test sends one push and answers with what came back, without a delivery (S7.2)", () =>
    Effect.gen(function* () {
      for (const started of Object.values(localServices)) {
        const service = yield* started;
        const { base, phone, waypost } = yield* pushWorld(service);
        const owner = yield* phone();
        const test = (body: unknown, transport: string = service.transport) =>
          waypost.operator(`${base}/transports/${transport}/test`, { body });
        const sent = yield* test({ device_id: owner.id });
        assert.strictEqual(sent.status, 200, JSON.stringify(sent.body));
        const { duration_ms, ...came } = sent.body.data;
        assert.isAtLeast(duration_ms, 0);
        assert.deepStrictEqual(came, {
          transport: service.transport,
          device_id: owner.id,
          accepted: true,
          outcome: "accepted",
          reason: null,
        });
        assert.lengthOf(service.ledger, 1);
        assert.deepInclude(service.ledger[0]?.payload, { headline: "Test" });
        assert.lengthOf((yield* waypost.operator(`${base}/deliveries`)).body.data, 0);
        assert.lengthOf(yield* owner.inbox(), 0);
      }
    }),
  );

  it.effect("a test of an unknown device, of another transport's, or without credentials is 422 (S7.3)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { base, phone, production, waypost } = yield* pushWorld(service);
      const inbox = yield* production.phone();
      const owner = yield* phone();
      const fieldsOf = (transport: string, body: unknown) =>
        Effect.map(waypost.operator(`${base}/transports/${transport}/test`, { body }), (answer) => [
          answer.status,
          Object.keys(answer.body.error.fields ?? {}),
        ]);
      assert.deepStrictEqual(yield* fieldsOf("fcm", { device_id: inbox.id }), [422, ["device_id"]]);
      assert.deepStrictEqual(yield* fieldsOf("fcm", { device_id: randomUUID() }), [422, ["device_id"]]);
      assert.deepStrictEqual(yield* fieldsOf("fcm", {}), [422, ["device_id"]]);
      assert.deepStrictEqual(yield* fieldsOf("apns", { device_id: owner.id }), [
        422,
        ["device_id", "transport"],
      ]);
      assert.deepStrictEqual(yield* fieldsOf("pigeon", { device_id: owner.id }), [404, []]);
      assert.lengthOf(service.ledger, 0);
    }),
  );
});
