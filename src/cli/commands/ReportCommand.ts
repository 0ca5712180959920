/** `waypost report …`: reports of an environment, as tables and a chart. */
import { Effect } from "effect";
import { CliEnvironment } from "../CliEnvironment.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { dailyChart } from "../terminal/DailyChart.ts";
import { formatCount } from "../terminal/Formats.ts";
import { type Column, details } from "../terminal/Table.ts";
import { filterFlags, printReport, rowsCommand } from "./ReportPrinting.ts";

const percent = (value: number): string => `${value.toFixed(1)}%`;

const summary = command("summary", {
  description: "Totals, and a chart of deliveries per day",
  examples: ["waypost report summary --workspace Acme --start 2026-11-01"],
  flags: filterFlags,
  *run(flags) {
    const { columns } = yield* CliEnvironment;
    yield* printReport(
      flags,
      (reports) => reports.summary,
      ({ daily, totals }) =>
        Effect.succeed(
          [
            details([
              ["delivered", formatCount(totals.delivered)],
              [
                "devices reached",
                `${formatCount(totals.devices_reached)} of ` +
                  `${formatCount(totals.registered_devices)} registered now`,
              ],
              ["entries", formatCount(totals.geofence_entries)],
              ["exits", formatCount(totals.geofence_exits)],
              [
                "campaigns",
                `${formatCount(totals.campaigns)}, ` +
                  `${formatCount(totals.active_campaigns)} of them active now`,
              ],
            ]),
            "",
            "Delivered per day",
            dailyChart(
              daily.map(({ date, delivered }) => ({ label: date, value: delivered })),
              columns,
            ),
          ].join("\n"),
        ),
    );
  },
});

const namedColumns: ReadonlyArray<Column<{ name: string; status: string; type: string }>> = [
  { heading: "NAME", cell: ({ name }) => name },
  { heading: "STATUS", cell: ({ status }) => status },
  { heading: "TYPE", cell: ({ type }) => type },
];

const campaigns = rowsCommand(
  "campaigns",
  (reports) => reports.campaigns,
  {
    description: "One row per campaign, most deliveries first",
    example: "waypost report campaigns --workspace Acme --start 2026-11-01 --end 2026-11-30",
    whenEmpty: "No campaign matches.",
  },
  [
    ...namedColumns,
    { heading: "TARGETS", kind: "figure", cell: ({ targets }) => targets },
    { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
    { heading: "ENGAGEMENT", kind: "figure", cell: ({ engagement }) => percent(engagement) },
  ],
);

const locations = rowsCommand(
  "locations",
  (reports) => reports.locations,
  {
    description: "One row per location, most entries first",
    example: "waypost report locations --workspace Acme --status active",
    whenEmpty: "No location matches.",
  },
  [
    { heading: "NAME", cell: ({ name }) => name },
    { heading: "STATUS", cell: ({ status }) => status },
    { heading: "GROUPS", cell: ({ groups }) => groups.join(", ") },
    { heading: "ENTRIES", kind: "figure", cell: ({ entries }) => entries },
    { heading: "EXITS", kind: "figure", cell: ({ exits }) => exits },
    { heading: "ENGAGEMENT", kind: "figure", cell: ({ engagement }) => percent(engagement) },
    {
      heading: "DWELL",
      kind: "figure",
      cell: (row) => (row.dwell_minutes === null ? "-" : `${row.dwell_minutes} min`),
    },
  ],
);

const notifications = rowsCommand(
  "notifications",
  (reports) => reports.notifications,
  {
    description: "One row per notification, most deliveries first",
    example: "waypost report notifications --workspace Acme --json",
    whenEmpty: "No notification matches.",
  },
  [
    ...namedColumns,
    { heading: "SENT", kind: "figure", cell: ({ sent }) => sent },
    { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
    { heading: "REACH", kind: "figure", cell: ({ reach }) => percent(reach) },
  ],
);

const interactions = rowsCommand(
  "interactions",
  (reports) => reports.interactions,
  {
    description: "Opens and clicks of each notification, most deliveries first",
    example: "waypost report interactions --workspace Acme --csv",
    whenEmpty: "No notification matches.",
  },
  [
    ...namedColumns,
    { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
    { heading: "OPENED", kind: "figure", cell: ({ opened }) => opened },
    { heading: "OPEN RATE", kind: "figure", cell: (row) => percent(row.open_rate) },
    { heading: "CLICKED", kind: "figure", cell: ({ clicked }) => clicked },
    { heading: "CLICK RATE", kind: "figure", cell: (row) => percent(row.click_rate) },
  ],
);

const surveys = rowsCommand(
  "surveys",
  (reports) => reports.surveys,
  {
    description: "One row per survey of a campaign, most responses first",
    example: "waypost report surveys --workspace Acme --start 2026-11-01",
    whenEmpty: "No survey matches.",
  },
  [
    { heading: "SURVEY", cell: (row) => row.survey_name },
    { heading: "CAMPAIGN", cell: (row) => row.campaign_name },
    { heading: "STATUS", cell: ({ status }) => status },
    { heading: "TRIGGER", cell: (row) => row.trigger_type },
    { heading: "QUESTIONS", kind: "figure", cell: ({ questions }) => questions },
    { heading: "RESPONSES", kind: "figure", cell: ({ responses }) => responses },
  ],
);

/** `waypost report …` */
export const reportCommand = operatorCommands("report", {
  description: "Reports of an environment",
  examples: [
    "waypost report summary --workspace Acme --start 2026-11-01",
    "waypost report campaigns --workspace Acme --environment sandbox --json",
    "waypost report locations --workspace Acme --csv",
  ],
  commands: [summary, campaigns, locations, notifications, interactions, surveys],
});
