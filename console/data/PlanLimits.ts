/** The limits of a plan, and what is used of them in the environment of the page. */
import { environment, workspaceId } from "../session/Scope.ts";
import { useData } from "./Query.ts";
import { platform } from "./Api.ts";
import type { PlanUsage, Workspace } from "./Resources.ts";

/** A limit of a plan. */
export interface PlanLimit {
  /** Its name in the plan. */
  readonly key: keyof Workspace["plan"];
  readonly name: string;
  readonly max: number | null;
  /** Undefined for rates, which are not counted, and before the first data. */
  readonly used: number | undefined;
}

/** The share of a limit from which it is nearly reached. */
const nearlyReached = 0.9;
/** In Sandbox a plan cannot allow more bytes of media. */
const maxSandboxBytes = 209_715_200;

/** Whether a limit is reached or nearly reached. */
export const isNearlyReached = ({ max, used }: PlanLimit): boolean =>
  max !== null && used !== undefined && used >= max * nearlyReached;

/** Use of the plan's limits by the environment of the page. */
export const usePlanUsage = () => useData(workspaceId.value === null ? null : platform.usage.get());

/** The limits of a plan in the environment of the page. */
export const limitsOf = (plan: Workspace["plan"], usage: PlanUsage | undefined): ReadonlyArray<PlanLimit> => {
  const isSandbox = environment.value === "sandbox";
  const maxMedia = isSandbox ? Math.min(plan.max_media_bytes ?? maxSandboxBytes, maxSandboxBytes) : undefined;
  const limit = (key: keyof Workspace["plan"], name: string, used?: number, max = plan[key]): PlanLimit => ({
    key,
    name,
    max: typeof max === "number" ? max : null,
    used,
  });
  const env = environment.value;
  return [
    limit(
      "max_campaigns",
      isSandbox ? "Campaigns that have not ended and are not paused" : "Campaigns that have not ended",
      usage?.campaigns,
    ),
    limit("max_notifications", "Notifications", usage?.notifications),
    limit("max_notifications_per_campaign", "Notifications of one campaign"),
    limit("max_locations", "Locations", usage?.locations),
    limit("max_media_bytes", "Bytes of media", usage?.media_bytes, maxMedia),
    limit(`${env}_requests_per_minute`, "Requests a minute"),
    limit(`${env}_writes_per_minute`, "Changing requests a minute"),
    limit(`${env}_requests_per_day`, "Requests a day"),
    limit("device_requests_per_minute", "Requests of a device a minute"),
    limit("device_events_per_minute", "Events and positions of a device a minute"),
  ];
};
