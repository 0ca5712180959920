/** Reports as CSV (contract M5): the rows, of the summary its days. */
import { csvLines } from "../http/csv/Csv.ts";
import { type CsvFile, csvName } from "../http/csv/CsvFile.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { CampaignRow, InteractionRow, LocationRow, NotificationRow, Summary, SurveyRow } from "./Report.ts";
import type { Reports } from "./Reports.ts";

/** The name of a report. */
export type ReportName = keyof Reports["Service"];

const columnsOf: { readonly [report in ReportName]: ReadonlyArray<string> } = {
  summary: Object.keys(Summary.fields.daily.value.fields),
  campaigns: Object.keys(CampaignRow.fields),
  locations: Object.keys(LocationRow.fields),
  notifications: Object.keys(NotificationRow.fields),
  interactions: Object.keys(InteractionRow.fields),
  surveys: Object.keys(SurveyRow.fields),
};

interface ReportBody {
  readonly data: ReadonlyArray<object> | { readonly daily: ReadonlyArray<object> };
  readonly meta: { readonly start: string; readonly end: string };
}

/** The file of a report, from its JSON text. */
export const reportFile = (
  report: ReportName,
  tenant: Tenant,
  text: string,
  isByVariant: boolean,
): CsvFile => {
  const { data, meta } = JSON.parse(text) as ReportBody;
  const rows = "daily" in data ? data.daily : data;
  const heading = columnsOf[report].filter((column) => column !== "variant" || isByVariant);
  return {
    name: csvName(report, tenant, [meta.start, meta.end]),
    heading,
    records: csvLines(heading, rows),
  };
};
