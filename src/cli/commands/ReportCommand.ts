/** `waypost report …`: reports of an environment, as tables and a chart. */
import { Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import type { Environment } from "../../workspaces/Environment.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { BadUsage, type CommandRefused } from "../CommandRefused.ts";
import { environmentFlag, openEnvironment, workspaceFlag } from "../Lookups.ts";
import { Json, type Operator, operatorFlags } from "../Operator.ts";
import { dailyChart } from "../terminal/DailyChart.ts";
import { formatCount } from "../terminal/Formats.ts";
import { fittedTable } from "../terminal/Output.ts";
import { type Column, details } from "../terminal/Table.ts";

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

const filterFlags = {
  workspace: workspaceFlag,
  environment: environmentFlag.pipe(
    Flag.withDescription("Environment; production if left out"),
    Flag.withDefault("production" as const),
  ),
  start: text("start", "First day, YYYY-MM-DD; 30 days before the end if left out"),
  end: text("end", "Last day, YYYY-MM-DD, included; today if left out"),
  campaign: text("campaign", "Only the campaign with this id"),
  location: text("location", "Only the location with this id, and the campaigns that target it"),
  group: text("group", "Only the location group with this id, and the campaigns that target it"),
  activation: text("activation", "Only notifications with this trigger: on_enter, on_exit or fixed_time"),
  campaignStatus: text(
    "campaign-status",
    "Only campaigns with this status now: active, scheduled, paused or ended",
  ),
  contentType: text("content-type", "Only notifications of this type: message or survey"),
  csv: Flag.Boolean("csv").pipe(
    Flag.withDescription("Print CSV for spreadsheets instead of text for people"),
    Flag.withDefault(false),
  ),
};

const rowFlags = { ...filterFlags, status: text("status", "Only rows with this status") };

/** Query parameters of the interface, by flag. */
const parameters = {
  start: "start",
  end: "end",
  campaign: "campaign",
  location: "location",
  group: "location_group",
  activation: "activation",
  campaignStatus: "campaign_status",
  contentType: "content_type",
  status: "status",
} as const;

type FilterFlags = { readonly [flag in keyof typeof parameters]?: Option.Option<string> };

/** The query of a report. The server validates the values. */
const queryOf = (flags: FilterFlags) =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([flag, parameter]) => {
      const value = flags[flag as keyof typeof parameters];
      return value === undefined || Option.isNone(value) ? [] : [[parameter, value.value] as const];
    }),
  );

type ReportFlags = FilterFlags & {
  readonly workspace: string;
  readonly environment: Environment;
  readonly csv: boolean;
};

const openReport = Effect.fnUntraced(function* (flags: ReportFlags) {
  const { ask, params } = yield* openEnvironment(flags);
  return { ask, request: { params, query: queryOf(flags) } };
});

type Request = Effect.Success<ReturnType<typeof openReport>>["request"];

interface Range {
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}

const heading = ({ end, start, timezone }: Range): string => `${start} to ${end} (${timezone})`;

/** Prints a report: the whole response as JSON, or its range and a text for people. */
const print = (report: { readonly meta: Range }, text: string) =>
  Effect.flatMap(Json, (isJson) =>
    Console.log(isJson ? JSON.stringify(report, null, 2) : `${heading(report.meta)}\n\n${text}`),
  );

/** Prints a report as CSV, as the server writes it. */
const printCsv = Effect.fnUntraced(function* (report: string, flags: ReportFlags) {
  if (yield* Json) return yield* new BadUsage({ message: "Give either --csv or --json." });
  const { ask, request } = yield* openReport(flags);
  const { env, workspace } = request.params;
  const path = `/workspaces/${encodeURIComponent(workspace)}/${env}/reports/${report}`;
  const csv = yield* ask.text(path, { ...request.query, format: "csv" });
  // `Console.log` ends the last line.
  yield* Console.log(csv.replace(/\n$/, ""));
});

/** Prints a report as a table. */
const printRows = Effect.fnUntraced(function* <Row>(
  name: string,
  flags: ReportFlags,
  read: (
    ask: Operator,
    request: Request,
  ) => Effect.Effect<{ readonly data: ReadonlyArray<Row>; readonly meta: Range }, CommandRefused>,
  columns: ReadonlyArray<Column<Row>>,
  whenEmpty: string,
) {
  if (flags.csv) return yield* printCsv(name, flags);
  const { ask, request } = yield* openReport(flags);
  const report = yield* read(ask, request);
  yield* print(report, report.data.length === 0 ? whenEmpty : yield* fittedTable(columns, report.data));
});

const percent = (value: number): string => `${value.toFixed(1)}%`;

const summary = Command.make(
  "summary",
  filterFlags,
  Effect.fn(function* (flags) {
    if (flags.csv) return yield* printCsv("summary", flags);
    const { columns } = yield* CliEnvironment;
    const { ask, request } = yield* openReport(flags);
    const report = yield* ask((client) => client.reports.summary(request));
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
    "campaigns",
    flags,
    (ask, request) => ask((client) => client.reports.campaigns(request)),
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
    "locations",
    flags,
    (ask, request) => ask((client) => client.reports.locations(request)),
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
    "notifications",
    flags,
    (ask, request) => ask((client) => client.reports.notifications(request)),
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
    "interactions",
    flags,
    (ask, request) => ask((client) => client.reports.interactions(request)),
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
    "surveys",
    flags,
    (ask, request) => ask((client) => client.reports.surveys(request)),
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
