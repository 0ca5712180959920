import { Context, type Effect } from "effect";
import type { Environment } from "../workspaces/Environment.ts";

/** The requests that a batch asks for one tenant, and the tenant's limits (2147483647 for none). */
export interface RateDemand {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly reads: number;
  readonly writes: number;
  readonly perMinute: number;
  readonly writesPerMinute: number;
  readonly perDay: number;
}

/** The windows of a tenant after a batch, and how many of its requests were granted. */
export interface RateWindows {
  readonly workspace_id: number;
  readonly environment: Environment;
  readonly minute_opened: Date;
  readonly minute_used: number;
  readonly writes_opened: Date;
  readonly writes_used: number;
  readonly day_opened: Date;
  readonly day_used: number;
  readonly granted_reads: number;
  readonly granted_writes: number;
}

/** Stores the rate limit windows of tenants (contract I1). */
export class RateLimitsRepository extends Context.Service<
  RateLimitsRepository,
  {
    /**
     * Grants what each tenant's windows have left, writes before reads, and counts it; exact under
     * concurrency. A tenant has at most one demand. A window that has ended opens again at `now` (epoch
     * milliseconds), the window of writes only with a write. So does one that opened over a minute after
     * `now`: the clock was set back since.
     */
    readonly take: (
      demands: ReadonlyArray<RateDemand>,
      now: number,
    ) => Effect.Effect<ReadonlyArray<RateWindows>>;
  }
>()("waypost/http/RateLimitsRepository") {}
