import { Cache, Clock, Context, Data, Duration, Effect, Exit, Layer } from "effect";
import type { LookupFunction } from "node:net";
import { type Dispatcher, Pool } from "undici";
import { type HostAddress, PublicHosts } from "../../../notifications/PublicHosts.ts";
import { type GiveUp, type PushOutcome, retryAfterMillis } from "./PushTransport.ts";

/** What a push service answered; `text` is the beginning of the body. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
  /** Milliseconds, from its Retry-After. */
  readonly retryAfter: number | null;
}

/** Reasons for which nothing can have been said to the service: there was no connection. */
const neverArrived: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

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
          mayHaveArrived: !neverArrived.has(this.code),
        };
  }
}

/**
 * To one origin. What waits for a connection is handed over although its send was stopped meanwhile (contract L3), and waits for somebody
 * else's slow answers: so there is one for each push that several busy environments have under way.
 */
const mostSockets = 1_024;
const mostOrigins = 1_000;
const idleMillis = 30_000;
const connectMillis = 10_000;
const mostText = 16_384;
const mostBody = 262_144;
/** How long a checked address counts as checked. */
const freshSeconds = 30;

/** Gives the addresses that were checked, whatever the name stands for by then. */
export const pinned =
  (addresses: ReadonlyArray<HostAddress>): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };

/** A request to a push service: names and values of its headers in turn. */
export interface PushRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string | Buffer;
}

type Done = (result: ServiceAnswer | NotReached) => void;

/** One request and its answer, which is read to its end so that the connection can serve the next; one without end costs the connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #host: string;
  readonly #clock: Clock.Clock;
  #done: Done | null;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #retryAfter: string | undefined;
  #length = 0;
  readonly #chunks: Array<Buffer> = [];

  constructor(host: string, clock: Clock.Clock, done: Done) {
    this.#host = host;
    this.#clock = clock;
    this.#done = done;
  }

  giveUp(): void {
    this.#done = null;
    this.#controller?.abort(new Error("The push was given up"));
  }

  #tell(result: ServiceAnswer | NotReached): void {
    const done = this.#done;
    this.#done = null;
    done?.(result);
  }

  #answer(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#tell({
      status: this.#status,
      text: bytes.toString("utf8", 0, mostText),
      retryAfter:
        this.#retryAfter === undefined
          ? null
          : retryAfterMillis(this.#retryAfter, this.#clock.currentTimeMillisUnsafe()),
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#done === null) this.giveUp();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  ): void {
    this.#status = status;
    const after = headers["retry-after"];
    this.#retryAfter = typeof after === "string" ? after : after?.[0];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#length < mostText) this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= mostBody) return;
    this.#answer();
    controller.abort(new Error("The answer of a push service is too long"));
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error & { readonly code?: string }): void {
    const { code } = error;
    const isOwnWord = code === undefined || code.startsWith("UND_ERR");
    this.#tell(
      new NotReached({
        host: this.#host,
        code: isOwnWord ? error.message.slice(0, 200) : code,
        isForGood: false,
      }),
    );
  }
}

interface Known {
  readonly pool: Pool;
  addresses: ReadonlyArray<HostAddress>;
  /** When the addresses have to be checked again, in epoch milliseconds. */
  staleAt: number;
}

/**
 * Connections to push services over HTTP, kept for the next push. Only to public addresses, checked when a connection is made, unless
 * the settings allow private ones (SSRF); redirects are not followed.
 */
export class PushConnections extends Context.Service<PushConnections>()(
  "waypost/sending/transports/PushConnections",
  {
    make: Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const hosts = yield* PublicHosts;
      /** By origin, the one that was looked at longest ago first. */
      const origins = new Map<string, Known>();
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => Promise.all(Array.from(origins.values(), ({ pool }) => pool.destroy()))),
      );

      const checked = yield* Cache.makeWith((host: string) => hosts.addressesOf(host), {
        capacity: mostOrigins,
        timeToLive: (exit) => Duration.seconds(Exit.isSuccess(exit) ? freshSeconds : 1),
      });

      /** The addresses that a host may be reached at. */
      const addressesOf = (url: URL): Effect.Effect<ReadonlyArray<HostAddress>, NotReached> => {
        const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
        return Effect.mapError(
          Cache.get(checked, host),
          ({ _tag }) =>
            new NotReached({
              host,
              code: _tag === "HostUnknown" ? "ENOTFOUND" : "not public",
              isForGood: _tag === "HostNotPublic",
            }),
        );
      };

      const opened = (addresses: ReadonlyArray<HostAddress>, origin: string): Known => {
        const known: Known = {
          addresses,
          staleAt: 0,
          pool: new Pool(origin, {
            connections: mostSockets,
            pipelining: 1,
            allowH2: false,
            keepAliveTimeout: idleMillis,
            // Whoever asks says how long it waits.
            headersTimeout: 0,
            bodyTimeout: 0,
            connect: {
              timeout: connectMillis,
              lookup: (host, options, callback) => pinned(known.addresses)(host, options, callback),
            },
          }),
        };
        return known;
      };

      /** Where addresses that were just checked are connected to. Devices register whatever origins they like: those of long ago go. */
      const remember = (url: URL, addresses: ReadonlyArray<HostAddress>): Known => {
        const known = origins.get(url.origin) ?? opened(addresses, url.origin);
        known.addresses = addresses;
        known.staleAt = clock.currentTimeMillisUnsafe() + freshSeconds * 1000;
        origins.delete(url.origin);
        for (const [oldest, { pool }] of origins) {
          if (origins.size < mostOrigins) break;
          origins.delete(oldest);
          void pool.close();
        }
        origins.set(url.origin, known);
        return known;
      };

      const ask = ({ pool }: Known, { body, headers, url }: PushRequest, done: Done): GiveUp => {
        const exchange = new Exchange(url.host, clock, done);
        pool.dispatch({ method: "POST", path: `${url.pathname}${url.search}`, headers, body }, exchange);
        return () => exchange.giveUp();
      };

      return {
        addressesOf,

        /** Posts to a push service whose addresses are known, and tells what came of it; null where they have to be asked for. */
        begin: (request: PushRequest, done: Done): GiveUp | null => {
          const known = origins.get(request.url.origin);
          return known === undefined || clock.currentTimeMillisUnsafe() >= known.staleAt
            ? null
            : ask(known, request, done);
        },

        /** Posts to a push service. Waits as long as it takes: interrupt it to give up. */
        post: (request: PushRequest): Effect.Effect<ServiceAnswer, NotReached> =>
          Effect.flatMap(addressesOf(request.url), (addresses) =>
            Effect.callback<ServiceAnswer, NotReached>((resume) =>
              Effect.sync(
                ask(remember(request.url, addresses), request, (result) =>
                  resume("status" in result ? Effect.succeed(result) : Effect.fail(result)),
                ),
              ),
            ),
          ),
      };
    }),
  },
) {
  static readonly layerNoDeps = Layer.effect(PushConnections, PushConnections.make);
  static readonly layer = PushConnections.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
