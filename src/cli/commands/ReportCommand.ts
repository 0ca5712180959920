/** `waypost report …`: reports of an environment, as tables and a chart. */
import { Effect } from "effect";
import { Command } from "effect/cli";
import { CliEnvironment } from "../CliEnvironment.ts";
import { operatorFlags } from "../Operator.ts";
import { dailyChart } from "../terminal/DailyChart.ts";
import { formatCount } from "../terminal/Formats.ts";
import { details } from "../terminal/Table.ts";
import { filterFlags, print, printCsv, printRows, readReport, rowFlags } from "./ReportPrinting.ts";

const percent = (value: number): string => `${value.toFixed(1)}%`;

const summary = Command.make(
  "summary",
  filterFlags,
  Effect.fn(function* (flags) {
    if (flags.csv) return yield* printCsv(flags, (reports) => reports.summary);
    const { columns } = yield* CliEnvironment;
    const report = yield* readReport(flags, (reports) => reports.summary);
    const { daily, totals } = report.data;
    yield* print(
      report,
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
            `${formatCount(totals.campaigns)}, ${formatCount(totals.active_campaigns)} of them active now`,
          ],
        ]),
        "",
        "Delivered per day",
        dailyChart(
          daily.map(({ date, delivered }) => ({ label: date, value: delivered })),
          columns,
        ),
      ].join("\n"),
    );
  }),
).pipe(
  Command.withDescription("Totals, and a chart of deliveries per day"),
  Command.withExamples([{ command: "waypost report summary --workspace Acme --start 2026-11-01" }]),
);

const campaigns = Command.make("campaigns", rowFlags, (flags) =>
  printRows(
    flags,
    (reports) => reports.campaigns,
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TYPE", cell: ({ type }) => type },
      { heading: "TARGETS", kind: "figure", cell: ({ targets }) => targets },
      { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
      { heading: "ENGAGEMENT", kind: "figure", cell: ({ engagement }) => percent(engagement) },
    ],
    "No campaign matches.",
  ),
).pipe(
  Command.withDescription("One row per campaign, most deliveries first"),
  Command.withExamples([
    { command: "waypost report campaigns --workspace Acme --start 2026-11-01 --end 2026-11-30" },
  ]),
);

const locations = Command.make("locations", rowFlags, (flags) =>
  printRows(
    flags,
    (reports) => reports.locations,
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
    "No location matches.",
  ),
).pipe(
  Command.withDescription("One row per location, most entries first"),
  Command.withExamples([{ command: "waypost report locations --workspace Acme --status active" }]),
);

const notifications = Command.make("notifications", rowFlags, (flags) =>
  printRows(
    flags,
    (reports) => reports.notifications,
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TYPE", cell: ({ type }) => type },
      { heading: "SENT", kind: "figure", cell: ({ sent }) => sent },
      { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
      { heading: "REACH", kind: "figure", cell: ({ reach }) => percent(reach) },
    ],
    "No notification matches.",
  ),
).pipe(
  Command.withDescription("One row per notification, most deliveries first"),
  Command.withExamples([{ command: "waypost report notifications --workspace Acme --json" }]),
);

const interactions = Command.make("interactions", rowFlags, (flags) =>
  printRows(
    flags,
    (reports) => reports.interactions,
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TYPE", cell: ({ type }) => type },
      { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
      { heading: "OPENED", kind: "figure", cell: ({ opened }) => opened },
      { heading: "OPEN RATE", kind: "figure", cell: (row) => percent(row.open_rate) },
      { heading: "CLICKED", kind: "figure", cell: ({ clicked }) => clicked },
      { heading: "CLICK RATE", kind: "figure", cell: (row) => percent(row.click_rate) },
    ],
    "No notification matches.",
  ),
).pipe(
  Command.withDescription("Opens and clicks of each notification, most deliveries first"),
  Command.withExamples([{ command: "waypost report interactions --workspace Acme --csv" }]),
);

const surveys = Command.make("surveys", rowFlags, (flags) =>
  printRows(
    flags,
    (reports) => reports.surveys,
    [
      { heading: "SURVEY", cell: (row) => row.survey_name },
      { heading: "CAMPAIGN", cell: (row) => row.campaign_name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TRIGGER", cell: (row) => row.trigger_type },
      { heading: "QUESTIONS", kind: "figure", cell: ({ questions }) => questions },
      { heading: "RESPONSES", kind: "figure", cell: ({ responses }) => responses },
    ],
    "No survey matches.",
  ),
).pipe(
  Command.withDescription("One row per survey of a campaign, most responses first"),
  Command.withExamples([{ command: "waypost report surveys --workspace Acme --start 2026-11-01" }]),
);

/** `waypost report …` */
export const reportCommand = Command.make("report").pipe(
  Command.withDescription("Reports of an environment"),
  Command.withSubcommands([summary, campaigns, locations, notifications, interactions, surveys]),
  Command.withExamples([
    { command: "waypost report summary --workspace Acme --start 2026-11-01" },
    { command: "waypost report campaigns --workspace Acme --environment sandbox --json" },
    { command: "waypost report locations --workspace Acme --csv" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
