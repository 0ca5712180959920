import { Context, type Effect } from "effect";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Segment } from "./Segment.ts";
import type { Audience, SegmentRule } from "./SegmentRule.ts";

/** A campaign, as segments refer to it. */
export interface TargetedCampaign extends TenantKey {
  readonly campaignId: string;
}

/** A segment without the number of its devices. */
export type SegmentRow = Omit<Segment, "device_count">;

/** Stores segments and counts their devices. `now` in epoch milliseconds. */
export class SegmentsRepository extends Context.Service<
  SegmentsRepository,
  {
    /** Newest first. */
    readonly page: (tenant: Tenant, position: PagePosition) => Effect.Effect<ReadonlyArray<SegmentRow>>;
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<SegmentRow | null>;
    /** Whether a segment other than `except` has exactly this name. */
    readonly isNameTaken: (tenant: Tenant, name: string, except: string | null) => Effect.Effect<boolean>;
    readonly insert: (
      tenant: Tenant,
      id: string,
      name: string,
      rule: SegmentRule,
      now: number,
    ) => Effect.Effect<void>;
    /** An equal name and rule keep `updated_at`. */
    readonly update: (
      tenant: Tenant,
      id: string,
      name: string,
      rule: SegmentRule,
      now: number,
    ) => Effect.Effect<void>;
    /** Deletes a segment, also from the targeting of campaigns. */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<void>;
    /** The highest key of a device: at least as many as there are devices. */
    readonly lastDeviceKey: (tenant: TenantKey) => Effect.Effect<number>;
    /**
     * How many registered devices each rule holds, in the order of the rules. All rules are counted in one
     * scan of the devices.
     */
    readonly count: (
      tenant: Tenant,
      rules: ReadonlyArray<SegmentRule>,
      now: number,
    ) => Effect.Effect<ReadonlyArray<number>>;
    /** The rules of the segments with these ids, by id; those that do not exist are left out. */
    readonly rules: (
      tenant: Tenant,
      ids: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyMap<string, SegmentRule>>;
    /** Whom campaigns reach by their segments as they are now, in the given order. */
    readonly audiences: (
      campaigns: ReadonlyArray<TargetedCampaign>,
    ) => Effect.Effect<ReadonlyArray<Audience>>;
  }
>()("waypost/devices/SegmentsRepository") {}
