import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import fc from "fast-check";
import {
  CampaignRow,
  campaignRowStatuses,
  InteractionRow,
  LocationRow,
  locationRowStatuses,
  NotificationRow,
  notificationRowStatuses,
  ReportOf,
  Summary,
} from "../../src/reports/Report.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { anyHistory, anyRequest, filters, queryOf, zones } from "./AnyHistory.ts";
import { record } from "./RecordedHistory.ts";
import type { ReportHistory } from "./ReportHistory.ts";
import { ReportOracle } from "./ReportOracle.ts";

/** The reports with rows: their rows, and the statuses that these can have. */
const rowReports = {
  campaigns: { row: CampaignRow, statuses: campaignRowStatuses },
  locations: { row: LocationRow, statuses: locationRowStatuses },
  notifications: { row: NotificationRow, statuses: notificationRowStatuses },
  interactions: { row: InteractionRow, statuses: notificationRowStatuses },
} as const;

const strictly = { onExcessProperty: "error", errors: "all" } as const;
const decodeSummary = Schema.decodeUnknownSync(ReportOf(Summary), strictly);
const decodeRows = (body: unknown, row: Schema.Codec<unknown>) =>
  Schema.decodeUnknownSync(ReportOf(Schema.Array(row)), strictly)(body).data;

/** Counts how often something was the case. */
class Coverage {
  readonly #counts = new Map<string, number>();

  add(report: string, names: ReadonlyArray<string>): void {
    for (const name of names) this.#counts.set(`${report}: ${name}`, this.of(report, name) + 1);
  }

  of(report: string, name: string): number {
    return this.#counts.get(`${report}: ${name}`) ?? 0;
  }
}

layer(TestWaypost.layer)("The reports", (it) => {
  const workspaces = 12;
  it.effect(
    "reports agree with a plain reading of the rules (K1, K2.2, K2.3, K3.1, K3.4, K4, K5, K7, K8, M2)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const known = yield* Workspaces;
        const histories = fc.sample(anyHistory, { numRuns: 2 * workspaces, seed: 20_261_121 });
        const requests = fc.sample(anyRequest, { numRuns: 2 * workspaces * 12, seed: 1_121_026 });
        const coverage = new Coverage();
        for (let count = 0; count < workspaces; count++) {
          const zone = zones[count % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(known.find(tenant.workspace.id));
          // Both environments have a history with the same device keys: neither may show in the other.
          for (const [half, environment] of (["sandbox", "production"] as const).entries()) {
            const number = 2 * count + half;
            const history = histories[number] as ReportHistory;
            const ids = yield* record(workspaceId, environment, history);
            const oracle = new ReportOracle(history, ids, zone, testStart);
            for (const request of requests.slice(number * 12, number * 12 + 12)) {
              const query = queryOf(request, ids, campaignRowStatuses);
              const get = (report: string, search: string) =>
                Effect.map(tenant[environment](`/reports/${report}?${search}`), ({ body }) => body);
              const search = new URLSearchParams(query).toString();
              const about = `history ${number} in ${zone}, ${search}`;
              const meta = { start: query.start, end: query.end, timezone: zone };
              const summary = yield* get("summary", search);
              assert.deepStrictEqual(summary, { data: oracle.summary(query), meta }, about);
              const { delivered, geofence_entries, geofence_exits } = decodeSummary(summary).data.totals;
              if (delivered > 0 && geofence_entries + geofence_exits > 0) {
                coverage.add("summary", Object.keys(query));
              }
              for (const report of ["campaigns", "locations", "notifications", "interactions"] as const) {
                const { row, statuses } = rowReports[report];
                const query = queryOf(request, ids, statuses);
                const search = new URLSearchParams(query).toString();
                const about = `history ${number} in ${zone}, ${report}, ${search}`;
                const body = yield* get(report, search);
                const expected = oracle[report](query);
                assert.deepStrictEqual(body, { data: expected, meta }, about);
                decodeRows(body, row);
                const hasActivity = expected.some((row) =>
                  "entries" in row ? row.entries + row.exits > 0 : row.delivered > 0,
                );
                if (hasActivity) coverage.add(report, Object.keys(query));
                for (const row of expected) {
                  coverage.add(report, [`row ${row.status}`]);
                  if ("opened" in row && row.opened > 0) coverage.add(report, ["row with opens"]);
                  if ("click_rate" in row && row.click_rate > 0) coverage.add(report, ["row with clicks"]);
                  if ("open_rate" in row && row.open_rate > 100) coverage.add(report, ["row above 100"]);
                  if ("dwell_minutes" in row && row.dwell_minutes !== null) {
                    coverage.add(report, ["row with dwell"]);
                  }
                }
              }
            }
          }
        }
        // Zeros alone would prove nothing: each filter must have let something through, often.
        for (const report of ["summary", ...Object.keys(rowReports)]) {
          const isIgnored = (name: string) => report === "summary" && name === "status";
          for (const name of filters.filter((name) => !isIgnored(name))) {
            assert.isAtLeast(coverage.of(report, name), 6, `${report}: ${name}`);
          }
        }
        for (const [report, { statuses }] of Object.entries(rowReports)) {
          for (const status of statuses) {
            assert.isAtLeast(coverage.of(report, `row ${status}`), 3, `${report}: ${status}`);
          }
        }
        assert.isAtLeast(coverage.of("locations", "row with dwell"), 50);
        assert.isAtLeast(coverage.of("interactions", "row with opens"), 50);
        assert.isAtLeast(coverage.of("interactions", "row with clicks"), 50);
        assert.isAtLeast(coverage.of("interactions", "row above 100"), 5);
      }),
  );
});
