import { Cache, Effect, Exit } from "effect";
import { LongReads } from "../database/LongReads.ts";
import type { ServiceUnavailable } from "../wire/ApiError.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** Up to so many devices, by the highest key, a read of all of them takes some milliseconds. */
const maxShort = 5_000;
/** Up to so many devices every device is counted, and the counts are those of the moment. */
export const maxExactDevices = 100_000;
/** How long the result for more devices is kept. */
const keptFor = "5 seconds";

/**
 * Makes reads of all devices of an environment, which take the highest key of a device first. Of a few
 * devices they run at once; of more as long reads. Of over 100,000 devices up to `capacity` results are kept
 * for five seconds by their parameters, which must be JSON, and equal reads at the same time run once.
 */
export const deviceReads = Effect.map(
  LongReads,
  (longReads) =>
    <Parameters extends readonly [TenantKey, ...ReadonlyArray<unknown>], A>(
      capacity: number,
      read: (...parameters: Parameters) => Effect.Effect<A>,
    ) => {
      const longRead = (...parameters: Parameters) =>
        longReads.run(parameters[0].workspaceId, read(...parameters));
      return Effect.map(
        Cache.makeWith((key: string) => longRead(...(JSON.parse(key) as Parameters)), {
          capacity,
          timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : 0),
        }),
        (cache) =>
          (devices: number, ...parameters: Parameters): Effect.Effect<A, ServiceUnavailable> => {
            if (devices <= maxShort) return read(...parameters);
            if (devices <= maxExactDevices) return longRead(...parameters);
            const [{ environment, workspaceId }, ...others] = parameters;
            return Cache.get(cache, JSON.stringify([{ environment, workspaceId }, ...others]));
          },
      );
    },
);
