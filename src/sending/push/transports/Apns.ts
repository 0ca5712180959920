import { Clock, Context, Effect, Layer, Option, Schema, Scope } from "effect";
import { createPrivateKey } from "node:crypto";
import { OutgoingRequests } from "../../../outgoing/OutgoingRequests.ts";
import { retryAfterMillis } from "../../../outgoing/RetryAfter.ts";
import { type PayloadFormat, payloadLimit, payloadsOf, pushPayload } from "../PushPayload.ts";
import { http2Streams } from "./ApnsSessions.ts";
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
  ttlSeconds,
} from "./PushTransport.ts";
import { NotProcessed, type StreamResponse } from "./StreamExchange.ts";

/** Apple accepts a token for up to 60 minutes, and a new one after 20 at the earliest. */
const tokenMillis = 40 * 60_000;
/** How often a push that the server did not process is sent again at once. */
const maxResends = 5;

/** The payload of APNs. */
export const apnsFormat: PayloadFormat = {
  write: (id, content) =>
    JSON.stringify({
      aps: {
        alert: { title: content.headline, body: content.body },
        sound: "default",
        // Lets the app's extension add the image to the notification.
        ...(content.media === null ? {} : { "mutable-content": 1 }),
      },
      waypost: pushPayload(id, content),
    }),
  limit: payloadLimit,
};
const payload = payloadsOf(apnsFormat);

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
          const fixed = [
            "content-type",
            "application/json",
            "apns-push-type",
            "alert",
            "apns-priority",
            "10",
          ];
          const headersOf = ({ address, id }: Push, token: string, now: number): ReadonlyArray<string> => {
            const device = address as ApnsAddress;
            return [
              ...target,
              ":path",
              `${path}/3/device/${encodeURIComponent(device.token)}`,
              ...fixed,
              "authorization",
              `bearer ${token}`,
              "apns-id",
              id,
              // A repeated push replaces the first one on the device.
              "apns-collapse-id",
              id,
              "apns-topic",
              device.topic ?? topic,
              "apns-expiration",
              String(Math.floor(now / 1000) + ttlSeconds),
            ];
          };

          /** Waits for a connection, and sends again what the server did not process. */
          const sendWhenReady = (push: Push, token: string): Effect.Effect<PushOutcome> =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              streams.exchange(headersOf(push, token, now), payload(push.id, push.content)),
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
            const started = streams.begin(headers, payload(push.id, push.content), (result) => {
              if ("headers" in result) report(classify(result, clock.currentTimeMillisUnsafe()));
              else
                report(result instanceof NotProcessed ? sendWhenReady(push, token) : outcomeOfError(result));
            });
            if (started !== null) return started;
            report(sendWhenReady(push, token));
            return nothingToCancel;
          };
          return { send: yield* sendWithToken(issue, attempt) };
        }),
      });
    }),
  );
}
