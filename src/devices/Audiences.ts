import { Context, Effect, Layer } from "effect";
import type { TenantKey } from "../workspaces/Workspace.ts";
import { AudiencesSql } from "./AudiencesSql.ts";
import type { Audience } from "./SegmentRule.ts";

/** Up to so many device keys every device is counted. */
const maxExactKeys = 50_000;
/** A sample has blocks of consecutive keys, whose rows lie together. */
const sample = { blocks: 300, size: 100 };

/** Counts the devices of audiences that are being planned (contract S4). */
export class Audiences extends Context.Service<Audiences>()("waypost/devices/Audiences", {
  make: Effect.map(AudiencesSql, (repository) => ({
    /**
     * How many registered devices an audience has, and how many of them a message would reach. Exact for up to
     * 50,000 device keys; otherwise an estimate from 30,000 evenly spread ones, whose standard error is about
     * 0.3 % of all devices.
     */
    count: Effect.fn("Audiences.count")(function* (tenant: TenantKey, audience: Audience) {
      const keys = yield* repository.lastKey(tenant);
      const isExact = keys <= maxExactKeys;
      const counts = yield* repository.count(tenant, audience, isExact ? null : { ...sample, keys });
      const scale = isExact ? 1 : keys / (sample.blocks * sample.size);
      return { devices: Math.round(counts.devices * scale), reachable: Math.round(counts.reachable * scale) };
    }),
  })),
}) {
  static readonly layer = Layer.effect(Audiences, Audiences.make).pipe(Layer.provide(AudiencesSql.layer));
}
