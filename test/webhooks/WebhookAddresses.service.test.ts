import { assert, it, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { Settings } from "../../src/config/Settings.ts";
import { OutgoingRequests } from "../../src/outgoing/OutgoingRequests.ts";
import { HostResolver, PublicHosts } from "../../src/outgoing/PublicHosts.ts";
import { Receivers } from "../../src/webhooks/calls/Receivers.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { testReceiver } from "./TestReceiver.ts";

const request = (url: string) => ({ url: new URL(url), headers: ["webhook-id", "1"], body: "{}" });

/** Receivers whose names resolve to these addresses, one lookup after the other. */
const receiversAt = (...lookups: ReadonlyArray<string>) => {
  let count = 0;
  const resolve = () => {
    const address = lookups[Math.min(count++, lookups.length - 1)] ?? "";
    return Promise.resolve([{ address, family: 4 }]);
  };
  return Receivers.layerNoDeps.pipe(
    Layer.provide(OutgoingRequests.layerNoDeps),
    Layer.provide(PublicHosts.layer),
    Layer.provide(Settings.layerTest({ allowPrivateAddresses: false })),
    Layer.provide(Layer.succeed(HostResolver, resolve)),
  );
};

for (const host of ["hooks.example.com", "127.0.0.1", "[::1]", "169.254.169.254"]) {
  it.effect(`no call connects to ${host} if it is not public (N1.5, SSRF)`, () =>
    Effect.gen(function* () {
      const receiver = yield* testReceiver;
      const { send } = yield* Receivers;
      const result = yield* send(request(`http://${host}:${receiver.port}/hook`));
      assert.isNull(result.statusCode);
      assert.match(String(result.error), /must be on the public internet/);
      assert.isNull(result.body);
      assert.strictEqual(receiver.connections(), 0);
    }).pipe(Effect.provide(receiversAt("10.0.0.1"))),
  );
}

layer(TestWaypost.layerWith({ allowPrivateAddresses: false }))("Addresses of webhooks", (it) => {
  it.effect("a webhook cannot be saved with an address that is not public (N1.5, SSRF)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const url of [
        "http://127.0.0.1/",
        "http://localhost/",
        "https://[::1]/x",
        "http://169.254.169.254/",
      ]) {
        const answer = yield* sandbox("/webhooks", { body: { url, events: ["*"] } });
        assert.deepStrictEqual([answer.status, Object.keys(answer.body.error.fields)], [422, ["url"]], url);
      }
    }),
  );
});
