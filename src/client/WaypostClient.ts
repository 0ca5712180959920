import { Cause, Context, Effect, Exit } from "effect";
import { FetchHttpClient, HttpClient } from "effect/http";
import type { Call } from "./Call.ts";
import { CampaignsClient } from "./CampaignsClient.ts";
import {
  type CallInput,
  type CallOptions,
  type ConnectionSettings,
  exchange,
  exchangeCsv,
  target,
} from "./Connection.ts";
import type { Answer, EndpointName, Envelope, GroupName } from "./Contract.ts";
import { LocationGroupsClient } from "./LocationGroupsClient.ts";
import { LocationsClient } from "./LocationsClient.ts";
import { MediaClient } from "./MediaClient.ts";
import { NotificationsClient } from "./NotificationsClient.ts";
import type { WaypostError } from "./WaypostError.ts";
import { ReportsClient } from "./ReportsClient.ts";
import { SurveyResultsClient } from "./SurveyResultsClient.ts";
import { WebhooksClient } from "./WebhooksClient.ts";

export type { ListQuery } from "./Call.ts";
export type * from "./CampaignsClient.ts";
export type { CallOptions, ChangeOptions, ConnectionSettings } from "./Connection.ts";
export { type EffectClient, effectClient } from "./EffectClient.ts";
export type { FileSource } from "./FileSource.ts";
export type * from "./LocationGroupsClient.ts";
export type * from "./LocationsClient.ts";
export type * from "./MediaClient.ts";
export type * from "./NotificationsClient.ts";
export type { Page, Pages } from "./Pages.ts";
export type * from "./ReportsClient.ts";
export type * from "./SurveyResultsClient.ts";
export { defaultRetryPolicy, type Retry, type RetryPolicy } from "./Retries.ts";
export type * from "./WebhooksClient.ts";
export { type FieldProblems, WaypostError, type WaypostErrorCode } from "./WaypostError.ts";

/** The workspace, environment and abilities of a token. */
export type Me = Answer<"me", "get">;

/** Settings of a client. */
export interface ClientSettings extends ConnectionSettings {
  /** Sends the requests. The default is the `fetch` of the runtime. */
  readonly fetch?: typeof fetch | undefined;
  /** Effect services to run with, such as the Clock and Random of a test. */
  readonly context?: Context.Context<never> | undefined;
}

/**
 * A client of the platform API for one environment. Every method returns a promise and rejects with a
 * `WaypostError`. Calls are retried by `defaultRetryPolicy` and wait as long as `Retry-After` says. Every
 * change has an `Idempotency-Key`, so that it happens once.
 */
export class WaypostClient {
  readonly campaigns: CampaignsClient;
  readonly notifications: NotificationsClient;
  readonly locations: LocationsClient;
  readonly locationGroups: LocationGroupsClient;
  readonly media: MediaClient;
  readonly reports: ReportsClient;
  readonly surveyResults: SurveyResultsClient;
  readonly webhooks: WebhooksClient;
  readonly #call: Call;

  /** @throws TypeError if the url or the token is invalid */
  constructor(settings: ClientSettings) {
    // Validates the settings now, not at the first call.
    target(settings);
    const { context = Context.empty(), fetch } = settings;
    const services = fetch === undefined ? context : Context.add(context, FetchHttpClient.Fetch, fetch);
    const run = async <A>(
      exchanged: Effect.Effect<A, WaypostError, HttpClient.HttpClient>,
      signal: AbortSignal | undefined,
    ): Promise<A> => {
      signal?.throwIfAborted();
      const sent = exchanged.pipe(
        Effect.provide(FetchHttpClient.layer),
        // Browsers would ask the server for permission to send these headers.
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      );
      const exit = await Effect.runPromiseExitWith(services)(sent, signal === undefined ? {} : { signal });
      if (Exit.isSuccess(exit)) return exit.value;
      if (Cause.hasInterruptsOnly(exit.cause)) signal?.throwIfAborted();
      throw Cause.squash(exit.cause);
    };
    const call: Call = Object.assign(
      <G extends GroupName, E extends EndpointName<G>>(endpoint: readonly [G, E], input: CallInput) =>
        run(exchange(settings, endpoint, input), input.options?.signal) as Promise<Envelope<G, E>>,
      {
        csv: <G extends GroupName>(endpoint: readonly [G, EndpointName<G>], input: CallInput) =>
          run(exchangeCsv(settings, endpoint, input), input.options?.signal),
      },
    );
    this.#call = call;
    this.campaigns = new CampaignsClient(call);
    this.notifications = new NotificationsClient(call);
    this.locations = new LocationsClient(call);
    this.locationGroups = new LocationGroupsClient(call);
    this.media = new MediaClient(call);
    this.reports = new ReportsClient(call);
    this.surveyResults = new SurveyResultsClient(call);
    this.webhooks = new WebhooksClient(call);
  }

  /** Retrieves the workspace, environment and abilities of the token. */
  async me(options?: CallOptions): Promise<Me> {
    return (await this.#call(["me", "get"], { options })).data;
  }
}
