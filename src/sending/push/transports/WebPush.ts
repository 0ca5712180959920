import { Clock, Context, Effect, Layer } from "effect";
import { createPrivateKey } from "node:crypto";
import { payloadsOf, pushPayload } from "../PushPayload.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import { PushConnections, type ServiceAnswer } from "./PushConnections.ts";
import {
  keptSeconds,
  nothingToGiveUp,
  outcomeOf,
  type PushChannel,
  type PushOutcome,
  type PushTransport,
} from "./PushTransport.ts";
import { encryptForBrowser, plaintextLimit } from "./WebPushEncryption.ts";

/** RFC 8292 allows a day; a token is used for half of its time. */
const tokenSeconds = 12 * 3600;
const mostOrigins = 1_000;

const payload = payloadsOf((id, content) => JSON.stringify(pushPayload(id, content)), plaintextLimit);

/** A subscription as the device registered it (base64url, or base64 as some libraries write it). */
interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The push service's name for the push: a later one with it takes the earlier one's place (RFC 8030, section 5.4). */
const topicOf = (id: string): string => id.replaceAll("-", "");

/** Scheme, host and port of a subscription. */
const serviceOf = (address: unknown): string => {
  const { endpoint } = (address ?? {}) as Partial<Subscription>;
  return typeof endpoint === "string" ? endpoint.split("/", 3).join("/") : "";
};

const classify = (host: string, { retryAfter, status }: ServiceAnswer): PushOutcome => {
  if (status === 404 || status === 410) {
    return { _tag: "Gone", reason: `${host} answered with status ${status}: nobody is subscribed there.` };
  }
  return outcomeOf(
    host,
    status,
    status >= 300 && status < 400 ? "redirects are not followed" : "",
    retryAfter,
  );
};

const badKey: PushOutcome = {
  _tag: "Refused",
  reason: "The device's p256dh key is no public key: it must register its subscription anew.",
};

/** Web Push: messages encrypted for the browser (RFC 8291), to its push service (RFC 8030), signed with VAPID keys (RFC 8292). */
export class WebPush extends Context.Service<WebPush, PushTransport<"webpush">>()(
  "waypost/sending/transports/WebPush",
) {
  static readonly layer = Layer.effect(
    WebPush,
    Effect.gen(function* () {
      const connections = yield* PushConnections;
      return WebPush.of({
        open: Effect.fnUntraced(function* ({ private_key, public_key, subject }) {
          const clock = yield* Clock.Clock;
          const key = createPrivateKey(private_key);
          const tokens = new Map<string, { readonly header: string; readonly staleAt: number }>();

          /** Signing costs as much as all the rest, so a push service sees one token for hours. */
          const authorization = (origin: string, now: number): string => {
            const known = tokens.get(origin);
            if (known !== undefined && now < known.staleAt) return known.header;
            // Endpoints are whatever devices register.
            if (tokens.size >= mostOrigins) tokens.clear();
            const exp = Math.floor(now / 1000) + tokenSeconds;
            const token = jsonWebToken({ typ: "JWT", alg: "ES256" }, { aud: origin, exp, sub: subject }, key);
            const header = `vapid t=${token}, k=${public_key}`;
            tokens.set(origin, { header, staleAt: now + tokenSeconds * 500 });
            return header;
          };

          const send: PushChannel["send"] = ({ address, content, id }, tell) => {
            const { endpoint, keys } = address as Subscription;
            const url = new URL(endpoint);
            let encrypted: Buffer;
            try {
              encrypted = encryptForBrowser(payload(id, content), {
                p256dh: Buffer.from(keys.p256dh, "base64"),
                auth: Buffer.from(keys.auth, "base64"),
              });
            } catch {
              tell(badKey);
              return nothingToGiveUp;
            }
            const headers = [
              "authorization",
              authorization(url.origin, clock.currentTimeMillisUnsafe()),
              "content-encoding",
              "aes128gcm",
              "content-type",
              "application/octet-stream",
              "ttl",
              String(keptSeconds),
              "urgency",
              "high",
              "topic",
              topicOf(id),
            ];
            const request = { url, headers, body: encrypted };
            const begun = connections.begin(request, (result) => {
              tell("status" in result ? classify(url.host, result) : result.outcome);
            });
            if (begun !== null) return begun;
            tell(
              Effect.match(connections.post(request), {
                onFailure: ({ outcome }) => outcome,
                onSuccess: (answer) => classify(url.host, answer),
              }),
            );
            return nothingToGiveUp;
          };
          return { send, serviceOf };
        }),
      });
    }),
  );
}
