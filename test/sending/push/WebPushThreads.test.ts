import { assert, it } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { ECDH, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { vi } from "vitest";
import { Settings } from "../../../src/config/Settings.ts";
import { PublicHosts } from "../../../src/outgoing/PublicHosts.ts";
import { makeVapidKeys } from "../../../src/sending/credentials/PushCredentialRules.ts";
import {
  EncryptionThreadSettings,
  startEncryptionThread,
} from "../../../src/sending/push/transports/EncryptionThread.ts";
import { OutgoingRequests } from "../../../src/outgoing/OutgoingRequests.ts";
import { awaitOutcome, type PushChannel } from "../../../src/sending/push/transports/PushTransport.ts";
import { WebPush } from "../../../src/sending/push/transports/WebPush.ts";
import { localServer } from "../../notifications/LocalServer.ts";
import { browserSubscription } from "./BrowserCrypto.ts";
import { readAll } from "../../Listening.ts";
import { plainContent as content } from "./PlainContent.ts";

const pushCount = 40;
const settings = { start: startEncryptionThread, maxThreads: 2, answerMillis: 600_000, idleMillis: 600_000 };
const layer = WebPush.layer.pipe(
  Layer.provide(OutgoingRequests.layerNoDeps),
  Layer.provide(PublicHosts.layer),
  Layer.provide(Settings.layerTest({ allowPrivateAddresses: true })),
);

const open = Effect.flatMap(WebPush, (webPush) =>
  webPush.open({ subject: "mailto:push@example.com", ...makeVapidKeys() }),
);

const send = (channel: PushChannel, id: string, address: unknown) =>
  awaitOutcome((report) => channel.send({ id, content, firstAt: null, address }, report));

it.effect("Web Push derives no key on the event loop, and browsers read every message (K1)", () =>
  Effect.gen(function* () {
    const bodies: Array<Uint8Array> = [];
    const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      bodies.push(await readAll(request));
      response.writeHead(201).end();
    };
    const server = yield* localServer((request, response) => void receive(request, response));
    const { address, read } = yield* Effect.promise(() =>
      browserSubscription(`http://127.0.0.1:${server.port}/push/1`),
    );
    const [generated, computed] = [
      vi.spyOn(ECDH.prototype, "generateKeys"),
      vi.spyOn(ECDH.prototype, "computeSecret"),
    ];
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()));
    const channel = yield* open;
    const ids = Array.from({ length: pushCount }, () => randomUUID());
    const outcomes = yield* Effect.forEach(ids, (id) => send(channel, id, address), {
      concurrency: "unbounded",
    });
    assert.deepStrictEqual(
      outcomes.map(({ _tag }) => _tag),
      ids.map(() => "Accepted"),
    );
    assert.strictEqual(generated.mock.calls.length + computed.mock.calls.length, 0);
    const messages = yield* Effect.promise(() => Promise.all(bodies.map(read)));
    assert.sameMembers(
      messages.map((text) => JSON.parse(text).id),
      ids,
    );
  }).pipe(Effect.provide(layer), Effect.provideService(EncryptionThreadSettings, settings), Effect.scoped),
);

it.effect("a push whose p256dh is no public key is refused, and the next push is sent", () =>
  Effect.gen(function* () {
    const server = yield* localServer((_, response) => response.writeHead(201).end());
    const { address } = yield* Effect.promise(() =>
      browserSubscription(`http://127.0.0.1:${server.port}/push/1`),
    );
    const channel = yield* open;
    const bad = { ...address, keys: { ...address.keys, p256dh: "AAAA" } };
    assert.deepStrictEqual(yield* send(channel, randomUUID(), bad), {
      _tag: "Refused",
      reason: "The device's p256dh key is no public key: it must register its subscription again.",
    });
    assert.strictEqual((yield* send(channel, randomUUID(), address))._tag, "Accepted");
  }).pipe(Effect.provide(layer), Effect.provideService(EncryptionThreadSettings, settings), Effect.scoped),
);
