import { Context, Effect, Layer } from "effect";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { AttributeSummaries } from "./AttributeSummary.ts";
import { AttributesSql } from "./AttributesSql.ts";
import { type AudienceCount, AudiencesSql } from "./AudiencesSql.ts";
import type { Audience } from "./SegmentRule.ts";

/** Up to so many devices, by the highest key, every device is counted. */
const maxExactDevices = 100_000;
/** A sample has blocks of consecutive keys, whose rows lie together. */
const sample = { blocks: 300, size: 100 };

/** Counts the devices of audiences that are being planned (contract S1, S4). */
export class Audiences extends Context.Service<
  Audiences,
  {
    /**
     * Counts an audience. Exact for up to 100,000 devices; otherwise an estimate from 30,000 evenly spread
     * ones, whose standard error is about 0.3 % of all devices.
     */
    readonly count: (tenant: TenantKey, audience: Audience) => Effect.Effect<AudienceCount>;
    /** The attributes that devices have. Of over 100,000 devices an even sample is read. */
    readonly attributes: (tenant: TenantKey) => Effect.Effect<typeof AttributeSummaries.Type>;
  }
>()("waypost/devices/Audiences") {
  static readonly layer = Layer.effect(
    Audiences,
    Effect.gen(function* () {
      const repository = yield* AudiencesSql;
      const attributes = yield* AttributesSql;
      return Audiences.of({
        count: Effect.fn("Audiences.count")(function* (tenant, audience) {
          const keys = yield* repository.lastKey(tenant);
          const isExact = keys <= maxExactDevices;
          const counts = yield* repository.count(tenant, audience, isExact ? null : { ...sample, keys });
          const scale = isExact ? 1 : keys / (sample.blocks * sample.size);
          return {
            devices: Math.round(counts.devices * scale),
            reachable: Math.round(counts.reachable * scale),
          };
        }),

        attributes: Effect.fn("Audiences.attributes")(function* (tenant) {
          const stride = Math.max(1, Math.ceil((yield* repository.lastKey(tenant)) / maxExactDevices));
          const data = yield* attributes.summaries(tenant, stride);
          return { data, meta: { estimated: stride > 1 } };
        }),
      });
    }),
  ).pipe(Layer.provide([AudiencesSql.layer, AttributesSql.layer]));
}
