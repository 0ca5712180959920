import { Clock, Context, Effect, Layer, Option, Schema } from "effect";
import { createPrivateKey } from "node:crypto";
import { payloadLimit, payloadsOf, type PushContent, pushPayload } from "../PushPayload.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import { sendWithToken } from "./ProviderToken.ts";
import { PushConnections, type ServiceAnswer } from "./PushConnections.ts";
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
  type Told,
} from "./PushTransport.ts";
import { googleAddress, googleTokenAddress } from "./ProviderAddresses.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** A token is asked for anew so long before it ends. */
const earlyMillis = 5 * 60_000;
/** Tokens of devices are about 170 bytes long: they count as part of the message. */
const roomForToken = 256;

/** Everything of a message but the device's token. */
const messageParts = (id: string, content: PushContent): string => {
  const { body, headline, media } = content;
  const image = media?.type === "image" ? media.url : null;
  const message = {
    notification: { title: headline, body, ...(image === null ? {} : { image }) },
    data: { waypost: JSON.stringify(pushPayload(id, content)) },
    // A push that is repeated takes the place of the first one, should both arrive.
    android: { priority: "HIGH", ttl: `${keptSeconds}s`, notification: { tag: id } },
    apns: {
      headers: { "apns-collapse-id": id },
      ...(image === null ? {} : { payload: { aps: { "mutable-content": 1 } }, fcm_options: { image } }),
    },
  };
  return `${JSON.stringify(message).slice(1)}}`;
};
const payload = payloadsOf(messageParts, payloadLimit - roomForToken);

const TokenAnswer = Schema.fromJsonString(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.Finite }),
);
const TokenRefusal = Schema.fromJsonString(Schema.Struct({ error: Schema.String }));
const FcmError = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Struct({
      status: Schema.optionalKey(Schema.String),
      details: Schema.optionalKey(
        Schema.Array(Schema.Struct({ errorCode: Schema.optionalKey(Schema.String) })),
      ),
    }),
  }),
);

const errorIn = Schema.decodeUnknownOption(FcmError);

/** The code that FCM gives for an error, its own rather than the general one of Google's services; empty where there is none. */
const errorCode = (text: string): string =>
  Option.match(errorIn(text), {
    onNone: () => "",
    onSome: ({ error }) =>
      wordOf(error.details?.find(({ errorCode: code }) => code !== undefined)?.errorCode ?? error.status),
  });

const classify = ({ retryAfter, status, text }: ServiceAnswer): PushOutcome => {
  if (status === 200) return accepted;
  const code = errorCode(text);
  const reason = `FCM answered with status ${status}${code === "" ? "" : ` (${code})`}.`;
  if (status === 401) return { _tag: "Unauthorized", reason };
  return code === "UNREGISTERED" ? { _tag: "Gone", reason } : outcomeOf("FCM", status, code, retryAfter);
};

/** Firebase Cloud Messaging: its HTTP v1 interface, with tokens for the service account over OAuth 2 (RFC 7523). */
export class Fcm extends Context.Service<Fcm, PushTransport<"fcm">>()("waypost/sending/transports/Fcm") {
  static readonly layer = Layer.effect(
    Fcm,
    Effect.gen(function* () {
      const connections = yield* PushConnections;
      return Fcm.of({
        open: ({ base_url, service_account }) => {
          const { client_email, private_key, private_key_id, project_id, token_uri } = service_account;
          const key = createPrivateKey(private_key);
          const audience = token_uri ?? googleTokenAddress;
          const tokenUrl = new URL(audience);
          const base = (base_url ?? googleAddress).replace(/\/+$/, "");
          const url = new URL(`${base}/v1/projects/${encodeURIComponent(project_id)}/messages:send`);

          const issue = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis;
            const iat = Math.floor(now / 1000);
            const assertion = jsonWebToken(
              { alg: "RS256", typ: "JWT", ...(private_key_id ? { kid: private_key_id } : {}) },
              { iss: client_email, scope, aud: audience, iat, exp: iat + 3600 },
              key,
            );
            const form = new URLSearchParams({ grant_type: grant, assertion }).toString();
            const { retryAfter, status, text } = yield* connections.post({
              url: tokenUrl,
              headers: ["content-type", "application/x-www-form-urlencoded"],
              body: form,
            });
            if (status !== 200) return yield* Effect.fail(yield* refusedToken(status, text, retryAfter));
            const { access_token, expires_in } = yield* Schema.decodeUnknownEffect(TokenAnswer)(text);
            const lifetime = expires_in * 1000;
            return {
              value: access_token,
              staleAt: now + Math.max(lifetime - earlyMillis, lifetime / 2),
            };
          }).pipe(
            Effect.catchTags({
              NotReached: ({ outcome }) => Effect.fail(outcome),
              SchemaError: () =>
                Effect.fail<PushOutcome>({
                  _tag: "Unavailable",
                  reason: `${tokenUrl.host} gave no access token that could be read.`,
                  retryAfter: null,
                }),
            }),
          );

          const attempt = (
            { address, content, id }: Push,
            token: string,
            tell: (told: Told) => void,
          ): GiveUp => {
            const to = JSON.stringify((address as { readonly token: string }).token);
            const body = `{"message":{"token":${to},${payload(id, content)}`;
            const headers = ["authorization", `Bearer ${token}`, "content-type", "application/json"];
            const request = { url, headers, body };
            const begun = connections.begin(request, (result) => {
              tell("status" in result ? classify(result) : result.outcome);
            });
            if (begun !== null) return begun;
            tell(
              Effect.match(connections.post(request), {
                onFailure: ({ outcome }) => outcome,
                onSuccess: classify,
              }),
            );
            return nothingToGiveUp;
          };
          return Effect.map(sendWithToken(issue, attempt), (send) => ({ send }));
        },
      });
    }),
  );
}

/** A token that is refused speaks of the credentials; one that cannot be had now is worth another try. */
const refusedToken = (status: number, text: string, retryAfter: number | null): Effect.Effect<PushOutcome> =>
  Effect.match(Schema.decodeUnknownEffect(TokenRefusal)(text), {
    onFailure: () => "",
    onSuccess: ({ error }) => wordOf(error),
  }).pipe(
    Effect.map((code) => {
      const outcome = outcomeOf("The token address of the service account", status, code, retryAfter);
      return outcome._tag === "Refused"
        ? { ...outcome, _tag: "Unauthorized" }
        : outcome._tag === "Accepted"
          ? { _tag: "Unavailable", reason: `The token address answered with status ${status}.`, retryAfter }
          : outcome;
    }),
  );
