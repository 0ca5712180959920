import { Context, Data, Effect, Layer } from "effect";
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Settings } from "../config/Settings.ts";
import { isPublicAddress } from "./PublicAddressRanges.ts";

/** An address to connect to. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** A lookup that returns the checked addresses of the moment, whatever the name resolves to later. */
export const pinned =
  (checked: () => ReadonlyArray<HostAddress>): LookupFunction =>
  (_host, { all }, callback) => {
    const addresses = checked();
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };

/** No address is known for the host. */
class HostUnknown extends Data.TaggedError("HostUnknown")<{ readonly host: string }> {}

/** The host has an address that is not of the public internet. */
class HostNotPublic extends Data.TaggedError("HostNotPublic")<{ readonly host: string }> {}

/** Resolves all addresses of a host name, by the system's resolver. Tests replace it. */
export const HostResolver = Context.Reference<(host: string) => Promise<ReadonlyArray<HostAddress>>>(
  "waypost/outgoing/HostResolver",
  { defaultValue: () => (host) => lookup(host, { all: true }) },
);

/**
 * Finds the addresses that the service may connect to when a client names a host. Callers must connect to
 * these very addresses, because resolving the name again could give others (contract F1).
 */
export class PublicHosts extends Context.Service<
  PublicHosts,
  {
    /**
     * The addresses of a host name or of an IP literal without brackets. One that is not public refuses all.
     */
    readonly addressesOf: (
      host: string,
    ) => Effect.Effect<ReadonlyArray<HostAddress>, HostUnknown | HostNotPublic>;
  }
>()("waypost/outgoing/PublicHosts") {
  static readonly layer = Layer.effect(
    PublicHosts,
    Effect.gen(function* () {
      const { allowPrivateAddresses } = yield* Settings;
      const resolve = yield* HostResolver;
      return PublicHosts.of({
        addressesOf: Effect.fnUntraced(function* (host) {
          const family = isIP(host);
          const addresses =
            family === 0
              ? yield* Effect.tryPromise({ try: () => resolve(host), catch: () => new HostUnknown({ host }) })
              : [{ address: host, family }];
          if (addresses.length === 0) return yield* new HostUnknown({ host });
          if (!allowPrivateAddresses && !addresses.every(({ address }) => isPublicAddress(address))) {
            return yield* new HostNotPublic({ host });
          }
          return addresses;
        }),
      });
    }),
  );
}
