import { Cache, Clock, Context, Data, Duration, Effect, Exit, Layer } from "effect";
import { Agent as PlainAgent, type IncomingMessage, request as requestPlain } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";
import { type HostAddress, PublicHosts } from "../../notifications/PublicHosts.ts";
import { type PushOutcome, retryAfterMillis } from "./PushTransport.ts";

/** What a push service answered; `text` is the beginning of the body. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
  /** Milliseconds, from its Retry-After. */
  readonly retryAfter: number | null;
}

/** There was no answer: the host is unknown or not public, or the connection was refused or lost. */
export class NotReached extends Data.TaggedError("NotReached")<{
  readonly host: string;
  /** The system's or TLS's name for the reason, or our own. */
  readonly code: string;
  /** Another try would come to the same. */
  readonly isForGood: boolean;
}> {
  /** What it means for a push. */
  get outcome(): PushOutcome {
    return this.isForGood
      ? { _tag: "Refused", reason: `The push service must be on the public internet: ${this.host} is not.` }
      : {
          _tag: "Unavailable",
          reason: `There was no answer from ${this.host} (${this.code}).`,
          retryAfter: null,
        };
  }
}

/**
 * To one host. What waits for a connection is handed over although its send was stopped meanwhile (contract L3), and waits for somebody
 * else's slow answers: so there is one for each push that several busy environments have under way.
 */
const mostSockets = 1_024;
const mostFreeSockets = 100;
const mostText = 16_384;
const mostBody = 262_144;
const options = {
  keepAlive: true,
  maxSockets: mostSockets,
  maxFreeSockets: mostFreeSockets,
  timeout: 60_000,
};

/** Gives the addresses that were checked, whatever the name stands for by then. */
export const pinned =
  (addresses: ReadonlyArray<HostAddress>): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };

/** Reads a body to its end, so that the connection can serve the next; one without end costs the connection. */
const read = (response: IncomingMessage, done: (text: string) => void): void => {
  let text = "";
  let length = 0;
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    length += chunk.length;
    if (text.length < mostText) text += chunk;
    if (length > mostBody) {
      response.destroy();
      done(text);
    }
  });
  response.on("end", () => done(text));
};

/**
 * Connections to push services over HTTP, kept for the next push. Only to public addresses, checked when a connection is made, unless
 * the settings allow private ones (SSRF); redirects are not followed.
 */
export class PushConnections extends Context.Service<PushConnections>()(
  "waypost/sending/transports/PushConnections",
  {
    make: Effect.gen(function* () {
      const hosts = yield* PublicHosts;
      const agents = yield* Effect.acquireRelease(
        Effect.sync(() => ({ plain: new PlainAgent(options), secure: new SecureAgent(options) })),
        ({ plain, secure }) =>
          Effect.sync(() => {
            plain.destroy();
            secure.destroy();
          }),
      );

      const known = yield* Cache.makeWith((host: string) => hosts.addressesOf(host), {
        capacity: 1_000,
        timeToLive: (exit) => Duration.seconds(Exit.isSuccess(exit) ? 30 : 1),
      });

      /** The addresses that a host may be reached at. */
      const addressesOf = (url: URL): Effect.Effect<ReadonlyArray<HostAddress>, NotReached> => {
        const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
        return Effect.mapError(
          Cache.get(known, host),
          ({ _tag }) =>
            new NotReached({
              host,
              code: _tag === "HostUnknown" ? "ENOTFOUND" : "not public",
              isForGood: _tag === "HostNotPublic",
            }),
        );
      };

      const ask = (
        url: URL,
        addresses: ReadonlyArray<HostAddress>,
        headers: Readonly<Record<string, string | number>>,
        body: string | Buffer,
      ) =>
        Effect.callback<{ readonly response: IncomingMessage; readonly text: string }, NotReached>(
          (resume) => {
            const isSecure = url.protocol === "https:";
            const post = isSecure ? requestSecure : requestPlain;
            let hasRetried = false;
            let outgoing: ReturnType<typeof post>;
            const start = (): void => {
              outgoing = post(url, {
                method: "POST",
                agent: isSecure ? agents.secure : agents.plain,
                lookup: pinned(addresses),
                headers: { ...headers, "content-length": Buffer.byteLength(body) },
              });
              const lost = (error: NodeJS.ErrnoException): void => {
                // A kept connection that the service closed at the same moment says nothing of the service.
                if (outgoing.reusedSocket && error.code === "ECONNRESET" && !hasRetried) {
                  hasRetried = true;
                  start();
                  return;
                }
                const code = error.code ?? "the connection was lost";
                resume(Effect.fail(new NotReached({ host: url.host, code, isForGood: false })));
              };
              outgoing.on("error", lost);
              outgoing.on("response", (response) => {
                hasRetried = true;
                response.on("error", lost);
                read(response, (text) => resume(Effect.succeed({ response, text })));
              });
              outgoing.end(body);
            };
            start();
            return Effect.sync(() => outgoing.destroy());
          },
        );

      return {
        addressesOf,
        /** Posts to a push service. Waits as long as it takes: interrupt it to give up. */
        post: Effect.fnUntraced(function* (
          url: URL,
          headers: Readonly<Record<string, string | number>>,
          body: string | Buffer,
        ) {
          const { response, text } = yield* ask(url, yield* addressesOf(url), headers, body);
          const now = yield* Clock.currentTimeMillis;
          const answer: ServiceAnswer = {
            status: response.statusCode ?? 0,
            text,
            retryAfter: retryAfterMillis(response.headers["retry-after"], now),
          };
          return answer;
        }),
      };
    }),
  },
) {
  static readonly layerNoDeps = Layer.effect(PushConnections, PushConnections.make);
  static readonly layer = PushConnections.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
