import { Clock, Context, Effect, Layer } from "effect";
import { createPrivateKey } from "node:crypto";
import type { HttpResponse } from "../../../outgoing/HttpExchange.ts";
import { OutgoingRequests } from "../../../outgoing/OutgoingRequests.ts";
import { lifetimeOf, type PayloadFormat, payloadsOf, type PushContent, pushPayload } from "../PushPayload.ts";
import { topicOfKey } from "./CollapseKey.ts";
import { EncryptionThreadSettings } from "./EncryptionThread.ts";
import { EncryptionFailed, EncryptionThreads } from "./EncryptionThreads.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import {
  type Cancel,
  outcomeOfStatus,
  type PushChannel,
  type PushOutcome,
  type PushTransport,
  sendByRequest,
} from "./PushTransport.ts";
import { plaintextLimit } from "./WebPushEncryption.ts";

/** RFC 8292 allows 24 hours. A token is used for half of its lifetime. */
const tokenSeconds = 12 * 3600;
const maxOrigins = 1_000;

const isWebAddress = (address: string | null): address is string =>
  address !== null && /^https?:\/\//i.test(address);

/** The notification of a declarative push message, as the Push API describes it (contract T4). */
const notificationOf = ({ body, headline, language, media, push }: PushContent, navigate: string) => {
  const actions = (push?.actions ?? []).flatMap(({ id, title, url }) =>
    isWebAddress(url) ? [{ action: id, title, navigate: url }] : [],
  );
  return {
    title: headline,
    body,
    navigate,
    ...(language !== null && { lang: language }),
    ...(media?.type === "image" && media.url !== null && { image: media.url }),
    ...(push?.sound === "none" && { silent: true }),
    ...(actions.length > 0 && { actions }),
  };
};

/** The payload of Web Push, before it is encrypted. `defaultUrl` is that of the transport. */
export const webPushFormat = (defaultUrl: string | null): PayloadFormat => {
  const navigateOf = ({ cta_url, isPlain, push }: PushContent): string | null =>
    isPlain === true || push?.silent === true ? null : ([cta_url, defaultUrl].find(isWebAddress) ?? null);
  return {
    write: (id, content) => {
      const { push } = content;
      const navigate = navigateOf(content);
      return JSON.stringify({
        ...pushPayload(id, content),
        ...(push?.data && { data: push.data }),
        ...(push?.silent === true && { silent: true }),
        ...(navigate !== null && {
          web_push: 8030,
          notification: notificationOf(content, navigate),
          ...(push !== null && push.badge !== null && { app_badge: push.badge }),
        }),
      });
    },
    limit: plaintextLimit,
    isDeclarative: (content) => navigateOf(content) !== null,
  };
};

/** A subscription as the device registered it (base64url, or base64 as some libraries write it). */
interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** A push replaces an earlier one with the same topic (RFC 8030, section 5.4). */
const topicOf = (id: string): string => id.replaceAll("-", "");

/** Scheme, host and port of a subscription. */
const serviceOf = (address: unknown): string => {
  const { endpoint } = (address ?? {}) as Partial<Subscription>;
  return typeof endpoint === "string" ? endpoint.split("/", 3).join("/") : "";
};

const classify = (host: string, { retryAfter, status }: HttpResponse): PushOutcome => {
  if (status === 404 || status === 410) {
    return { _tag: "Gone", reason: `${host} answered with status ${status}: the subscription has ended.` };
  }
  const detail = status >= 300 && status < 400 ? "redirects are not followed" : "";
  return outcomeOfStatus(host, status, detail, retryAfter);
};

const badKey: PushOutcome = {
  _tag: "Refused",
  reason: "The device's p256dh key is no public key: it must register its subscription again.",
};

/** Web Push: encrypted for the browser (RFC 8291), sent to its push service (RFC 8030), VAPID (RFC 8292). */
export class WebPush extends Context.Service<WebPush, PushTransport<"webpush">>()(
  "waypost/sending/transports/WebPush",
) {
  static readonly layer = Layer.effect(
    WebPush,
    Effect.gen(function* () {
      const requests = yield* OutgoingRequests;
      const threads = yield* Effect.acquireRelease(
        Effect.map(EncryptionThreadSettings, (settings) => new EncryptionThreads(settings)),
        (made) => Effect.sync(() => made.stop()),
      );
      return WebPush.of({
        open: Effect.fnUntraced(function* ({ default_url = null, private_key, public_key, subject }) {
          const format = webPushFormat(default_url);
          const payload = payloadsOf(format);
          const clock = yield* Clock.Clock;
          const key = createPrivateKey(private_key);
          const tokens = new Map<string, { readonly header: string; readonly staleAt: number }>();

          /** Signing costs as much as the rest of a push, so a token is reused for hours. */
          const authorization = (origin: string, now: number): string => {
            const cached = tokens.get(origin);
            if (cached !== undefined && now < cached.staleAt) return cached.header;
            // Devices register arbitrary endpoints.
            if (tokens.size >= maxOrigins) tokens.clear();
            const exp = Math.floor(now / 1000) + tokenSeconds;
            const token = jsonWebToken({ typ: "JWT", alg: "ES256" }, { aud: origin, exp, sub: subject }, key);
            const header = `vapid t=${token}, k=${public_key}`;
            tokens.set(origin, { header, staleAt: now + tokenSeconds * 500 });
            return header;
          };

          const send: PushChannel["send"] = ({ address, content, firstAt, id }, report) => {
            const { endpoint, keys } = address as Subscription;
            const url = new URL(endpoint);
            const { push } = content;
            const now = clock.currentTimeMillisUnsafe();
            const lifetime = lifetimeOf(content, firstAt, now);
            const isDeclarative = format.isDeclarative?.(payload.shortened(content).content) === true;
            const key = push?.collapse_key ?? null;
            const headers = [
              "authorization",
              authorization(url.origin, now),
              "content-encoding",
              "aes128gcm",
              "content-type",
              isDeclarative ? "application/notification+json" : "application/octet-stream",
              "ttl",
              String(lifetime.seconds),
              "urgency",
              push?.priority ?? (push?.silent === true ? "low" : "high"),
              "topic",
              key === null ? topicOf(id) : topicOfKey(key),
            ];
            const sendEncrypted = (body: Uint8Array): Cancel =>
              sendByRequest(
                requests,
                { url, headers, body },
                (response) => classify(url.host, response),
                report,
              );
            let cancel = threads.encrypt({ text: payload.write(id, content, lifetime), ...keys }, (body) => {
              if (body === null) report(badKey);
              else if (body instanceof EncryptionFailed) report(Effect.die(body));
              else cancel = sendEncrypted(body);
            });
            return () => cancel();
          };
          return { send, serviceOf, cutOf: (content) => payload.shortened(content).cut };
        }),
      });
    }),
  );
}
