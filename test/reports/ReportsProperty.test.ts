import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import fc from "fast-check";
import {
  CampaignRow,
  campaignRowStatuses,
  LocationRow,
  locationRowStatuses,
  NotificationRow,
  notificationRowStatuses,
  ReportOf,
  Summary,
} from "../../src/reports/Report.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { asked, filters, history, sparse, zones } from "./AnyHistory.ts";
import { record } from "./RecordedHistory.ts";
import type { ReportHistory } from "./ReportHistory.ts";
import { ReportOracle } from "./ReportOracle.ts";

/** The reports with rows, each with what its rows are and the statuses that they can have. */
const rowReports = {
  campaigns: { row: CampaignRow, statuses: campaignRowStatuses },
  locations: { row: LocationRow, statuses: locationRowStatuses },
  notifications: { row: NotificationRow, statuses: notificationRowStatuses },
} as const;

const strictly = { onExcessProperty: "error", errors: "all" } as const;
const decodeSummary = Schema.decodeUnknownSync(ReportOf(Summary), strictly);
const decodeRows = (body: unknown, row: Schema.Codec<unknown>) =>
  Schema.decodeUnknownSync(ReportOf(Schema.Array(row)), strictly)(body).data;

layer(TestWaypost.layer)("The reports", (it) => {
  const workspaces = 12;
  it.effect(
    "say what a plain reading of the rules says of any history, filters and range (K1, K2.2, K2.3, K3.1, K3.4, K4, K5, K7, K8)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const found = yield* Workspaces;
        const histories = fc.sample(history, { numRuns: 2 * workspaces, seed: 20_261_121 });
        const requests = fc.sample(sparse, { numRuns: 2 * workspaces * 12, seed: 1_121_026 });
        const telling = new Map<string, number>();
        const tell = (report: string, names: ReadonlyArray<string>) => {
          for (const name of names) {
            const key = `${report}: ${name}`;
            telling.set(key, (telling.get(key) ?? 0) + 1);
          }
        };
        for (let made = 0; made < workspaces; made++) {
          const zone = zones[made % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(found.find(tenant.workspace.id));
          // Both environments have a past, with the same device numbers: neither may show in the other.
          for (const [half, environment] of (["sandbox", "production"] as const).entries()) {
            const number = 2 * made + half;
            const past = histories[number] as ReportHistory;
            const ids = yield* record(workspaceId, environment, past);
            const oracle = new ReportOracle(past, ids, zone, testStart);
            for (const one of requests.slice(number * 12, number * 12 + 12)) {
              const query = asked(one, ids, campaignRowStatuses);
              const get = (report: string, search: string) =>
                Effect.map(tenant[environment](`/reports/${report}?${search}`), ({ body }) => body);
              const search = new URLSearchParams(query).toString();
              const about = `history ${number} in ${zone}, ${search}`;
              const meta = { start: query.start, end: query.end, timezone: zone };
              const summary = yield* get("summary", search);
              assert.deepStrictEqual(summary, { data: oracle.summary(query), meta }, about);
              const { delivered, geofence_entries, geofence_exits } = decodeSummary(summary).data.totals;
              if (delivered > 0 && geofence_entries + geofence_exits > 0) tell("summary", Object.keys(query));
              for (const report of ["campaigns", "locations", "notifications"] as const) {
                const { row, statuses } = rowReports[report];
                const query = asked(one, ids, statuses);
                const search = new URLSearchParams(query).toString();
                const about = `history ${number} in ${zone}, ${report}, ${search}`;
                const body = yield* get(report, search);
                const expected = oracle[report](query);
                assert.deepStrictEqual(body, { data: expected, meta }, about);
                decodeRows(body, row);
                const isTold = expected.some((row) =>
                  "entries" in row ? row.entries + row.exits > 0 : row.delivered > 0,
                );
                if (isTold) tell(report, Object.keys(query));
                for (const row of expected) {
                  tell(report, [`row ${row.status}`]);
                  if ("dwell_minutes" in row && row.dwell_minutes !== null) tell(report, ["row that dwells"]);
                }
              }
            }
          }
        }
        // Zeros alone would prove nothing: each filter must have let something through, often.
        for (const report of ["summary", ...Object.keys(rowReports)]) {
          const isIgnored = (name: string) => report === "summary" && name === "status";
          for (const name of filters.filter((name) => !isIgnored(name))) {
            assert.isAtLeast(telling.get(`${report}: ${name}`) ?? 0, 6, `${report}: ${name}`);
          }
        }
        for (const [report, { statuses }] of Object.entries(rowReports)) {
          for (const status of statuses) {
            assert.isAtLeast(telling.get(`${report}: row ${status}`) ?? 0, 3, `${report}: ${status}`);
          }
        }
        assert.isAtLeast(telling.get("locations: row that dwells") ?? 0, 50);
      }),
  );
});
