/** Flags of `waypost report …`, and how reports are printed: as tables, JSON or CSV. */
import { Console, Effect, Option } from "effect";
import { Flag } from "effect/cli";
import type { WaypostClient } from "../../client/WaypostClient.ts";
import { BadUsage } from "../CommandRefused.ts";
import { environmentFlag, type EnvironmentFlags, workspaceFlag } from "../Lookups.ts";
import { Json } from "../Operator.ts";
import { openWorkspace } from "../Platform.ts";
import { fittedTable } from "../terminal/Output.ts";
import type { Column } from "../terminal/Table.ts";

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

/** Flags of every report. */
export const filterFlags = {
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
  activation: text("activation", "Only this trigger: on_enter, on_exit, on_dwell or fixed_time"),
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

/** Flags of a report of rows. */
export const rowFlags = { ...filterFlags, status: text("status", "Only rows with this status") };

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

type ReportFlags = FilterFlags & EnvironmentFlags & { readonly csv: boolean };

interface Range {
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}

/** An endpoint of a report. `Query` has the texts of flags, which the server validates. */
interface Report<Data, Query> {
  (query?: Query): Promise<{ readonly data: Data; readonly meta: Range }>;
  csv(query?: Query): Promise<string>;
}

type Reports = WaypostClient["reports"];

const heading = ({ end, start, timezone }: Range): string => `${start} to ${end} (${timezone})`;

/** Prints a report: the whole response as JSON, or its range and a text for people. */
export const print = (report: { readonly meta: Range }, text: string) =>
  Effect.flatMap(Json, (isJson) =>
    Console.log(isJson ? JSON.stringify(report, null, 2) : `${heading(report.meta)}\n\n${text}`),
  );

/** Reads a report. */
export const readReport = Effect.fnUntraced(function* <Data, Query>(
  flags: ReportFlags,
  select: (reports: Reports) => Report<Data, Query>,
) {
  const platform = yield* openWorkspace(flags);
  return yield* platform(({ reports }) => select(reports)(queryOf(flags) as Query));
});

/** Prints a report as CSV, as the server writes it. */
export const printCsv = Effect.fnUntraced(function* <Data, Query>(
  flags: ReportFlags,
  select: (reports: Reports) => Report<Data, Query>,
) {
  if (yield* Json) return yield* new BadUsage({ message: "Give either --csv or --json." });
  const platform = yield* openWorkspace(flags);
  const csv = yield* platform(({ reports }) => select(reports).csv(queryOf(flags) as Query));
  // `Console.log` ends the last line.
  yield* Console.log(csv.replace(/\n$/, ""));
});

/** Prints a report as a table. */
export const printRows = Effect.fnUntraced(function* <Row, Query>(
  flags: ReportFlags,
  select: (reports: Reports) => Report<ReadonlyArray<Row>, Query>,
  columns: ReadonlyArray<Column<Row>>,
  whenEmpty: string,
) {
  if (flags.csv) return yield* printCsv(flags, select);
  const report = yield* readReport(flags, select);
  yield* print(report, report.data.length === 0 ? whenEmpty : yield* fittedTable(columns, report.data));
});
