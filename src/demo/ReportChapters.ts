import { Effect } from "effect";
import type { DemoCampaign } from "./CampaignChapter.ts";
import { type Access, pick } from "./DemoClient.ts";
import type { DemoContext } from "./DemoContext.ts";
import type { DemoDevices } from "./DevicesChapter.ts";
import { at } from "./ExpectedFigures.ts";
import type { DemoLocations } from "./LocationsChapter.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

/** The totals of the summary, in the order of the closing table. */
const totalNames = [
  "delivered",
  "devices_reached",
  "geofence_entries",
  "geofence_exits",
  "campaigns",
  "active_campaigns",
  "registered_devices",
] as const;

type Totals = Readonly<Record<(typeof totalNames)[number], number>>;

const totalsWhileRunning: Totals = {
  delivered: 1,
  devices_reached: 1,
  geofence_entries: 3,
  geofence_exits: 1,
  campaigns: 1,
  active_campaigns: 1,
  registered_devices: 2,
};

/** Deliveries and events still count. The campaign and Ben's device do not (contract K4, K8). */
const totalsAfterDeletion: Totals = {
  ...totalsWhileRunning,
  campaigns: 0,
  active_campaigns: 0,
  registered_devices: 1,
};

/** The figures of a day that add up to the totals. */
const dailyNames = ["delivered", "geofence_entries", "geofence_exits"] as const;
const daysInSummary = 31;

/** Adds up all days, because a demo that starts just before midnight has events on two days. */
const sumOfDays = (days: unknown, name: string): number =>
  Array.isArray(days) ? days.reduce<number>((sum, day) => sum + Number(at(day, name)), 0) : Number.NaN;

/** Reads both reports and checks the summary. */
const readReports = Effect.fnUntraced(function* (
  { figures, send }: DemoContext,
  sandbox: Access,
  when: string,
  expected: Totals,
) {
  const summary = yield* send(sandbox, "GET /reports/summary", {
    show: (response) => {
      const days = response.data("daily", "length");
      return {
        totals: response.data("totals"),
        "daily (the last)": response.data("daily", typeof days === "number" ? days - 1 : 0),
        meta: at(response.body, "meta"),
      };
    },
  });
  for (const name of totalNames)
    yield* figures.check(`${name} of the summary ${when}`, summary.data("totals", name), expected[name]);
  yield* figures.check(`the days of the summary ${when}`, summary.data("daily", "length"), daysInSummary);
  for (const name of dailyNames) {
    const sum = sumOfDays(summary.data("daily"), name);
    yield* figures.check(`${name} of all days ${when}`, sum, expected[name]);
  }
  const campaigns = yield* send(sandbox, "GET /reports/campaigns");
  return { totals: summary.data("totals"), rows: campaigns.data() };
});

/** Reads both reports and checks every figure of the demo. */
export const reportChapter = Effect.fnUntraced(function* (
  context: DemoContext,
  { sandbox }: DemoWorkspace,
  locations: DemoLocations,
  { campaignId }: DemoCampaign,
) {
  yield* context.narrator.chapter(
    "The reports",
    "The reports show three entries: one by Ben and two by Anna. There is one exit and one message. " +
      "The message reached one of the two registered devices.",
  );
  const reports = yield* readReports(context, sandbox, "while the campaign runs", totalsWhileRunning);
  yield* context.figures.check("the rows of the campaigns report", reports.rows, [
    {
      id: campaignId,
      name: "Coffee in Noord-Holland",
      status: "active",
      type: "geo",
      targets: locations.groupSize,
      delivered: 1,
      engagement: 50,
    },
  ]);
  return reports;
});

/** Deletes one item of each kind, and reads the reports again. */
export const deletionChapter = Effect.fnUntraced(function* (
  context: DemoContext,
  workspace: DemoWorkspace,
  locations: DemoLocations,
  campaign: DemoCampaign,
  { anna, ben }: DemoDevices,
) {
  const { figures, narrator, operator, send } = context;
  const { production, sandbox } = workspace;
  const campaignPath = `/campaigns/${campaign.campaignId}` as const;
  yield* narrator.chapter(
    "Cleaning up",
    "The message, a location, the campaign, Ben's device and the Production token are deleted. " +
      "Deliveries and events still count in the totals. The message remains in Anna's inbox.",
  );
  yield* send(sandbox, `DELETE ${campaignPath}/notifications/${campaign.notificationId}`);
  yield* send(sandbox, `DELETE /locations/${locations.cityId}`);
  const group = yield* send(sandbox, `GET /location-groups/${locations.groupId}`, {
    show: ["name", "location_count"],
  });
  yield* figures.check(
    `the remaining locations of ${locations.groupName}`,
    group.data("location_count"),
    locations.groupSize - 1,
  );
  yield* send(sandbox, `DELETE ${campaignPath}`);
  const missing = yield* send(sandbox, `GET ${campaignPath}`, { status: 404 });
  yield* figures.check("the error of the deleted campaign", at(missing.body, "error", "code"), "not_found");
  yield* send(ben, "DELETE /devices/me");
  yield* send(operator, `DELETE /workspaces/${workspace.workspaceId}/tokens/${workspace.productionTokenId}`);
  const revoked = yield* send(production, "GET /me", { status: 401 });
  yield* figures.check("the error of the revoked token", at(revoked.body, "error", "code"), "token_revoked");
  const inbox = yield* send(anna, "GET /messages", {
    show: (response) => pick(response.data(0), ["headline", "opened_at"]),
  });
  yield* figures.check("Anna's message at the end", inbox.data(0, "headline"), campaign.headline);
  const reports = yield* readReports(context, sandbox, "after the deletions", totalsAfterDeletion);
  yield* figures.check("the rows of the campaigns report after the deletions", reports.rows, []);
  return reports;
});

const cell = (value: unknown): string | number =>
  typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value ?? null);

/** Prints the reports as tables, and the number of checked figures. */
export const closingChapter = Effect.fnUntraced(function* (
  { figures, narrator }: DemoContext,
  running: DemoReports,
  deleted: DemoReports,
) {
  yield* narrator.chapter(
    "Before and after",
    "These are the reports while the campaign ran, and after the deletions.",
  );
  const columns = ["name", "status", "type", "targets", "delivered", "engagement"];
  const rows: ReadonlyArray<unknown> = Array.isArray(running.rows) ? running.rows : [];
  yield* narrator.table(
    columns,
    rows.map((row) => columns.map((name) => cell(at(row, name)))),
  );
  yield* narrator.table(
    ["figure", "campaign running", "after deleting"],
    totalNames.map((name) => [name, cell(at(running.totals, name)), cell(at(deleted.totals, name))]),
  );
  yield* narrator.say(`All ${figures.checked} figures are right.`);
});

/** The figures of both reports, for the tables at the end. */
export type DemoReports = Effect.Success<ReturnType<typeof readReports>>;
