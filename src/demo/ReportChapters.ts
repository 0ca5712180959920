import { Effect } from "effect";
import type { Offer } from "./CampaignChapter.ts";
import { type DemoStage, pick } from "./DemoContext.ts";
import type { Devices } from "./DevicesChapter.ts";
import { at } from "./ExpectedFigures.ts";
import type { Places } from "./LocationsChapter.ts";
import type { Credentials } from "./WorkspaceChapters.ts";

/** The totals of the summary, in the order of the table. */
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

const whileItRuns: Totals = {
  delivered: 1,
  devices_reached: 1,
  geofence_entries: 3,
  geofence_exits: 1,
  campaigns: 1,
  active_campaigns: 1,
  registered_devices: 2,
};

/** What was delivered and what happened stays; the campaign and Ben's device are gone (contract K4, K8). */
const afterDeleting: Totals = { ...whileItRuns, campaigns: 0, active_campaigns: 0, registered_devices: 1 };

const dailyNames = ["delivered", "devices_reached", "geofence_entries", "geofence_exits"] as const;

/** A story that began just before midnight has two days that are not quiet, so the days are added up. */
const sumOfDays = (days: unknown, name: string): number =>
  Array.isArray(days) ? days.reduce<number>((sum, day) => sum + Number(at(day, name)), 0) : Number.NaN;

const summary = Effect.fnUntraced(function* (
  { ask, figures, sandbox }: DemoStage,
  { sandboxToken }: Credentials,
  when: string,
  expected: Totals,
) {
  const { body } = yield* ask({
    base: sandbox,
    path: "/reports/summary",
    credential: sandboxToken,
    status: 200,
    show: (answer) => {
      const daily: unknown = at(answer, "data", "daily");
      return {
        totals: at(answer, "data", "totals"),
        "daily (the last)": Array.isArray(daily) ? at(daily, daily.length - 1) : daily,
        meta: at(answer, "meta"),
      };
    },
  });
  for (const name of totalNames) {
    yield* figures.is(`${name} of the summary ${when}`, at(body, "data", "totals", name), expected[name]);
  }
  yield* figures.is(`the days of the summary ${when}`, at(body, "data", "daily", "length"), 31);
  for (const name of dailyNames.filter((each) => each !== "devices_reached")) {
    yield* figures.is(
      `${name} of all days ${when}`,
      sumOfDays(at(body, "data", "daily"), name),
      expected[name],
    );
  }
  return at(body, "data", "totals");
});

const campaignRows = ({ ask, sandbox }: DemoStage, { sandboxToken }: Credentials) =>
  ask({ base: sandbox, path: "/reports/campaigns", credential: sandboxToken, status: 200 });

/** What the reports said, for the tables at the end. */
export interface Reported {
  readonly totals: unknown;
  readonly rows: unknown;
}

/** Both reports with every figure of the story. */
export const reportChapter = Effect.fnUntraced(function* (
  stage: DemoStage,
  credentials: Credentials,
  places: Places,
  offer: Offer,
) {
  yield* stage.narrator.chapter(
    "The reports",
    "Three entries (Ben's one and Anna's two), one exit, one message: half of the two registered devices were reached.",
  );
  const totals = yield* summary(stage, credentials, "while the campaign runs", whileItRuns);
  const { body } = yield* campaignRows(stage, credentials);
  yield* stage.figures.is("the rows of the campaigns report", at(body, "data"), [
    {
      id: offer.campaignId,
      name: "Coffee in Noord-Holland",
      status: "active",
      type: "geo",
      targets: places.groupSize,
      delivered: 1,
      engagement: 50,
    },
  ]);
  const reported: Reported = { totals, rows: at(body, "data") };
  return reported;
});

/** Deletes something of each kind and shows what stays in the reports. */
export const deletionChapter = Effect.fnUntraced(function* (
  stage: DemoStage,
  credentials: Credentials,
  places: Places,
  offer: Offer,
  devices: Devices,
) {
  const { ask, device, figures, narrator, operator, operatorKey, production, sandbox } = stage;
  const { productionToken, productionTokenId, sandboxToken: credential, workspaceId } = credentials;
  yield* narrator.chapter(
    "Tidying up",
    "The message, the location, the campaign, Ben's device and the Production token go. What was delivered and what " +
      "happened stays in the totals, and in Anna's inbox.",
  );
  const remove = (path: string) => ask({ method: "DELETE", base: sandbox, path, credential, status: 200 });
  yield* remove(`/campaigns/${offer.campaignId}/notifications/${offer.notificationId}`);
  yield* remove(`/locations/${places.cityId}`);
  const group = yield* ask({
    base: sandbox,
    path: `/location-groups/${places.groupId}`,
    credential,
    status: 200,
    show: (answer) => pick(at(answer, "data"), "name", "location_count"),
  });
  yield* figures.is(
    `the locations of ${places.groupName} afterwards`,
    at(group.body, "data", "location_count"),
    places.groupSize - 1,
  );
  yield* remove(`/campaigns/${offer.campaignId}`);
  const gone = yield* ask({ base: sandbox, path: `/campaigns/${offer.campaignId}`, credential, status: 404 });
  yield* figures.is("the error of the deleted campaign", at(gone.body, "error", "code"), "not_found");
  yield* ask({ method: "DELETE", base: device, path: "/devices/me", credential: devices.ben, status: 200 });
  yield* ask({
    method: "DELETE",
    base: operator,
    path: `/workspaces/${workspaceId}/tokens/${productionTokenId}`,
    credential: operatorKey,
    status: 200,
  });
  const revoked = yield* ask({ base: production, path: "/me", credential: productionToken, status: 401 });
  yield* figures.is("the error of the revoked token", at(revoked.body, "error", "code"), "token_revoked");
  const inbox = yield* ask({
    base: device,
    path: "/messages",
    credential: devices.anna,
    status: 200,
    show: (answer) => pick(at(answer, "data", 0), "headline", "opened_at"),
  });
  yield* figures.is("Anna's message afterwards", at(inbox.body, "data", 0, "headline"), offer.headline);
  const totals = yield* summary(stage, credentials, "after the deletions", afterDeleting);
  const { body } = yield* campaignRows(stage, credentials);
  yield* figures.is("the rows of the campaigns report after the deletions", at(body, "data"), []);
  const reported: Reported = { totals, rows: at(body, "data") };
  return reported;
});

const cell = (value: unknown): string | number =>
  typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value ?? null);

/** The report as tables, and how many figures were compared on the way. */
export const closing = Effect.fnUntraced(function* (
  { figures, narrator }: DemoStage,
  running: Reported,
  afterwards: Reported,
) {
  yield* narrator.chapter(
    "The report",
    "What the reports said while the campaign ran, and after the deletions.",
  );
  const columns = ["name", "status", "type", "targets", "delivered", "engagement"];
  yield* narrator.table(
    columns,
    (Array.isArray(running.rows) ? running.rows : []).map((row) =>
      columns.map((name) => cell(at(row, name))),
    ),
  );
  yield* narrator.table(
    ["figure", "campaign running", "after deleting"],
    totalNames.map((name) => [name, cell(at(running.totals, name)), cell(at(afterwards.totals, name))]),
  );
  yield* narrator.say(`All ${figures.checked} figures are right.`);
});
