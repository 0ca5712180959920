import { Clock, Context, Effect, Layer } from "effect";
import type { ServiceUnavailable } from "../wire/ApiError.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { AttributeSummaries } from "./AttributeSummary.ts";
import { AttributesSql } from "./AttributesSql.ts";
import { type AudienceCount, AudiencesSql, type KeyBlocks, type ZoneCount } from "./AudiencesSql.ts";
import { deviceReads, maxExactDevices } from "./DeviceReads.ts";
import type { Audience } from "./SegmentRule.ts";

/** A sample has blocks of consecutive keys, whose rows lie together. */
const blocks = 300;
const blockSize = 100;

/** The sample of so many devices; null for all of them. */
const sampleOf = (keys: number): KeyBlocks | null =>
  keys > maxExactDevices ? { blocks, size: blockSize, keys } : null;

/** How many devices each one of a sample stands for. */
const scaleOf = (sample: KeyBlocks | null): number =>
  sample === null ? 1 : sample.keys / (blocks * blockSize);

/** Results that are kept. Attributes may have some megabytes. */
const keptCounts = 1_000;
const keptAttributes = 20;

/** Counts the devices of audiences that are being planned (contract S1, S4). */
export class Audiences extends Context.Service<
  Audiences,
  {
    /**
     * Counts an audience. Exact for up to 100,000 devices; otherwise an estimate from 30,000 evenly spread
     * ones, whose standard error is about 0.3 % of all devices, at most five seconds old.
     */
    readonly count: (
      tenant: TenantKey,
      audience: Audience,
    ) => Effect.Effect<AudienceCount, ServiceUnavailable>;
    /** The same by time zone, in any order. */
    readonly zones: (
      tenant: TenantKey,
      audience: Audience,
    ) => Effect.Effect<ReadonlyArray<ZoneCount>, ServiceUnavailable>;
    /**
     * The attributes that devices have. Of over 100,000 devices 30,000 evenly spread ones are read, at
     * most every five seconds.
     */
    readonly attributes: (
      tenant: TenantKey,
    ) => Effect.Effect<typeof AttributeSummaries.Type, ServiceUnavailable>;
  }
>()("waypost/devices/Audiences") {
  static readonly layer = Layer.effect(
    Audiences,
    Effect.gen(function* () {
      const repository = yield* AudiencesSql;
      const attributes = yield* AttributesSql;
      const reads = yield* deviceReads;

      const count = yield* reads(
        keptCounts,
        Effect.fnUntraced(function* (tenant: TenantKey, audience: Audience) {
          const sample = sampleOf(yield* repository.lastKey(tenant));
          const counts = yield* repository.count(tenant, audience, sample, yield* Clock.currentTimeMillis);
          return {
            devices: Math.round(counts.devices * scaleOf(sample)),
            reachable: Math.round(counts.reachable * scaleOf(sample)),
          };
        }),
      );

      const zones = yield* reads(
        keptCounts,
        Effect.fnUntraced(function* (tenant: TenantKey, audience: Audience) {
          const sample = sampleOf(yield* repository.lastKey(tenant));
          return (yield* repository.zones(tenant, audience, sample, yield* Clock.currentTimeMillis)).map(
            ({ devices, zone }) => ({
              zone,
              devices: Math.round(devices * scaleOf(sample)),
            }),
          );
        }),
      );

      const summaries = yield* reads(
        keptAttributes,
        Effect.fnUntraced(function* (tenant: TenantKey) {
          const sample = sampleOf(yield* repository.lastKey(tenant));
          const data = yield* attributes.summaries(tenant, sample, scaleOf(sample));
          return { data, meta: { estimated: sample !== null } };
        }),
      );

      return Audiences.of({
        count: Effect.fn("Audiences.count")(function* (tenant, audience) {
          return yield* count(yield* repository.lastKey(tenant), tenant, audience);
        }),

        zones: Effect.fn("Audiences.zones")(function* (tenant, audience) {
          return yield* zones(yield* repository.lastKey(tenant), tenant, audience);
        }),

        attributes: Effect.fn("Audiences.attributes")(function* (tenant) {
          return yield* summaries(yield* repository.lastKey(tenant), tenant);
        }),
      });
    }),
  ).pipe(Layer.provide([AudiencesSql.layer, AttributesSql.layer]));
}
