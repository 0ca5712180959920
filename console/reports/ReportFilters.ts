/** The filters of reports, which are parameters of the address with the API's names. */
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

/** Whether anything but the range narrows the report. */
export const isFiltered = (): boolean =>
  [...apiFilters, ...ownFilters].some((name) => parameter(name) !== "");

/** Sets one filter. */
export const setFilter = (name: ApiFilter | (typeof ownFilters)[number], value: string | undefined): void =>
  setParameters({ [name]: value });

/** Removes all filters. */
export const clearFilters = (): void =>
  setParameters(Object.fromEntries([...apiFilters, ...ownFilters].map((name) => [name, undefined])));

/** The query of a report about some days. */
export const reportQuery = (
  { end, start }: DayRange,
  filters: ReadonlyArray<ApiFilter> = apiFilters,
): string => {
  const query = new URLSearchParams({ start, end });
  for (const name of filters) if (parameter(name) !== "") query.set(name, parameter(name));
  return query.toString();
};

/** The paths of a report, and of the same one about the period before. */
export const comparedPaths = (
  path: string,
  range: ChosenRange,
  filters?: ReadonlyArray<ApiFilter>,
): { readonly now: string; readonly before: string | null } => ({
  now: `${path}?${reportQuery(range, filters)}`,
  before: range.before === null ? null : `${path}?${reportQuery(range.before, filters)}`,
});
