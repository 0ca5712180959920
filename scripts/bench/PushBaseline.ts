/**
 * Sends pushes to the local providers and measures rate and CPU, in two ways: `bare` does only the necessary
 * work with node:http, node:http2 and node:crypto, without queue, address checks or retries. By APNs it sends
 * the headers that Waypost sends, with an id for each push, and every response must be a success. `own` is
 * Waypost's transport alone.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { connect } from "node:http2";
import { Settings } from "../../src/config/Settings.ts";
import { PublicHosts } from "../../src/outgoing/PublicHosts.ts";
import { makeVapidKeys } from "../../src/sending/credentials/PushCredentialRules.ts";
import { Apns } from "../../src/sending/push/transports/Apns.ts";
import { Fcm } from "../../src/sending/push/transports/Fcm.ts";
import { jsonWebToken } from "../../src/sending/push/transports/JsonWebToken.ts";
import { OutgoingRequests } from "../../src/outgoing/OutgoingRequests.ts";
import { awaitOutcome, type PushChannel } from "../../src/sending/push/transports/PushTransport.ts";
import { WebPush } from "../../src/sending/push/transports/WebPush.ts";
import { apnsCredentials, fcmCredentials, p256Key } from "../../test/sending/push/PushKeys.ts";
import { plainContent as content } from "../../test/sending/push/PlainContent.ts";

const [way, transport, plain = "", apns = "", count = "10000"] = process.argv.slice(2);
const concurrency = 256;
const warmUp = 3_000;

const browser = createECDH("prime256v1").generateKeys();
const secret = randomBytes(16);
const keys = { p256dh: browser.toString("base64url"), auth: secret.toString("base64url") };

const agent = new Agent({ keepAlive: true, maxSockets: concurrency, maxFreeSockets: concurrency });
const { hostname, port } = new URL(plain);
const post = (path: string, headers: Record<string, string | number>, body: string | Buffer) =>
  new Promise<void>((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      agent,
      path,
      method: "POST",
      headers: { ...headers, "content-length": body.length },
    });
    outgoing.on("response", (response) => {
      const isAccepted = response.statusCode === 200 || response.statusCode === 201;
      response.resume().on("end", () => (isAccepted ? resolve() : reject(new Error("A push was refused."))));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });

const message = JSON.stringify({ id: randomUUID(), ...content });
const encrypted = (): Buffer => {
  const pair = createECDH("prime256v1");
  const own = pair.generateKeys();
  const salt = randomBytes(16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser, own]);
  const material = Buffer.from(hkdfSync("sha256", pair.computeSecret(browser), secret, info, 32));
  const key = Buffer.from(hkdfSync("sha256", material, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", material, salt, "Content-Encoding: nonce\0", 12));
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  return Buffer.concat([
    salt,
    Buffer.of(0, 0, 0x10, 0, 65),
    own,
    cipher.update(`${message}\u0002`, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
};

/** Sends one push without Waypost. The signed token is reused. */
const bare = (): (() => Promise<void>) => {
  const token = jsonWebToken({ alg: "ES256" }, { iss: "bench", iat: 0 }, createPrivateKey(p256Key));
  const text = JSON.stringify({ aps: { alert: { title: "Hello", body: "World" } }, waypost: message });
  switch (transport) {
    case "fcm":
      return () =>
        post(
          "/v1/projects/acme-shop/messages:send",
          { authorization: `Bearer ${token}`, "content-type": "application/json" },
          text,
        );
    case "webpush":
      return () =>
        post(
          "/push/1",
          {
            authorization: `vapid t=${token}, k=${keys.p256dh}`,
            "content-encoding": "aes128gcm",
            ttl: 86_400,
          },
          encrypted(),
        );
    default: {
      const session = connect(apns);
      session.unref();
      const { host } = new URL(apns);
      return () =>
        new Promise<void>((resolve, reject) => {
          const id = randomUUID();
          const stream = session.request([
            ":method",
            "POST",
            ":scheme",
            "http",
            ":authority",
            host,
            ":path",
            "/3/device/a-device-of-the-bench",
            "content-type",
            "application/json",
            "apns-push-type",
            "alert",
            "apns-priority",
            "10",
            "authorization",
            `bearer ${token}`,
            "apns-id",
            id,
            "apns-collapse-id",
            id,
            "apns-topic",
            "com.example.shop",
            "apns-expiration",
            String(Math.floor(Date.now() / 1000) + 86_400),
          ]);
          let status: number | undefined = 0;
          stream.on("response", (headers) => (status = headers[":status"]));
          stream.on("close", () => (status === 200 ? resolve() : reject(new Error("A push was refused."))));
          stream.on("error", reject);
          stream.resume().end(text);
        });
    }
  }
};

/** Sends one push by Waypost's transport. */
const own = Effect.gen(function* () {
  let channel: PushChannel;
  let address: unknown = { token: "a-device-of-the-bench" };
  if (transport === "fcm") {
    channel = yield* (yield* Fcm).open(fcmCredentials({ base_url: plain, token_uri: `${plain}/token` }));
  } else if (transport === "apns") {
    channel = yield* (yield* Apns).open(apnsCredentials({ base_url: apns }));
  } else {
    address = { endpoint: `${plain}/push/1`, keys };
    channel = yield* (yield* WebPush).open({ subject: "mailto:push@example.com", ...makeVapidKeys() });
  }
  const one = { id: randomUUID(), content, firstAt: null, address };
  const first = yield* awaitOutcome((report) => channel.send(one, report));
  if (first._tag !== "Accepted") return yield* Effect.die(new Error(JSON.stringify(first)));
  // Later pushes find a token and a connection, so their results are outcomes.
  return () =>
    new Promise<void>((resolve, reject) => {
      channel.send(one, (result) => {
        if (!Effect.isEffect(result) && result._tag === "Accepted") resolve();
        else reject(new Error("A push was not accepted at once."));
      });
    });
});

const run = async (send: () => Promise<void>, total: number): Promise<void> => {
  let left = total;
  const one = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: concurrency }, one));
};

Effect.gen(function* () {
  const send = way === "bare" ? bare() : yield* own;
  yield* Effect.promise(() => run(send, warmUp));
  const [began, cpu, loopCpu] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()];
  yield* Effect.promise(() => run(send, Number(count)));
  const [all, loop] = [process.cpuUsage(cpu), process.threadCpuUsage(loopCpu)];
  const seconds = (performance.now() - began) / 1000;
  console.log(
    JSON.stringify({
      perSecond: Number(count) / seconds,
      cpuMicros: (all.user + all.system) / Number(count),
      loopMicros: (loop.user + loop.system) / Number(count),
    }),
  );
}).pipe(
  Effect.provide(
    Layer.mergeAll(Fcm.layer, Apns.layer, WebPush.layer).pipe(
      Layer.provide(OutgoingRequests.layerNoDeps),
      Layer.provide(PublicHosts.layer),
      Layer.provide(Settings.layerTest({ allowPrivateAddresses: true })),
    ),
  ),
  Effect.scoped,
  Effect.andThen(Effect.sync(() => process.exit(0))),
  NodeRuntime.runMain,
);
