import { Clock, Context, Effect, Layer, Schema, Scope } from "effect";
import { createPrivateKey } from "node:crypto";
import { payloadsOf, type PushContent, pushPayload } from "../PushPayload.ts";
import { http2Streams, NotProcessed, type StreamAnswer } from "./ApnsSessions.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import { sendWithToken } from "./ProviderToken.ts";
import { PushConnections } from "./PushConnections.ts";
import {
  detailOf,
  outcomeOf,
  type Push,
  type PushOutcome,
  type PushTransport,
  retryAfterMillis,
  keptSeconds,
} from "./PushTransport.ts";
import { appleAddress } from "./ServiceAddresses.ts";

/** Apple wants a token that is at least 20 and at most 60 minutes old before the next. */
const tokenMillis = 40 * 60_000;
/** How often a push that the server has not looked at is sent again at once. */
const resends = 5;

const payload = payloadsOf((id: string, content: PushContent) =>
  JSON.stringify({
    aps: {
      alert: { title: content.headline, body: content.body },
      sound: "default",
      // Lets the app's extension put the picture to the message.
      ...(content.media === null ? {} : { "mutable-content": 1 }),
    },
    waypost: pushPayload(id, content),
  }),
);

const ApnsError = Schema.fromJsonString(Schema.Struct({ reason: Schema.String }));

const judge = Effect.fnUntraced(function* ({ headers, text }: StreamAnswer) {
  const status = Number(headers[":status"] ?? 0);
  if (status === 200) return { _tag: "Accepted" } satisfies PushOutcome;
  const detail = yield* Effect.match(Schema.decodeUnknownEffect(ApnsError)(text), {
    onFailure: () => "",
    onSuccess: ({ reason }) => detailOf(reason),
  });
  const reason = `APNs answered with status ${status}${detail === "" ? "" : ` (${detail})`}.`;
  if (status === 410) return { _tag: "Gone", reason } satisfies PushOutcome;
  if (status === 403) return { _tag: "Unauthorized", reason } satisfies PushOutcome;
  const retryAfter = retryAfterMillis(headers["retry-after"], yield* Clock.currentTimeMillis);
  return outcomeOf("APNs", status, detail, retryAfter);
});

interface ApnsAddress {
  readonly token: string;
  readonly topic?: string | null;
}

/** The Apple Push Notification service over HTTP/2, with tokens of the team's key (ES256). */
export class Apns extends Context.Service<Apns, PushTransport<"apns">>()("waypost/sending/transports/Apns") {
  static readonly layer = Layer.effect(
    Apns,
    Effect.gen(function* () {
      const { addressesOf } = yield* PushConnections;
      const scope = yield* Scope.Scope;
      return Apns.of({
        open: Effect.fnUntraced(function* ({ base_url, key_id, private_key, team_id, topic }) {
          const key = createPrivateKey(private_key);
          const base = new URL(base_url ?? appleAddress);
          const path = base.pathname.replace(/\/+$/, "");
          const exchange = yield* Scope.provide(http2Streams(base, addressesOf), scope);

          const issue = Effect.map(Clock.currentTimeMillis, (now) => ({
            value: jsonWebToken(
              { alg: "ES256", kid: key_id },
              { iss: team_id, iat: Math.floor(now / 1000) },
              key,
            ),
            staleAt: now + tokenMillis,
          }));

          const attempt = Effect.fnUntraced(function* ({ address, content, id }: Push, token: string) {
            const { token: device, topic: own } = address as ApnsAddress;
            const expiration = Math.floor((yield* Clock.currentTimeMillis) / 1000) + keptSeconds;
            const headers = {
              ":method": "POST",
              ":path": `${path}/3/device/${encodeURIComponent(device)}`,
              authorization: `bearer ${token}`,
              "content-type": "application/json",
              "apns-id": id,
              // A push that is repeated takes the place of the first one, should both arrive.
              "apns-collapse-id": id,
              "apns-topic": own ?? topic,
              "apns-push-type": "alert",
              "apns-priority": "10",
              "apns-expiration": String(expiration),
            };
            return yield* judge(yield* exchange(headers, payload(id, content)));
          });

          const patient = (push: Push, token: string): Effect.Effect<PushOutcome> =>
            attempt(push, token).pipe(
              Effect.retry({ times: resends, while: (error) => error instanceof NotProcessed }),
              Effect.catchTags({
                NotReached: ({ outcome }) => Effect.succeed(outcome),
                NotProcessed: () =>
                  Effect.succeed<PushOutcome>({
                    _tag: "Unavailable",
                    reason: `${base.host} took no push on any connection.`,
                    retryAfter: null,
                  }),
              }),
            );
          return { send: yield* sendWithToken(issue, patient) };
        }),
      });
    }),
  );
}
