import { Clock, Context, Effect, Layer, Option, Schema } from "effect";
import { createPrivateKey } from "node:crypto";
import type { HttpResponse } from "../../../outgoing/HttpExchange.ts";
import { OutgoingRequests } from "../../../outgoing/OutgoingRequests.ts";
import {
  lifetimeOf,
  type PayloadFormat,
  payloadLimit,
  payloadsOf,
  type PushContent,
  type PushLifetime,
  pushPayload,
} from "../PushPayload.ts";
import { apnsPriority, apsOptions } from "./Apns.ts";
import { collapseId } from "./CollapseKey.ts";
import { jsonWebToken } from "./JsonWebToken.ts";
import { googleAddress, googleTokenAddress } from "../../credentials/ProviderAddresses.ts";
import { sendWithToken } from "./ProviderToken.ts";
import {
  accepted,
  type Cancel,
  loggableCode,
  outcomeOfError,
  outcomeOfStatus,
  type Push,
  type PushOutcome,
  type PushTransport,
  type Report,
  sendByRequest,
} from "./PushTransport.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** How long before its expiry a token is replaced. */
const earlyMillis = 5 * 60_000;
/** Bytes kept free for the device's token, which is about 170 bytes and counts as part of the message. */
const tokenBytes = 256;

/** The part of a message for Android, with the options of contract T3. */
const androidOf = (id: string, { push }: PushContent, { seconds }: PushLifetime) => {
  const key = push?.collapse_key ?? null;
  const isSilent = push?.silent === true;
  const priority = push?.priority ?? (isSilent ? "normal" : "high");
  return {
    ...(key !== null && { collapse_key: key }),
    priority: priority.toUpperCase(),
    ttl: `${seconds}s`,
    ...(!isSilent && {
      notification: {
        // A push replaces an earlier one with the same tag: a repeated one the first.
        tag: key ?? id,
        ...(push !== null && push.sound !== null && push.sound !== "none" && { sound: push.sound }),
        ...(push !== null && push.badge !== null && { notification_count: push.badge }),
        ...(push !== null && push.channel_id !== null && { channel_id: push.channel_id }),
        ...(push !== null && push.category !== null && { click_action: push.category }),
      },
    }),
  };
};

/** The part of a message for iPhones behind FCM, with the options that APNs gives them (contract T3). */
const iosOf = (id: string, content: PushContent, image: string | null, { expiresAt }: PushLifetime) => {
  const { push } = content;
  const key = push?.collapse_key ?? null;
  const aps = {
    ...(image !== null && push?.silent !== true && { "mutable-content": 1 }),
    ...apsOptions(content),
  };
  return {
    headers: {
      "apns-collapse-id": key === null ? id : collapseId(key),
      ...(push?.silent === true && { "apns-push-type": "background" }),
      ...((push?.silent === true || (push?.priority ?? null) !== null) && {
        "apns-priority": apnsPriority(content),
      }),
      ...((push?.ttl_seconds ?? null) !== null && { "apns-expiration": String(expiresAt) }),
    },
    ...(Object.keys(aps).length > 0 && { payload: { aps } }),
    ...(image !== null && push?.silent !== true && { fcm_options: { image } }),
  };
};

/** A message as JSON after the device's address. */
const messageParts: PayloadFormat["write"] = (id, content, lifetime) => {
  const { body, headline, media, push } = content;
  const image = media?.type === "image" ? media.url : null;
  const message = {
    ...(push?.silent !== true && {
      notification: { title: headline, body, ...(image === null ? {} : { image }) },
    }),
    data: { ...push?.data, waypost: JSON.stringify(pushPayload(id, content)) },
    android: androidOf(id, content, lifetime),
    apns: iosOf(id, content, image, lifetime),
  };
  return `${JSON.stringify(message).slice(1)}}`;
};
/** The payload of FCM, without the device's address and the brace before it. */
export const fcmFormat: PayloadFormat = { write: messageParts, limit: payloadLimit - tokenBytes };
const payload = payloadsOf(fcmFormat);

const TokenResponse = Schema.fromJsonString(
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

const decodeError = Schema.decodeUnknownOption(FcmError);

/** FCM's own code for an error, else the general one of Google's APIs; empty if there is none. */
const codeOf = (text: string): string => {
  const error = Option.getOrNull(decodeError(text))?.error;
  const specific = error?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode;
  return loggableCode(specific ?? error?.status);
};

const classify = ({ body, retryAfter, status }: HttpResponse): PushOutcome => {
  if (status === 200) return accepted;
  const code = codeOf(body.toString());
  const reason = `FCM answered with status ${status}${code === "" ? "" : ` (${code})`}.`;
  // Firebase itself has no valid APNs or Web Push key: devices of other platforms get their pushes.
  if (status === 401)
    return { _tag: "Unauthorized", reason, ...(code === "THIRD_PARTY_AUTH_ERROR" && { isOfPlatform: true }) };
  return code === "UNREGISTERED"
    ? { _tag: "Gone", reason }
    : outcomeOfStatus("FCM", status, code, retryAfter);
};

/** Firebase Cloud Messaging: HTTP v1 API with OAuth 2 access tokens of the service account (RFC 7523). */
export class Fcm extends Context.Service<Fcm, PushTransport<"fcm">>()("waypost/sending/transports/Fcm") {
  static readonly layer = Layer.effect(
    Fcm,
    Effect.gen(function* () {
      const requests = yield* OutgoingRequests;
      return Fcm.of({
        open: Effect.fnUntraced(function* ({ base_url, service_account }) {
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
            const answer = yield* requests.send({
              url: tokenUrl,
              headers: ["content-type", "application/x-www-form-urlencoded"],
              body: form,
            });
            const { retryAfter, status } = answer;
            const text = answer.body.toString();
            if (status !== 200) return yield* Effect.fail(yield* refusedToken(status, text, retryAfter));
            const { access_token, expires_in } = yield* Schema.decodeUnknownEffect(TokenResponse)(text);
            const lifetime = expires_in * 1000;
            return {
              value: access_token,
              staleAt: now + Math.max(lifetime - earlyMillis, lifetime / 2),
            };
          }).pipe(
            Effect.catchTags({
              NotReached: (error) => Effect.fail(outcomeOfError(error)),
              SchemaError: () =>
                Effect.fail<PushOutcome>({
                  _tag: "Unavailable",
                  reason: `${tokenUrl.host} answered without a readable access token.`,
                  retryAfter: null,
                }),
            }),
          );

          const clock = yield* Clock.Clock;
          const attempt = (
            { address, content, firstAt, id }: Push,
            token: string,
            report: Report,
          ): Cancel => {
            const { fid, token: device } = address as { readonly token?: string; readonly fid?: string };
            const to = JSON.stringify(fid === undefined ? { token: device } : { fid }).slice(0, -1);
            const lifetime = lifetimeOf(content, firstAt, clock.currentTimeMillisUnsafe());
            const body = `{"message":${to},${payload.write(id, content, lifetime)}`;
            const headers = ["authorization", `Bearer ${token}`, "content-type", "application/json"];
            return sendByRequest(requests, { url, headers, body }, classify, report);
          };
          const cutOf = (content: PushContent) => payload.shortened(content).cut;
          return { send: yield* sendWithToken(issue, attempt), cutOf };
        }),
      });
    }),
  );
}

/** A refused token request means bad credentials. An unavailable token address can be retried. */
const refusedToken = (status: number, text: string, retryAfter: number | null): Effect.Effect<PushOutcome> =>
  Effect.match(Schema.decodeUnknownEffect(TokenRefusal)(text), {
    onFailure: () => "",
    onSuccess: ({ error }) => loggableCode(error),
  }).pipe(
    Effect.map((code) => {
      const outcome = outcomeOfStatus("The token address of the service account", status, code, retryAfter);
      if (outcome._tag === "Refused") return { ...outcome, _tag: "Unauthorized" };
      return outcome._tag === "Accepted"
        ? { _tag: "Unavailable", reason: `The token address answered with status ${status}.`, retryAfter }
        : outcome;
    }),
  );
