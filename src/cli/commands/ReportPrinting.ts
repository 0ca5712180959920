/** Flags of `waypost report …`, and how reports are printed: as tables, JSON or CSV. */
import { Console, Effect, Option } from "effect";
import { Flag } from "effect/cli";
import type { WaypostClient } from "../../client/WaypostClient.ts";
import { badUsage } from "../CommandRefused.ts";
import { command } from "../DeclaredCommand.ts";
import { environmentFlag, type EnvironmentFlags, optionalFlag, switchFlag, workspaceFlag } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { openWorkspace } from "../Platform.ts";
import { fittedTable } from "../terminal/Output.ts";
import type { Column } from "../terminal/Table.ts";

/** Flags of every report. */
export const filterFlags = {
  workspace: workspaceFlag,
  environment: environmentFlag.pipe(
    Flag.withDescription("Environment; production if left out"),
    Flag.withDefault("production" as const),
  ),
  start: optionalFlag("start", "First day, YYYY-MM-DD; 30 days before the end if left out"),
  end: optionalFlag("end", "Last day, YYYY-MM-DD, included; today if left out"),
  campaign: optionalFlag("campaign", "Only the campaign with this id"),
  location: optionalFlag("location", "Only the location with this id, and the campaigns that target it"),
  group: optionalFlag("group", "Only the location group with this id, and the campaigns that target it"),
  activation: optionalFlag(
    "activation",
    "Only this trigger: on_enter, on_exit, on_dwell, fixed_time or on_event",
  ),
  campaignStatus: optionalFlag(
    "campaign-status",
    "Only campaigns with this status now: active, scheduled, paused or ended",
  ),
  contentType: optionalFlag("content-type", "Only notifications of this type: message or survey"),
  csv: switchFlag("csv", "Print CSV for spreadsheets instead of text for people"),
};

/** Flags of a report of rows. */
const rowFlags = { ...filterFlags, status: optionalFlag("status", "Only rows with this status") };

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

type Meta = { readonly start: string; readonly end: string; readonly timezone: string };

/** An endpoint of a report. `Query` has the texts of flags, which the server validates. */
interface Report<Data, Query> {
  (query?: Query): Promise<{ readonly data: Data; readonly meta: Meta }>;
  csv(query?: Query): Promise<string>;
}

type Reports = WaypostClient["reports"];

/**
 * Reads a report and prints it: the whole response as JSON, CSV as the server writes it, or its range and a
 * text for people.
 */
export const printReport = Effect.fnUntraced(function* <Data, Query, R>(
  flags: ReportFlags,
  select: (reports: Reports) => Report<Data, Query>,
  textOf: (data: Data) => Effect.Effect<string, never, R>,
) {
  const isJson = yield* Json;
  if (isJson && flags.csv) return yield* badUsage("Give either --csv or --json.");
  const platform = yield* openWorkspace(flags);
  const query = queryOf(flags) as Query;
  if (flags.csv) {
    const csv = yield* platform(({ reports }) => select(reports).csv(query));
    // `Console.log` ends the last line.
    return yield* Console.log(csv.replace(/\n$/, ""));
  }
  const report = yield* platform(({ reports }) => select(reports)(query));
  const { end, start, timezone } = report.meta;
  yield* Console.log(
    isJson
      ? JSON.stringify(report, null, 2)
      : `${start} to ${end} (${timezone})\n\n${yield* textOf(report.data)}`,
  );
});

/** A command that prints a report of rows as a table. */
export const rowsCommand = <Row, Query>(
  name: string,
  select: (reports: Reports) => Report<ReadonlyArray<Row>, Query>,
  texts: { readonly description: string; readonly example: string; readonly whenEmpty: string },
  columns: ReadonlyArray<Column<Row>>,
) =>
  command(name, {
    description: texts.description,
    examples: [texts.example],
    flags: rowFlags,
    *run(flags) {
      yield* printReport(flags, select, (rows) =>
        rows.length === 0 ? Effect.succeed(texts.whenEmpty) : fittedTable(columns, rows),
      );
    },
  });
