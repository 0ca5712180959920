import { Effect } from "effect";
import { createPublicKey, verify } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Arrivals } from "../../Arrivals.ts";
import { readAll } from "../../Listening.ts";
import { localServer } from "../../notifications/LocalServer.ts";
import { browserSubscription, readVapid } from "./BrowserCrypto.ts";
import { fcmCredentials, rsaKey, webPushCredentials } from "./PushKeys.ts";

/** A push as the provider received it. */
export interface LedgerEntry {
  /** The id for the provider: `apns-id`, the Topic, or `id` of the payload. */
  readonly id: string;
  /** The address of the device, abbreviated. */
  readonly to: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The payload for the app (contract L8). */
  readonly payload: any;
  /** The notification as the operating system shows it, if the provider knows it. */
  readonly shown: any;
  /** The whole JSON, as the service got it. */
  readonly body: any;
  /** Its size, as the limit counts it. */
  readonly bytes: number;
}

/** How a provider responds to a push. */
export type Behaviour =
  | "accept"
  | "gone"
  | "unauthorized"
  | "hang"
  | "reset"
  | "goaway"
  | {
      readonly status: number;
      readonly retryAfter?: string;
      readonly location?: string;
      /** FCM's own code of the error. */
      readonly errorCode?: string;
      /**
       * Echoes the request in body, headers and location: credentials, address and
       * all.
       */
      readonly echo?: boolean;
    };

/** A local push provider that speaks the real protocol, validates requests, and records pushes. */
export interface LocalService {
  readonly transport: "fcm" | "apns" | "webpush";
  /** The credentials for the operator interface. */
  readonly credentials: object;
  /** The address of a device, as its app registers it. */
  readonly address: (name: string) => Promise<object>;
  readonly ledger: Array<LedgerEntry>;
  /** Sets its behaviour from now on, by the number of pushes received before (from 0). */
  readonly answer: (behave: (number: number, entry: LedgerEntry) => Behaviour) => void;
  /** Holds back all responses from now on. The result releases them with the given behaviour. */
  readonly hold: (behaviour: Behaviour) => () => void;
  /** Waits until it has received so many pushes. */
  readonly arrived: (count: number) => Effect.Effect<void>;
  /** Protocol errors in the requests. */
  readonly complaints: Array<string>;
  /** Tokens that it issued or first saw. */
  readonly tokens: Array<string>;
  /** `fcm` only: the status of the token address; null to issue tokens. */
  readonly refuseTokens: (status: number | null) => void;
  /** `apns` only: the number of connections so far. */
  readonly sessions: () => number;
}

/** The header (0) or the claims (1) of a JSON Web Token. */
export const part = (token: string, at: number) =>
  JSON.parse(Buffer.from(token.split(".")[at] ?? "", "base64url").toString());
/** Whether a JSON Web Token is signed with the key. */
export const isSigned = (token: string, pem: string) => {
  const [header = "", claims = "", signature = ""] = token.split(".");
  return verify(
    "sha256",
    Buffer.from(`${header}.${claims}`),
    { key: createPublicKey(pem), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
};

/** The state of every local provider: ledger, complaints and behaviour. */
export const makeLedger = () => {
  let behave: (number: number, entry: LedgerEntry) => Behaviour = () => "accept";
  let held: Promise<Behaviour> | null = null;
  const arrivals = new Arrivals<LedgerEntry>("pushes");
  const ledger = arrivals.entries;
  const complaints: Array<string> = [];
  return {
    ledger,
    complaints,
    answer: (next: typeof behave) => {
      behave = next;
    },
    expect: (isSo: boolean, what: string) => {
      if (!isSo && !complaints.includes(what)) complaints.push(what);
    },
    hold: (behaviour: Behaviour) => {
      const { promise, resolve } = Promise.withResolvers<Behaviour>();
      held = promise;
      return () => {
        held = null;
        resolve(behaviour);
      };
    },
    arrived: (count: number) => arrivals.arrived(count),
    /** Records a push and returns the behaviour for it. */
    enter: (entry: LedgerEntry): Promise<Behaviour> => {
      const behaviour = behave(ledger.length, entry);
      arrivals.add(entry);
      return held ?? Promise.resolve(behaviour);
    },
  };
};

/** A web server; gives its origin. */
const webServer = (handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) =>
  Effect.map(
    localServer((request, response) => {
      handle(request, response).catch((error: unknown) => {
        response.writeHead(599).end(String(error));
      });
    }),
    ({ port }) => `http://127.0.0.1:${port}`,
  );

/** Responds over HTTP/1.1 with a behaviour; `words` has the provider's own statuses and bodies. */
const reply = (
  response: ServerResponse,
  behaviour: Behaviour,
  words: Readonly<Record<"accept" | "gone" | "unauthorized", readonly [number, string]>>,
): void => {
  if (behaviour === "hang") return;
  if (behaviour === "reset" || behaviour === "goaway") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (typeof behaviour === "string") {
    const [status, body] = words[behaviour];
    response.writeHead(status, { "content-type": "application/json" }).end(body);
    return;
  }
  const { echo, errorCode, location, retryAfter, status } = behaviour;
  if (echo === true) {
    const { headers, url } = response.req;
    const said = `${headers.authorization} ${url}`;
    response.writeHead(status, {
      "retry-after": said,
      "x-echo": said,
      location: `http://127.0.0.1:1/?${encodeURIComponent(said)}`,
    });
    const error = { message: said, status: said, details: [{ errorCode: said }] };
    response.end(JSON.stringify({ error, reason: said, said }));
    return;
  }
  response.writeHead(status, {
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    ...(location === undefined ? {} : { location }),
  });
  response.end(errorCode === undefined ? "{}" : JSON.stringify({ error: { details: [{ errorCode }] } }));
};

/** A local FCM, with the token address of its service accounts. */
export const localFcm = Effect.gen(function* () {
  const book = makeLedger();
  const tokens: Array<string> = [];
  let refusal: number | null = null;
  const origin: string = yield* webServer(async (request, response) => {
    const body = (await readAll(request)).toString();
    if (request.url === "/token") {
      const form = new URLSearchParams(body);
      const assertion = form.get("assertion") ?? "";
      book.expect(form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer", "grant_type");
      book.expect(isSigned(assertion, rsaKey), "signature of the assertion");
      book.expect(part(assertion, 0).alg === "RS256" && part(assertion, 0).kid === "key-1", "header");
      const claims = part(assertion, 1);
      book.expect(claims.iss === "push@acme-shop.iam.gserviceaccount.com", "iss");
      book.expect(claims.aud === `${origin}/token` && claims.exp - claims.iat === 3600, "aud and exp");
      if (refusal !== null) {
        response.writeHead(refusal, { "content-type": "application/json", "x-echo": assertion });
        response.end(JSON.stringify({ error: "invalid_grant", error_description: assertion }));
        return;
      }
      tokens.push(`token-${tokens.length + 1}`);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: tokens.at(-1), expires_in: 3599, token_type: "Bearer" }));
      return;
    }
    book.expect(request.url === "/v1/projects/acme-shop/messages:send" && request.method === "POST", "path");
    book.expect(tokens.includes((request.headers.authorization ?? "").replace("Bearer ", "")), "token");
    const { message } = JSON.parse(body);
    const payload = JSON.parse(message.data.waypost);
    const behaviour = await book.enter({
      id: payload.id,
      to: message.token ?? message.fid,
      headers: request.headers,
      payload,
      shown: message,
      body: message,
      bytes: Buffer.byteLength(body),
    });
    const error = (status: string, errorCode: string) =>
      JSON.stringify({
        error: {
          status,
          details: [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }],
        },
      });
    reply(response, behaviour, {
      accept: [200, JSON.stringify({ name: "projects/acme-shop/messages/1" })],
      gone: [404, error("NOT_FOUND", "UNREGISTERED")],
      unauthorized: [401, JSON.stringify({ error: { status: "UNAUTHENTICATED" } })],
    });
  });
  const service: LocalService = {
    ...book,
    transport: "fcm",
    credentials: fcmCredentials({ base_url: origin, token_uri: `${origin}/token` }),
    address: (name) => Promise.resolve({ transport: "fcm", token: name }),
    tokens,
    refuseTokens: (status) => {
      refusal = status;
    },
    sessions: () => 0,
  };
  return service;
});

/** A local push service for browsers. */
export const localWebPush = Effect.gen(function* () {
  const book = makeLedger();
  const tokens: Array<string> = [];
  const readers = new Map<string, (body: Uint8Array) => Promise<string>>();
  const origin: string = yield* webServer(async (request, response) => {
    const body = await readAll(request);
    const { headers } = request;
    const to = (request.url ?? "").slice("/push/".length);
    book.expect(headers["content-encoding"] === "aes128gcm" && request.method === "POST", "encoding");
    book.expect(/^\d+$/.test(String(headers["ttl"])), "ttl");
    book.expect(/^(high|normal|low)$/.test(String(headers["urgency"])), "urgency");
    const vapid = await readVapid(headers.authorization ?? "");
    book.expect(vapid.isGood && vapid.claims.aud === origin, "vapid");
    book.expect(vapid.claims.sub === webPushCredentials.subject, "subject");
    if (!tokens.includes(headers.authorization ?? "")) tokens.push(headers.authorization ?? "");
    const payload = JSON.parse((await readers.get(to)?.(body)) ?? "null");
    book.expect(/^[\w-]{1,32}$/.test(String(headers["topic"])), "topic");
    const behaviour = await book.enter({
      id: String(headers["topic"]).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
      to,
      headers,
      payload,
      shown: null,
      body: payload,
      bytes: body.length,
    });
    reply(response, behaviour, { accept: [201, ""], gone: [410, ""], unauthorized: [403, ""] });
  });
  const service: LocalService = {
    ...book,
    transport: "webpush",
    credentials: webPushCredentials,
    address: async (name) => {
      const { address, read } = await browserSubscription(`${origin}/push/${name}`);
      readers.set(name, read);
      return address;
    },
    tokens,
    refuseTokens: () => {},
    sessions: () => 0,
  };
  return service;
});
