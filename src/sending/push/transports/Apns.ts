import { Clock, Context, Effect, Layer, Option, Schema, Scope } from "effect";
import { createPrivateKey } from "node:crypto";
import { payloadsOf, type PushContent, pushPayload } from "../PushPayload.ts";
import { http2Streams, NotProcessed, type StreamAnswer } from "./ApnsSessions.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import { sendWithToken } from "./ProviderToken.ts";
import { PushConnections } from "./PushConnections.ts";
import {
  accepted,
  wordOf,
  type GiveUp,
  keptSeconds,
  nothingToGiveUp,
  outcomeOf,
  type Push,
  type PushOutcome,
  type PushTransport,
  retryAfterMillis,
  type Told,
} from "./PushTransport.ts";
import { appleAddress } from "./ProviderAddresses.ts";

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
const reasonIn = Schema.decodeUnknownOption(ApnsError);

const classify = ({ headers, text }: StreamAnswer, now: number): PushOutcome => {
  const status = Number(headers[":status"] ?? 0);
  if (status === 200) return accepted;
  const detail = Option.match(reasonIn(text), { onNone: () => "", onSome: ({ reason }) => wordOf(reason) });
  const reason = `APNs answered with status ${status}${detail === "" ? "" : ` (${detail})`}.`;
  if (status === 410) return { _tag: "Gone", reason };
  if (status === 403) return { _tag: "Unauthorized", reason };
  return outcomeOf("APNs", status, detail, retryAfterMillis(headers["retry-after"], now));
};

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
          const same = ["content-type", "application/json", "apns-push-type", "alert", "apns-priority", "10"];
          const headersOf = ({ address, id }: Push, token: string, now: number): ReadonlyArray<string> => {
            const { token: device, topic: own } = address as ApnsAddress;
            return [
              ...target,
              ":path",
              `${path}/3/device/${encodeURIComponent(device)}`,
              ...same,
              "authorization",
              `bearer ${token}`,
              "apns-id",
              id,
              // A push that is repeated takes the place of the first one, should both arrive.
              "apns-collapse-id",
              id,
              "apns-topic",
              own ?? topic,
              "apns-expiration",
              String(Math.floor(now / 1000) + keptSeconds),
            ];
          };

          /** Waits for a connection, and sends again what the server has not looked at. */
          const retryForever = (push: Push, token: string): Effect.Effect<PushOutcome> =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              streams.exchange(headersOf(push, token, now), payload(push.id, push.content)),
            ).pipe(
              Effect.map((answer) => classify(answer, clock.currentTimeMillisUnsafe())),
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

          const attempt = (push: Push, token: string, tell: (told: Told) => void): GiveUp => {
            const headers = headersOf(push, token, clock.currentTimeMillisUnsafe());
            const begun = streams.begin(headers, payload(push.id, push.content), (result) => {
              if ("headers" in result) tell(classify(result, clock.currentTimeMillisUnsafe()));
              else tell(result instanceof NotProcessed ? retryForever(push, token) : result.outcome);
            });
            if (begun !== null) return begun;
            tell(retryForever(push, token));
            return nothingToGiveUp;
          };
          return { send: yield* sendWithToken(issue, attempt) };
        }),
      });
    }),
  );
}
