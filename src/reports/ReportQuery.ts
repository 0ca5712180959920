import { Effect, Schema } from "effect";
import { CampaignStatus } from "../campaigns/CampaignStatus.ts";
import { TriggerType } from "../notifications/Notification.ts";
import type { LocalDate } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { Unprocessable } from "../wire/ApiError.ts";
import { fieldSentence } from "../wire/FieldSentence.ts";
import { givenOnce } from "../wire/Problems.ts";
import { parseFields } from "../wire/ParsedBody.ts";
import { Uuid } from "../wire/Text.ts";
import { dateFields, defaultDays, maxDays, readRange } from "./ReportDates.ts";

/** The trigger of a delivery; as a filter, also which geofence events count (contract K2). */
const Activation = TriggerType;
const ContentType = Schema.Literals(["message", "survey"]);

const fields = {
  ...dateFields,
  campaign: Schema.optionalKey(Uuid),
  location: Schema.optionalKey(Uuid),
  location_group: Schema.optionalKey(Uuid),
  activation: Schema.optionalKey(Activation),
  campaign_status: Schema.optionalKey(CampaignStatus),
  content_type: Schema.optionalKey(ContentType),
};

/** Which activity counts and which items have a row; null filters nothing (contract K2, K3). */
export interface ReportFilters {
  readonly campaign: string | null;
  readonly location: string | null;
  readonly locationGroup: string | null;
  readonly activation: typeof Activation.Type | null;
  readonly campaignStatus: CampaignStatus | null;
  readonly contentType: typeof ContentType.Type | null;
}

/** Filters that select everything. */
export const noFilters: ReportFilters = {
  campaign: null,
  location: null,
  locationGroup: null,
  activation: null,
  campaignStatus: null,
  contentType: null,
};

/** Whether a filter selects campaigns or locations. Each of these filters reaches both (contract K2). */
export const filtersItems = (filters: ReportFilters): boolean =>
  filters.campaign !== null ||
  filters.campaignStatus !== null ||
  filters.location !== null ||
  filters.locationGroup !== null;

/** Whether entries count (contract K2). */
export const countsEntries = ({ activation }: ReportFilters): boolean =>
  activation === null || activation === "on_enter" || activation === "on_dwell";

/** Whether exits count (contract K2). */
export const countsExits = ({ activation }: ReportFilters): boolean =>
  activation === null || activation === "on_exit";

/** A report's parameters: whole days of the workspace's zone, filters, and the status of the rows to keep. */
export interface ReportQuery {
  readonly start: LocalDate;
  readonly end: LocalDate;
  readonly filters: ReportFilters;
  readonly status: string | null;
  readonly isByVariant: boolean;
}

/**
 * A parameter as the contract shows it. It accepts any text; `readReportQuery` validates all parameters
 * together, so that one answer names every problem, those of two parameters included (contract B4).
 */
const parameter = (
  description: string,
  example: string,
  json: { readonly format?: "date" | "uuid"; readonly enum?: ReadonlyArray<string> },
) =>
  Schema.optionalKey(
    Schema.Union([
      Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ ...json }) })),
      Schema.Array(Schema.String),
    ]).annotate({ description, examples: [example] }),
  );

/** The query parameters of every report. */
export const reportParameters = {
  start: parameter(`First day, YYYY-MM-DD; ${defaultDays} days before the end if left out.`, "2026-10-22", {
    format: "date",
  }),
  end: parameter(
    `Last day, included, YYYY-MM-DD; today if left out. At most ${maxDays} days after the start.`,
    "2026-11-21",
    { format: "date" },
  ),
  campaign: parameter(
    "Only this campaign's deliveries, and geofence activity at its locations.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
    { format: "uuid" },
  ),
  location: parameter(
    "Only this location, and the campaigns that target it.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61",
    { format: "uuid" },
  ),
  location_group: parameter(
    "Only this group's locations, and the campaigns that target the group.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62",
    { format: "uuid" },
  ),
  activation: parameter(
    "Only deliveries of this trigger; of geofence events `on_enter` and `on_dwell` count entries, " +
      "`on_exit` exits, `fixed_time` and `on_event` none.",
    "on_enter",
    { enum: Activation.literals },
  ),
  campaign_status: parameter("Only campaigns that have this status now.", "active", {
    enum: CampaignStatus.literals,
  }),
  content_type: parameter("Only notifications of this type.", "message", { enum: ContentType.literals }),
};

/** The optional range of a list of answers. */
export const answersRange = {
  start: parameter("First day of the first answers, YYYY-MM-DD; all if left out.", "2026-10-22", {
    format: "date",
  }),
  end: parameter("Last day of the first answers, included, YYYY-MM-DD; all if left out.", "2026-11-21", {
    format: "date",
  }),
};

/** The query parameters of a report with rows, whose items have these statuses. */
export const rowReportParameters = (statuses: ReadonlyArray<string>) => ({
  ...reportParameters,
  status: parameter("Keeps the rows with this status.", statuses[0] ?? "", { enum: statuses }),
});

/** The parameter that splits the rows of a report. */
export const byVariant = {
  by: parameter("`variant` gives a row for each variant of a notification, with its `variant`.", "variant", {
    enum: ["variant"],
  }),
};

/** The parameters of a request, unread. */
export type SentParameters = {
  readonly [name in keyof typeof fields | "status" | "by"]?: string | ReadonlyArray<string>;
};

/** Zone and time of a request, and the statuses of rows (none for the summary, which ignores it). */
export interface ReportContext {
  readonly timezone: TimeZoneName;
  readonly now: number;
  readonly statuses: ReadonlyArray<string>;
  /** Whether rows can be split by their variant. */
  readonly isSplittable: boolean;
}

/** Reads the parameters. Fails with 422 `validation_failed` that names every problem. */
export const readReportQuery = (
  sent: SentParameters,
  context: ReportContext,
): Effect.Effect<ReportQuery, Unprocessable> => {
  const single = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  const { fields: read, problems } = parseFields(Schema.Struct(fields), single);
  const status = context.statuses.length === 0 ? null : (single["status"] ?? null);
  for (const [name, value] of Object.entries(sent)) {
    const isIgnored =
      (name === "status" && context.statuses.length === 0) || (name === "by" && !context.isSplittable);
    if (typeof value !== "string" && !isIgnored) problems.add(name, fieldSentence(givenOnce, [name]));
  }
  if (status !== null && !context.statuses.includes(status)) {
    problems.add("status", `The status of a row in this report is ${either(context.statuses)}.`);
  }
  const by = context.isSplittable ? (single["by"] ?? null) : null;
  if (by !== null && by !== "variant") problems.add("by", "The by of this report can only be variant.");
  const { end, start } = readRange(sent, context, problems);
  if (!problems.isEmpty) return Effect.fail(Unprocessable.validation(problems.fields));
  return Effect.succeed({
    start,
    end,
    filters: {
      campaign: read.campaign ?? null,
      location: read.location ?? null,
      locationGroup: read.location_group ?? null,
      activation: read.activation ?? null,
      campaignStatus: read.campaign_status ?? null,
      contentType: read.content_type ?? null,
    },
    status,
    isByVariant: by !== null,
  });
};

const either = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
