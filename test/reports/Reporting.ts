import { Effect } from "effect";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { record } from "./RecordedHistory.ts";
import type { ReportHistory } from "./ReportHistory.ts";

/** A workspace with a history in Sandbox, and functions that ask its reports. */
export const reporting = Effect.fnUntraced(function* (history: Partial<ReportHistory>, timezone = "UTC") {
  const waypost = yield* TestWaypost;
  const workspaces = yield* Workspaces;
  const tenant = yield* waypost.tenant({ timezone });
  const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
  const ids = yield* record(workspaceId, "sandbox", history);
  const report = (name: string) => (search?: Readonly<Record<string, string | undefined>>) => {
    const parameters = Object.entries(search ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return Effect.map(
      tenant.sandbox(`/reports/${name}?${new URLSearchParams(parameters).toString()}`),
      ({ body }) => body,
    );
  };
  return {
    ...tenant,
    workspaceId,
    ids,
    summary: report("summary"),
    campaigns: report("campaigns"),
    locations: report("locations"),
    notifications: report("notifications"),
    interactions: report("interactions"),
    surveys: report("surveys"),
  };
});

/** The activity of a day without any. */
export const noActivity = { delivered: 0, devices_reached: 0, geofence_entries: 0, geofence_exits: 0 };
