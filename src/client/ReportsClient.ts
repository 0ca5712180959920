import { EndpointGroup } from "./Call.ts";
import type { CallInput, CallOptions } from "./Connection.ts";
import type { EndpointName, Envelope, Item, Query } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A report: its figures as JSON, or its rows as CSV. */
export interface ReportCall<E extends EndpointName<"reports">> {
  /** Retrieves the report. */
  (query?: Query<"reports", E>, options?: CallOptions): Promise<Envelope<"reports", E>>;
  /** Retrieves the rows of the report (of the summary its days) as CSV with a header row. */
  csv(query?: Query<"reports", E>, options?: CallOptions): Promise<string>;
}

/** The range of a survey's results. */
export type ResultsQuery = Query<"surveyResults", "results">;
/** The results of a survey. */
export type SurveyResults = Envelope<"surveyResults", "results">;
/** One response to a survey. */
export type SurveyResponse = Item<"surveyResults", "answers">;
/** The range of a survey's answers, the `cursor` to start at, and the number of items per request (100). */
export type AnswersQuery = Omit<Query<"surveyResults", "answers">, "limit"> & { readonly limit?: number };

/** Reports. `data` holds the figures; `meta` holds the range of days and its time zone. */
export class ReportsClient extends EndpointGroup {
  /** Retrieves totals, and one item for every day of the range. */
  readonly summary = this.#report("summary");
  /** Retrieves one row for each campaign. */
  readonly campaigns = this.#report("campaigns");
  /** Retrieves one row for each location. */
  readonly locations = this.#report("locations");
  /** Retrieves one row for each notification. */
  readonly notifications = this.#report("notifications");
  /** Retrieves the opens and clicks of each notification. */
  readonly interactions = this.#report("interactions");
  /** Retrieves one row for each survey of a campaign. */
  readonly surveys = this.#report("surveys");

  /** Retrieves what devices answered to a survey on a campaign, in figures. */
  readonly results = Object.assign(
    (
      campaign: string,
      notification: string,
      query: ResultsQuery = {},
      options?: CallOptions,
    ): Promise<SurveyResults> =>
      this.call(["surveyResults", "results"], { ids: { campaign, notification }, query, options }),
    {
      /** The same as CSV with a header row, a row for each question. */
      csv: (campaign: string, notification: string, query: ResultsQuery = {}, options?: CallOptions) =>
        this.call.csv(["surveyResults", "results"], { ids: { campaign, notification }, query, options }),
    },
  );

  /** Lists the answers to a survey on a campaign, newest first. */
  readonly answers = Object.assign(
    (
      campaign: string,
      notification: string,
      query: AnswersQuery = {},
      options?: CallOptions,
    ): Pages<SurveyResponse> =>
      this.pages(["surveyResults", "answers"], query as NonNullable<CallInput["query"]>, options, {
        campaign,
        notification,
      }),
    {
      /** All of them as CSV with a header row, a column for each question. */
      csv: (campaign: string, notification: string, query: ResultsQuery = {}, options?: CallOptions) =>
        this.call.csv(["surveyResults", "answers"], { ids: { campaign, notification }, query, options }),
    },
  );

  #report<E extends EndpointName<"reports">>(report: E): ReportCall<E> {
    return Object.assign(
      (query: Query<"reports", E> = {} as Query<"reports", E>, options?: CallOptions) =>
        this.call(["reports", report], { query: query as NonNullable<CallInput["query"]>, options }),
      {
        csv: (query: Query<"reports", E> = {} as Query<"reports", E>, options?: CallOptions) =>
          this.call.csv(["reports", report], { query: query as NonNullable<CallInput["query"]>, options }),
      },
    );
  }
}
