import type { CampaignKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** Something that a unit did, and a campaign whose goal that is. */
export interface ReachedGoal extends TenantKey {
  readonly campaignKey: CampaignKey;
  /** The unit as `enrolment` has it. */
  readonly unitKey: number;
  /** As in `enrolment`: `visit`, or `event:` and its name. */
  readonly goal: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A custom event of a unit. */
export interface UnitEvent extends TenantKey {
  readonly unitKey: number;
  readonly name: string;
  /** When it occurred, in epoch milliseconds. */
  readonly at: number;
}
