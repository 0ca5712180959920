import { Clock, Context, Effect, Layer, Option, Schema, Scope } from "effect";
import { createPrivateKey } from "node:crypto";
import { OutgoingRequests } from "../../../outgoing/OutgoingRequests.ts";
import { retryAfterMillis } from "../../../outgoing/RetryAfter.ts";
import {
  lifetimeOf,
  type PayloadFormat,
  payloadLimit,
  payloadsOf,
  type PushContent,
  pushPayload,
} from "../PushPayload.ts";
import { http2Streams } from "./ApnsSessions.ts";
import { collapseId } from "./CollapseKey.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import { appleAddress } from "../../credentials/ProviderAddresses.ts";
import { sendWithToken } from "./ProviderToken.ts";
import {
  accepted,
  type Cancel,
  loggableCode,
  nothingToCancel,
  outcomeOfError,
  outcomeOfStatus,
  type Push,
  type PushOutcome,
  type PushTransport,
  type Report,
} from "./PushTransport.ts";
import { NotProcessed, type StreamResponse } from "./StreamExchange.ts";

/** Apple accepts a token for up to 60 minutes, and a new one after 20 at the earliest. */
const tokenMillis = 40 * 60_000;
/** How often a push that the server did not process is sent again at once. */
const maxResends = 5;

/** The members of `aps` that options set (contract T3): those of a silent push are all of it. */
export const apsOptions = ({ push }: PushContent): Readonly<Record<string, unknown>> => {
  if (push === null) return {};
  if (push.silent === true) return { "content-available": 1 };
  return {
    ...(push.sound !== null && push.sound !== "none" && { sound: push.sound }),
    ...(push.badge !== null && { badge: push.badge }),
    ...(push.interruption_level !== null && { "interruption-level": push.interruption_level }),
    ...(push.category !== null && { category: push.category }),
  };
};

/** The priority of a push for APNs. A push that shows nothing must have 5. */
export const apnsPriority = ({ push }: PushContent): "5" | "10" =>
  push?.silent === true || push?.priority === "normal" ? "5" : "10";

const apsOf = (content: PushContent) =>
  content.push?.silent === true
    ? apsOptions(content)
    : {
        alert: { title: content.headline, body: content.body },
        ...(content.push?.sound !== "none" && { sound: "default" }),
        // Lets the app's extension add the image to the notification.
        ...(content.media === null ? {} : { "mutable-content": 1 }),
        ...apsOptions(content),
      };

/** The payload of APNs. */
export const apnsFormat: PayloadFormat = {
  write: (id, content) =>
    JSON.stringify({ ...content.push?.data, aps: apsOf(content), waypost: pushPayload(id, content) }),
  limit: payloadLimit,
};
const payload = payloadsOf(apnsFormat);
/** The lifetime is in a header. */
const noLifetime = { seconds: 0, expiresAt: 0 };

const ApnsError = Schema.fromJsonString(Schema.Struct({ reason: Schema.String }));
const decodeError = Schema.decodeUnknownOption(ApnsError);

const classify = ({ headers, text }: StreamResponse, now: number): PushOutcome => {
  const status = Number(headers[":status"] ?? 0);
  if (status === 200) return accepted;
  const code = loggableCode(Option.getOrNull(decodeError(text))?.reason);
  const reason = `APNs answered with status ${status}${code === "" ? "" : ` (${code})`}.`;
  if (status === 410) return { _tag: "Gone", reason };
  if (status === 403) return { _tag: "Unauthorized", reason };
  return outcomeOfStatus("APNs", status, code, retryAfterMillis(headers["retry-after"], now));
};

interface ApnsAddress {
  readonly token: string;
  readonly topic?: string | null;
}

/** Apple Push Notification service over HTTP/2, with tokens signed by the team's key (ES256). */
export class Apns extends Context.Service<Apns, PushTransport<"apns">>()("waypost/sending/transports/Apns") {
  static readonly layer = Layer.effect(
    Apns,
    Effect.gen(function* () {
      const { addressesOf } = yield* OutgoingRequests;
      const scope = yield* Scope.Scope;
      return Apns.of({
        open: Effect.fnUntraced(function* ({ base_url, key_id, private_key, team_id, topic }) {
          const key = createPrivateKey(private_key);
          const base = new URL(base_url ?? appleAddress);
          const path = base.pathname.replace(/\/+$/, "");
          const streams = yield* Scope.provide(http2Streams(base, addressesOf), scope);
          const clock = yield* Clock.Clock;

          const issue = Effect.map(Clock.currentTimeMillis, (now) => ({
            value: jsonWebToken(
              { alg: "ES256", kid: key_id },
              { iss: team_id, iat: Math.floor(now / 1000) },
              key,
            ),
            staleAt: now + tokenMillis,
          }));

          const target = [":method", "POST", ":scheme", base.protocol.slice(0, -1), ":authority", base.host];
          const headersOf = (sent: Push, token: string, now: number): ReadonlyArray<string> => {
            const { content, firstAt, id } = sent;
            const device = sent.address as ApnsAddress;
            const key = content.push?.collapse_key ?? null;
            return [
              ...target,
              ":path",
              `${path}/3/device/${encodeURIComponent(device.token)}`,
              "content-type",
              "application/json",
              "apns-push-type",
              content.push?.silent === true ? "background" : "alert",
              "apns-priority",
              apnsPriority(content),
              "authorization",
              `bearer ${token}`,
              "apns-id",
              id,
              // A repeated push replaces the first one on the device.
              "apns-collapse-id",
              key === null ? id : collapseId(key),
              "apns-topic",
              device.topic ?? topic,
              "apns-expiration",
              String(lifetimeOf(content, firstAt, now).expiresAt),
            ];
          };

          const bodyOf = ({ content, id }: Push): string => payload.write(id, content, noLifetime);

          /** Waits for a connection, and sends again what the server did not process. */
          const sendWhenReady = (push: Push, token: string): Effect.Effect<PushOutcome> =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              streams.exchange(headersOf(push, token, now), bodyOf(push)),
            ).pipe(
              Effect.map((response) => classify(response, clock.currentTimeMillisUnsafe())),
              Effect.retry({ times: maxResends, while: (error) => error instanceof NotProcessed }),
              Effect.catchTags({
                NotReached: (error) => Effect.succeed(outcomeOfError(error)),
                NotProcessed: () =>
                  Effect.succeed<PushOutcome>({
                    _tag: "Unavailable",
                    reason: `${base.host} processed the push on no connection.`,
                    retryAfter: null,
                  }),
              }),
            );

          const attempt = (push: Push, token: string, report: Report): Cancel => {
            const headers = headersOf(push, token, clock.currentTimeMillisUnsafe());
            const started = streams.begin(headers, bodyOf(push), (result) => {
              if ("headers" in result) report(classify(result, clock.currentTimeMillisUnsafe()));
              else
                report(result instanceof NotProcessed ? sendWhenReady(push, token) : outcomeOfError(result));
            });
            if (started !== null) return started;
            report(sendWhenReady(push, token));
            return nothingToCancel;
          };
          const cutOf = (content: PushContent) => payload.shortened(content).cut;
          return { send: yield* sendWithToken(issue, attempt), cutOf };
        }),
      });
    }),
  );
}
