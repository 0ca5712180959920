import { Cache, Clock, Context, Data, Duration, Effect, Exit, Layer } from "effect";
import {
  Agent as PlainAgent,
  type ClientRequest,
  type IncomingMessage,
  request as requestPlain,
  type RequestOptions,
} from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";
import { type HostAddress, PublicHosts } from "../../notifications/PublicHosts.ts";
import { type GiveUp, type PushOutcome, retryAfterMillis } from "./PushTransport.ts";

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
const mostHosts = 1_000;
/** How long a checked address counts as checked. */
const freshSeconds = 30;
const agentOptions = {
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

/** A URL's host as resolvers and sockets take it. */
const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;

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
        Effect.sync(() => ({ plain: new PlainAgent(agentOptions), secure: new SecureAgent(agentOptions) })),
        ({ plain, secure }) =>
          Effect.sync(() => {
            plain.destroy();
            secure.destroy();
          }),
      );

      const clock = yield* Clock.Clock;
      const known = yield* Cache.makeWith((host: string) => hosts.addressesOf(host), {
        capacity: mostHosts,
        timeToLive: (exit) => Duration.seconds(Exit.isSuccess(exit) ? freshSeconds : 1),
      });
      /** What was found good a moment ago, for those who cannot wait. */
      const fresh = new Map<
        string,
        { readonly addresses: ReadonlyArray<HostAddress>; readonly staleAt: number }
      >();

      /** The addresses that a host may be reached at. */
      const addressesOf = (url: URL): Effect.Effect<ReadonlyArray<HostAddress>, NotReached> => {
        const host = hostOf(url);
        return Cache.get(known, host).pipe(
          Effect.tap((addresses) =>
            Effect.sync(() => {
              if (fresh.size >= mostHosts) fresh.clear();
              fresh.set(host, {
                addresses,
                staleAt: clock.currentTimeMillisUnsafe() + freshSeconds * 1000,
              });
            }),
          ),
          Effect.mapError(
            ({ _tag }) =>
              new NotReached({
                host,
                code: _tag === "HostUnknown" ? "ENOTFOUND" : "not public",
                isForGood: _tag === "HostNotPublic",
              }),
          ),
        );
      };

      const request = (
        url: URL,
        addresses: ReadonlyArray<HostAddress>,
        headers: Readonly<Record<string, string | number>>,
        body: string | Buffer,
        done: (result: ServiceAnswer | NotReached) => void,
      ): GiveUp => {
        const isSecure = url.protocol === "https:";
        const post = isSecure ? requestSecure : requestPlain;
        const options: RequestOptions = {
          method: "POST",
          agent: isSecure ? agents.secure : agents.plain,
          host: hostOf(url),
          port: url.port,
          path: `${url.pathname}${url.search}`,
          lookup: pinned(addresses),
          headers: { ...headers, "content-length": Buffer.byteLength(body) },
        };
        let hasRetried = false;
        let isOver = false;
        let outgoing: ClientRequest;
        const tell = (result: ServiceAnswer | NotReached): void => {
          if (isOver) return;
          isOver = true;
          done(result);
        };
        const start = (): void => {
          const sent = post(options);
          outgoing = sent;
          const lost = (error: NodeJS.ErrnoException): void => {
            if (isOver) return;
            // A kept connection that the service closed at the same moment says nothing of the service.
            if (sent.reusedSocket && error.code === "ECONNRESET" && !hasRetried) {
              hasRetried = true;
              start();
              return;
            }
            const code = error.code ?? "the connection was lost";
            tell(new NotReached({ host: url.host, code, isForGood: false }));
          };
          sent.on("error", lost);
          sent.on("response", (response) => {
            hasRetried = true;
            response.on("error", lost);
            read(response, (text) =>
              tell({
                status: response.statusCode ?? 0,
                text,
                retryAfter: retryAfterMillis(
                  response.headers["retry-after"],
                  clock.currentTimeMillisUnsafe(),
                ),
              }),
            );
          });
          sent.end(body);
        };
        start();
        return () => {
          isOver = true;
          outgoing.destroy();
        };
      };

      return {
        addressesOf,

        /** Posts to a push service whose addresses are known, and tells what came of it; null where they have to be asked for. */
        begin: (
          url: URL,
          headers: Readonly<Record<string, string | number>>,
          body: string | Buffer,
          done: (result: ServiceAnswer | NotReached) => void,
        ): GiveUp | null => {
          const found = fresh.get(hostOf(url));
          return found === undefined || clock.currentTimeMillisUnsafe() >= found.staleAt
            ? null
            : request(url, found.addresses, headers, body, done);
        },

        /** Posts to a push service. Waits as long as it takes: interrupt it to give up. */
        post: (
          url: URL,
          headers: Readonly<Record<string, string | number>>,
          body: string | Buffer,
        ): Effect.Effect<ServiceAnswer, NotReached> =>
          Effect.flatMap(addressesOf(url), (addresses) =>
            Effect.callback<ServiceAnswer, NotReached>((resume) => {
              const giveUp = request(url, addresses, headers, body, (result) =>
                resume("status" in result ? Effect.succeed(result) : Effect.fail(result)),
              );
              return Effect.sync(giveUp);
            }),
          ),
      };
    }),
  },
) {
  static readonly layerNoDeps = Layer.effect(PushConnections, PushConnections.make);
  static readonly layer = PushConnections.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
