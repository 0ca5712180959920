/** `waypost report …`: reports of an environment, as tables and a chart, JSON or CSV. */
import { Console, Effect } from "effect";
import { Flag } from "effect/cli";
import type { WaypostClient } from "../../client/WaypostClient.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { badUsage } from "../CommandRefused.ts";
import { commandOn, platformTarget } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { environmentFlag, only, optionalFlag, switchFlag } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { dailyChart } from "../terminal/DailyChart.ts";
import { formatCount } from "../terminal/Formats.ts";
import { figures, type Shown } from "../terminal/ItemFields.ts";
import { fittedTable } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

const target = platformTarget({
  environment: environmentFlag.pipe(Flag.withDescription("Environment; production if left out")),
  otherwise: "production",
});

const csv = switchFlag("csv", "Print CSV for spreadsheets instead of text for people");

/** Filters of every report, by the parameters of its query. The server validates their values. */
const filters = {
  start: optionalFlag("start", "First day, YYYY-MM-DD; 30 days before the end if left out"),
  end: optionalFlag("end", "Last day, YYYY-MM-DD, included; today if left out"),
  campaign: optionalFlag("campaign", "Only the campaign with this id"),
  location: optionalFlag("location", "Only the location with this id, and the campaigns that target it"),
  location_group: optionalFlag(
    "group",
    "Only the location group with this id, and the campaigns that target it",
  ),
  activation: optionalFlag(
    "activation",
    "Only this trigger: on_enter, on_exit, on_dwell, fixed_time or on_event",
  ),
  campaign_status: optionalFlag(
    "campaign-status",
    "Only campaigns with this status now: active, scheduled, paused or ended",
  ),
  content_type: optionalFlag("content-type", "Only notifications of this type: message or survey"),
};

const noFilters = {};

/** The filter of a report of rows. */
const rowFilters = { status: optionalFlag("status", "Only rows with this status") };

type Meta = { readonly start: string; readonly end: string; readonly timezone: string };

/** An endpoint of a report. `Query` has the texts of flags, which the server validates. */
interface Report<Data, Query> {
  (query?: Query): Promise<{ readonly data: Data; readonly meta: Meta }>;
  csv(query?: Query): Promise<string>;
}

/** A report: its endpoint and its texts. */
interface Declared<Data, Query> {
  readonly select: (reports: WaypostClient["reports"]) => Report<Data, Query>;
  readonly description: string;
  /** The flags of its example. */
  readonly example: string;
}

/**
 * A command that prints a report: the whole response as JSON, CSV as the server writes it, or its range and a
 * text for people.
 */
const reportCommandOf = <Data, Query, R>(
  name: string,
  { description, example, select }: Declared<Data, Query>,
  textOf: (data: Data) => Effect.Effect<string, never, R>,
  ownFilters: typeof rowFilters | typeof noFilters = noFilters,
) =>
  commandOn(target, name, {
    description,
    examples: [`waypost report ${name} --workspace Acme ${example}`],
    flags: { ...filters, csv, ...ownFilters },
    *run(ask, flags) {
      const isJson = yield* Json;
      if (isJson && flags.csv) return yield* badUsage("Give either --csv or --json.");
      const query = only({ ...filters, ...rowFilters }, flags) as Query;
      if (flags.csv) {
        const text = yield* ask(({ reports }) => select(reports).csv(query));
        // `Console.log` ends the last line.
        return yield* Console.log(text.replace(/\n$/, ""));
      }
      const report = yield* ask(({ reports }) => select(reports)(query));
      const { end, start, timezone } = report.meta;
      yield* Console.log(
        isJson
          ? JSON.stringify(report, null, 2)
          : `${start} to ${end} (${timezone})\n\n${yield* textOf(report.data)}`,
      );
    },
  });

/** A command that prints a report of rows as a table. */
const rowsCommand = <Row, Query>(
  name: string,
  declared: Declared<ReadonlyArray<Row>, Query> & { readonly whenEmpty: string },
  shown: Shown<NoInfer<Row>>,
) =>
  reportCommandOf(
    name,
    declared,
    (rows) => (rows.length === 0 ? Effect.succeed(declared.whenEmpty) : fittedTable(rows, shown)),
    rowFilters,
  );

const percent = (value: number): string => `${value.toFixed(1)}%`;

const summary = reportCommandOf(
  "summary",
  {
    select: (reports) => reports.summary,
    description: "Totals, and a chart of deliveries per day",
    example: "--start 2026-11-01",
  },
  ({ daily, totals }) =>
    Effect.map(CliEnvironment, ({ columns }) =>
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
    ),
);

const campaigns = rowsCommand(
  "campaigns",
  {
    select: (reports) => reports.campaigns,
    description: "One row per campaign, most deliveries first",
    example: "--start 2026-11-01 --end 2026-11-30",
    whenEmpty: "No campaign matches.",
  },
  (row) => [
    "name",
    "status",
    "type",
    ...figures(row, "targets", "delivered"),
    ["engagement", percent(row.engagement), "figure"],
  ],
);

const locations = rowsCommand(
  "locations",
  {
    select: (reports) => reports.locations,
    description: "One row per location, most entries first",
    example: "--status active",
    whenEmpty: "No location matches.",
  },
  (row) => [
    "name",
    "status",
    ["groups", row.groups.join(", ")],
    ...figures(row, "entries", "exits"),
    ["engagement", percent(row.engagement), "figure"],
    ["dwell", row.dwell_minutes === null ? "-" : `${row.dwell_minutes} min`, "figure"],
  ],
);

const notifications = rowsCommand(
  "notifications",
  {
    select: (reports) => reports.notifications,
    description: "One row per notification, most deliveries first",
    example: "--json",
    whenEmpty: "No notification matches.",
  },
  (row) => [
    "name",
    "status",
    "type",
    ...figures(row, "sent", "delivered"),
    ["reach", percent(row.reach), "figure"],
  ],
);

const interactions = rowsCommand(
  "interactions",
  {
    select: (reports) => reports.interactions,
    description: "Opens and clicks of each notification, most deliveries first",
    example: "--csv",
    whenEmpty: "No notification matches.",
  },
  (row) => [
    "name",
    "status",
    "type",
    ...figures(row, "delivered", "opened"),
    ["open rate", percent(row.open_rate), "figure"],
    ...figures(row, "clicked"),
    ["click rate", percent(row.click_rate), "figure"],
  ],
);

const surveys = rowsCommand(
  "surveys",
  {
    select: (reports) => reports.surveys,
    description: "One row per survey of a campaign, most responses first",
    example: "--start 2026-11-01",
    whenEmpty: "No survey matches.",
  },
  (row) => [
    ["survey", row.survey_name],
    ["campaign", row.campaign_name],
    "status",
    ["trigger", row.trigger_type],
    ...figures(row, "questions", "responses"),
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
