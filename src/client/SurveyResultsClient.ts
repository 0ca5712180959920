import { EndpointGroup } from "./Call.ts";
import type { CallInput, CallOptions } from "./Connection.ts";
import type { Envelope, Item, Query } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** The range of a survey's results. */
export type ResultsQuery = Query<"surveyResults", "results">;
/** The results of a survey. */
export type SurveyResults = Envelope<"surveyResults", "results">;
/** One response to a survey. */
export type SurveyResponse = Item<"surveyResults", "answers">;
/** The range of a survey's answers, the `cursor` to start at, and the number of items per request (100). */
export type AnswersQuery = Omit<Query<"surveyResults", "answers">, "limit"> & { readonly limit?: number };

/** What devices answered to the surveys of campaigns. */
export class SurveyResultsClient extends EndpointGroup {
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
}
