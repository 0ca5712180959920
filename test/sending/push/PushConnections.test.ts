import { assert, it } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { Settings } from "../../../src/config/Settings.ts";
import { HostResolver, PublicHosts } from "../../../src/outgoing/PublicHosts.ts";
import { makeVapidKeys } from "../../../src/sending/credentials/PushCredentialRules.ts";
import { Apns } from "../../../src/sending/push/transports/Apns.ts";
import { Fcm } from "../../../src/sending/push/transports/Fcm.ts";
import { OutgoingRequests } from "../../../src/outgoing/OutgoingRequests.ts";
import { awaitOutcome, type PushChannel } from "../../../src/sending/push/transports/PushTransport.ts";
import { WebPush } from "../../../src/sending/push/transports/WebPush.ts";
import { localServer } from "../../notifications/LocalServer.ts";
import { browserSubscription } from "./BrowserCrypto.ts";
import { apnsCredentials, fcmCredentials } from "./PushKeys.ts";
import { plainContent as content } from "./PlainContent.ts";

/** Transports that allow no private addresses, where each name resolves to these addresses. */
const transports = (...addresses: ReadonlyArray<string>) =>
  Layer.mergeAll(Fcm.layer, Apns.layer, WebPush.layer).pipe(
    Layer.provide(OutgoingRequests.layerNoDeps),
    Layer.provide(PublicHosts.layer),
    Layer.provide(Settings.layerTest({ allowPrivateAddresses: false })),
    Layer.provide(
      Layer.succeed(HostResolver, () =>
        Promise.resolve(addresses.map((address) => ({ address, family: 4 }))),
      ),
    ),
  );

const send = (channel: PushChannel, address: unknown) =>
  awaitOutcome((report) =>
    channel.send({ id: "00000000-0000-8a41-8000-000000000007", content, firstAt: null, address }, report),
  );

for (const host of ["push.example.com", "127.0.0.1", "169.254.169.254"]) {
  it.effect(`no push connects to ${host} unless all its addresses are public (SSRF)`, () =>
    Effect.gen(function* () {
      const server = yield* localServer((_, response) => response.writeHead(201).end());
      const base = `http://${host}:${server.port}`;
      const fcm = yield* (yield* Fcm).open(fcmCredentials({ base_url: base, token_uri: `${base}/token` }));
      const apns = yield* (yield* Apns).open(apnsCredentials({ base_url: base }));
      const webPush = yield* (yield* WebPush).open({
        subject: "mailto:push@example.com",
        ...makeVapidKeys(),
      });
      const { address } = yield* Effect.promise(() => browserSubscription(`${base}/push/1`));
      for (const outcome of [
        yield* send(fcm, { token: "t" }),
        yield* send(apns, { token: "t" }),
        yield* send(webPush, address),
      ]) {
        assert.deepStrictEqual(outcome, {
          _tag: "Refused",
          reason: `The push service must be on the public internet: ${host} is not.`,
        });
      }
      assert.deepStrictEqual(server.asked, []);
    }).pipe(
      // A public address among private ones does not help.
      Effect.provide(transports("93.184.215.14", "127.0.0.1")),
      Effect.scoped,
    ),
  );
}

it.effect("a push to a subscription with an invalid key is refused, with advice", () =>
  Effect.gen(function* () {
    const channel = yield* (yield* WebPush).open({ subject: "mailto:push@example.com", ...makeVapidKeys() });
    const keys = { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) };
    const outcome = yield* send(channel, { endpoint: "https://push.example.com/1", keys });
    assert.strictEqual(outcome._tag, "Refused");
    assert.match("reason" in outcome ? outcome.reason : "", /register its subscription again/);
  }).pipe(Effect.provide(transports("93.184.215.14")), Effect.scoped),
);
