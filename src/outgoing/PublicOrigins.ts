import { Cache, Clock, Duration, Effect, Exit } from "effect";
import { Pool } from "undici";
import { NotReached } from "./HttpExchange.ts";
import { hostOf } from "./OutgoingUrls.ts";
import { type HostAddress, pinned, PublicHosts } from "./PublicHosts.ts";

/**
 * Room for each in-flight push or call of several busy environments. A push that waits for a connection is
 * sent even if its send is stopped meanwhile (contract L3), and waits for the slow responses of others.
 */
const maxSocketsPerOrigin = 1_024;
const connectMillis = 10_000;
/** How long an unused connection is kept. */
const idleMillis = 30_000;
/** Devices and webhooks name arbitrary origins, so the number of open ones is limited. */
const maxOrigins = 3_000;
/** The most bytes of the head of a response. */
const maxHeaderSize = 65_536;
/** How long the checked addresses of a host stay valid. */
const freshSeconds = 30;

/** The connections to one origin. */
export type OriginPool = Pool;

interface Origin {
  readonly pool: OriginPool;
  addresses: ReadonlyArray<HostAddress>;
  /** When the addresses must be checked again, in epoch milliseconds. */
  staleAt: number;
}

const openOrigin = (origin: string): Origin => {
  const opened: Origin = {
    addresses: [],
    staleAt: 0,
    pool: new Pool(origin, {
      connections: maxSocketsPerOrigin,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize,
      keepAliveTimeout: idleMillis,
      // The caller has its own timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectMillis, lookup: pinned(() => opened.addresses) },
    }),
  };
  return opened;
};

/**
 * HTTP/1.1 connections to origins that clients name, kept for reuse until the scope closes. They connect only
 * to public addresses, checked at connection time, unless the settings allow private ones (SSRF). With more
 * than `maxOrigins` origins, those whose addresses were checked least recently are closed.
 */
export const publicOrigins = Effect.gen(function* () {
  const clock = yield* Clock.Clock;
  const hosts = yield* PublicHosts;
  /** The one whose addresses were checked least recently comes first. */
  const origins = new Map<string, Origin>();
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all(Array.from(origins.values(), ({ pool }) => pool.destroy()))),
  );

  const checked = yield* Cache.makeWith((host: string) => hosts.addressesOf(host), {
    capacity: maxOrigins,
    timeToLive: (exit) => Duration.seconds(Exit.isSuccess(exit) ? freshSeconds : 1),
  });

  const refreshed = (url: URL, addresses: ReadonlyArray<HostAddress>): OriginPool => {
    const found = origins.get(url.origin) ?? openOrigin(url.origin);
    found.addresses = addresses;
    found.staleAt = clock.currentTimeMillisUnsafe() + freshSeconds * 1000;
    origins.delete(url.origin);
    for (const [oldest, { pool }] of origins) {
      if (origins.size < maxOrigins) break;
      origins.delete(oldest);
      void pool.close();
    }
    origins.set(url.origin, found);
    return found.pool;
  };

  const addressesOf = (url: URL) =>
    Effect.mapError(Cache.get(checked, hostOf(url)), ({ _tag, host }) => {
      const isPrivate = _tag === "HostNotPublic";
      const code = isPrivate ? "not public" : "ENOTFOUND";
      return new NotReached({ host, code, detail: code, isPrivate });
    });

  return {
    /** The allowed addresses of the host of a URL. */
    addressesOf,
    /** The connections to the origin of a URL, undefined unless its addresses were checked a moment ago. */
    fresh: (url: URL): OriginPool | undefined => {
      const origin = origins.get(url.origin);
      return origin !== undefined && clock.currentTimeMillisUnsafe() < origin.staleAt
        ? origin.pool
        : undefined;
    },
    /** The connections to the origin of a URL, after checking its addresses. */
    check: (url: URL) => Effect.map(addressesOf(url), (addresses) => refreshed(url, addresses)),
  };
});
