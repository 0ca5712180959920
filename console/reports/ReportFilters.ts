/** The filters of reports, which are parameters of the address with the API's names. */
import type { ApiRequest } from "../data/ApiCall.ts";
import { type Loaded, useData } from "../data/Query.ts";
import type { Report } from "../data/Resources.ts";
import type { Choice } from "../parts/form/Fields.tsx";
import { parameter, setParameters } from "../routing/Router.ts";
import type { ChosenRange, DayRange } from "./ChosenRange.ts";

/** Filters of the API. `status` is that of the rows. */
export const apiFilters = [
  "campaign",
  "location",
  "location_group",
  "activation",
  "campaign_status",
  "content_type",
  "status",
] as const;
/** A filter of the API. */
export type ApiFilter = (typeof apiFilters)[number];

/** `notification` and `question` keep one row; `q` is the search of the table. */
const ownFilters = ["notification", "question", "q"] as const;

/** The types of campaigns. */
export const campaignTypes = { geo: "Geo", push: "Push", event: "Event" } as const;

/** The statuses of campaigns. */
export const campaignStatuses: ReadonlyArray<Choice> = [
  { value: "active", text: "Active" },
  { value: "scheduled", text: "Scheduled" },
  { value: "paused", text: "Paused" },
  { value: "ended", text: "Ended" },
];

/** Whether anything but the range narrows the report. */
export const isFiltered = (): boolean =>
  [...apiFilters, ...ownFilters].some((name) => parameter(name) !== "");

/** Sets one filter. */
export const setFilter = (name: ApiFilter | (typeof ownFilters)[number], value: string | undefined): void =>
  setParameters({ [name]: value });

/** Removes all filters. */
export const clearFilters = (): void =>
  setParameters(Object.fromEntries([...apiFilters, ...ownFilters].map((name) => [name, undefined])));

/** The query of a report. */
export type ReportQuery = DayRange & Partial<Readonly<Record<ApiFilter, string>>>;

/** The query of a report about some days. */
export const reportQuery = (
  { end, start }: DayRange,
  filters: ReadonlyArray<ApiFilter> = apiFilters,
): ReportQuery => {
  const chosen = filters.filter((name) => parameter(name) !== "");
  return { start, end, ...Object.fromEntries(chosen.map((name) => [name, parameter(name)])) };
};

/** The data of a report, and of the same one about the period before. */
export const useCompared = <Data>(
  report: (query: ReportQuery) => ApiRequest<Report<Data>>,
  range: ChosenRange,
  filters?: ReadonlyArray<ApiFilter>,
): { readonly now: Loaded<Report<Data>>; readonly before: Report<Data> | undefined } => ({
  now: useData(report(reportQuery(range, filters))),
  before: useData(range.before === null ? null : report(reportQuery(range.before, filters))).data,
});
