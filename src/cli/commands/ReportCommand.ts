/** `waypost report …`: the figures of an environment, as tables and a chart. */
import { Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import type { CommandRefused } from "../CommandRefused.ts";
import { dailyChart } from "../terminal/DailyChart.ts";
import type { Environment } from "../../workspaces/Environment.ts";
import { environmentFlag, findWorkspace, workspaceFlag } from "../Lookups.ts";
import { type Operator, operator, operatorFlags, wantsJson } from "../Operator.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { fittedTable } from "../terminal/Output.ts";
import { type Column, details } from "../terminal/Table.ts";

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

const filterFlags = {
  workspace: workspaceFlag,
  environment: environmentFlag.pipe(
    Flag.withDescription("The environment; production if left out"),
    Flag.withDefault("production" as const),
  ),
  start: text("start", "First day, YYYY-MM-DD; 30 days before the end if left out"),
  end: text("end", "Last day, YYYY-MM-DD, counted whole; today if left out"),
  campaign: text("campaign", "Only the campaign with this id"),
  location: text("location", "Only the location with this id, and the campaigns that target it"),
  group: text("group", "Only the location group with this id, and the campaigns that target it"),
  activation: text("activation", "Only what this set off: on_enter, on_exit or fixed_time"),
  campaignStatus: text("campaign-status", "Only campaigns that are active, scheduled, paused or ended now"),
  contentType: text("content-type", "Only notifications of this type: message or survey"),
};

const rowFlags = { ...filterFlags, status: text("status", "Only rows with this status") };

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

type Given = { readonly [flag in keyof typeof parameters]?: Option.Option<string> };

/** What was given, under the names of the interface; the server judges the values. */
const queryOf = (flags: Given) =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([flag, parameter]) => {
      const value = flags[flag as keyof typeof parameters];
      return value === undefined || Option.isNone(value) ? [] : [[parameter, value.value] as const];
    }),
  );

/** What every report is asked by. */
type Asked = Given & { readonly workspace: string; readonly environment: Environment };

/** Finds where the report is asked, and says above it which days it is of. */
const prepare = Effect.fnUntraced(function* (flags: Asked) {
  const ask = yield* operator;
  const workspace = yield* findWorkspace(ask, flags.workspace);
  const { columns } = yield* CliEnvironment;
  return { ask, request: { params: { workspace, env: flags.environment }, query: queryOf(flags) }, columns };
});

type Request = Effect.Success<ReturnType<typeof prepare>>["request"];

interface Range {
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}

const heading = ({ end, start, timezone }: Range): string => `${start} to ${end} (${timezone})`;

/** Prints a report: its whole answer as JSON, or its range and the text that people read. */
const print = <Report extends { readonly meta: Range }>(report: Report, asText: (report: Report) => string) =>
  Effect.flatMap(wantsJson, (json) =>
    Console.log(json ? JSON.stringify(report, null, 2) : `${heading(report.meta)}\n\n${asText(report)}`),
  );

/** Prints a report of rows as a table, or says that there are none. */
const printRows = Effect.fnUntraced(function* <Row>(
  flags: Asked,
  read: (
    ask: Operator,
    request: Request,
  ) => Effect.Effect<{ readonly data: ReadonlyArray<Row>; readonly meta: Range }, CommandRefused>,
  columns: ReadonlyArray<Column<Row>>,
  nothing: string,
) {
  const { ask, request } = yield* prepare(flags);
  const report = yield* read(ask, request);
  const rows = report.data.length === 0 ? nothing : yield* fittedTable(columns, report.data);
  yield* print(report, () => rows);
});

const percent = (value: number): string => `${value.toFixed(1)}%`;

const whole = (value: number): string => value.toLocaleString("en-US");

const summary = Command.make(
  "summary",
  filterFlags,
  Effect.fn(function* (flags) {
    const { ask, columns, request } = yield* prepare(flags);
    const report = yield* ask((client) => client.reports.summary(request));
    yield* print(report, ({ data: { daily, totals } }) =>
      [
        details([
          ["delivered", whole(totals.delivered)],
          [
            "devices reached",
            `${whole(totals.devices_reached)} of ${whole(totals.registered_devices)} registered now`,
          ],
          ["entries", whole(totals.geofence_entries)],
          ["exits", whole(totals.geofence_exits)],
          ["campaigns", `${whole(totals.campaigns)}, ${whole(totals.active_campaigns)} of them active now`],
        ]),
        "",
        "Delivered on each day",
        dailyChart(
          daily.map(({ date, delivered }) => ({ label: date, value: delivered })),
          columns,
        ),
      ].join("\n"),
    );
  }),
).pipe(
  Command.withDescription("Totals, and a chart of the deliveries of each day"),
  Command.withExamples([{ command: "waypost report summary --workspace Acme --start 2026-11-01" }]),
);

const campaigns = Command.make("campaigns", rowFlags, (flags) =>
  printRows(
    flags,
    (ask, request) => ask((client) => client.reports.campaigns(request)),
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TYPE", cell: ({ type }) => type },
      { heading: "TARGETS", kind: "figure", cell: ({ targets }) => whole(targets) },
      { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => whole(delivered) },
      { heading: "ENGAGEMENT", kind: "figure", cell: ({ engagement }) => percent(engagement) },
    ],
    "No campaign matches.",
  ),
).pipe(
  Command.withDescription("A row for each campaign, the most delivered first"),
  Command.withExamples([
    { command: "waypost report campaigns --workspace Acme --start 2026-11-01 --end 2026-11-30" },
  ]),
);

const locations = Command.make("locations", rowFlags, (flags) =>
  printRows(
    flags,
    (ask, request) => ask((client) => client.reports.locations(request)),
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "GROUPS", cell: ({ groups }) => groups.join(", ") },
      { heading: "ENTRIES", kind: "figure", cell: ({ entries }) => whole(entries) },
      { heading: "EXITS", kind: "figure", cell: ({ exits }) => whole(exits) },
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
  Command.withDescription("A row for each location, the most entered first"),
  Command.withExamples([{ command: "waypost report locations --workspace Acme --status active" }]),
);

const notifications = Command.make("notifications", rowFlags, (flags) =>
  printRows(
    flags,
    (ask, request) => ask((client) => client.reports.notifications(request)),
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TYPE", cell: ({ type }) => type },
      { heading: "SENT", kind: "figure", cell: ({ sent }) => whole(sent) },
      { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => whole(delivered) },
      { heading: "REACH", kind: "figure", cell: ({ reach }) => percent(reach) },
    ],
    "No notification matches.",
  ),
).pipe(
  Command.withDescription("A row for each notification, the most delivered first"),
  Command.withExamples([{ command: "waypost report notifications --workspace Acme --json" }]),
);

const surveys = Command.make("surveys", rowFlags, (flags) =>
  printRows(
    flags,
    (ask, request) => ask((client) => client.reports.surveys(request)),
    [
      { heading: "SURVEY", cell: (row) => row.survey_name },
      { heading: "CAMPAIGN", cell: (row) => row.campaign_name },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "TRIGGER", cell: (row) => row.trigger_type },
      { heading: "QUESTIONS", kind: "figure", cell: ({ questions }) => whole(questions) },
      { heading: "RESPONSES", kind: "figure", cell: ({ responses }) => whole(responses) },
    ],
    "No survey matches.",
  ),
).pipe(
  Command.withDescription("A row for each survey on a campaign, the most answered first"),
  Command.withExamples([{ command: "waypost report surveys --workspace Acme --start 2026-11-01" }]),
);

/** `waypost report …` */
export const reportCommand = Command.make("report").pipe(
  Command.withDescription("Figures of an environment"),
  Command.withSubcommands([summary, campaigns, locations, notifications, surveys]),
  Command.withExamples([
    { command: "waypost report summary --workspace Acme --start 2026-11-01" },
    { command: "waypost report campaigns --workspace Acme --environment sandbox --json" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
