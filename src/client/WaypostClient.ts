import { Cause, Context, Effect, Exit } from "effect";
import { FetchHttpClient, HttpClient } from "effect/http";
import type { Call } from "./Call.ts";
import { CampaignsClient } from "./CampaignsClient.ts";
import { type CallOptions, type ConnectionSettings, exchange, target } from "./Connection.ts";
import type { Answer, Envelope } from "./Contract.ts";
import { LocationGroupsClient } from "./LocationGroupsClient.ts";
import { LocationsClient } from "./LocationsClient.ts";
import { MediaClient } from "./MediaClient.ts";
import { NotificationsClient } from "./NotificationsClient.ts";
import { ReportsClient } from "./ReportsClient.ts";

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
export { defaultRetryPolicy, type Retry, type RetryPolicy } from "./Retries.ts";
export { type FieldProblems, WaypostError, type WaypostErrorCode } from "./WaypostError.ts";

/** Who a token is. */
export type Me = Answer<"me", "get">;

/** Where a client calls, as whom, how long it tries, and what it runs on. */
export interface ClientSettings extends ConnectionSettings {
  /** Sends the requests; the `fetch` of the runtime unless given. */
  readonly fetch?: typeof fetch | undefined;
  /** Effect's services to run with, such as the Clock and Random of a test. */
  readonly context?: Context.Context<never> | undefined;
}

/**
 * The platform API of one environment, as plain promises. Every call is retried while that can help (`defaultRetryPolicy`), waits as
 * `Retry-After` says, and a change carries an `Idempotency-Key`, so that it happens once. What is refused rejects with a `WaypostError`.
 */
export class WaypostClient {
  readonly campaigns: CampaignsClient;
  readonly notifications: NotificationsClient;
  readonly locations: LocationsClient;
  readonly locationGroups: LocationGroupsClient;
  readonly media: MediaClient;
  readonly reports: ReportsClient;
  readonly #call: Call;

  /** Throws a `TypeError` when the url or the token cannot be right. */
  constructor(settings: ClientSettings) {
    // Said now rather than at the first call.
    target(settings);
    const { context = Context.empty(), fetch } = settings;
    const services = fetch === undefined ? context : Context.add(context, FetchHttpClient.Fetch, fetch);
    const call: Call = async (to, input) => {
      const signal = input.options?.signal;
      signal?.throwIfAborted();
      const sent = exchange(settings, to, input).pipe(
        Effect.provide(FetchHttpClient.layer),
        // In a browser these headers would need the service's leave.
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      );
      const exit = await Effect.runPromiseExitWith(services)(sent, signal === undefined ? {} : { signal });
      if (Exit.isSuccess(exit)) return exit.value as Envelope<(typeof to)[0], (typeof to)[1]>;
      if (Cause.hasInterruptsOnly(exit.cause)) signal?.throwIfAborted();
      throw Cause.squash(exit.cause);
    };
    this.#call = call;
    this.campaigns = new CampaignsClient(call);
    this.notifications = new NotificationsClient(call);
    this.locations = new LocationsClient(call);
    this.locationGroups = new LocationGroupsClient(call);
    this.media = new MediaClient(call);
    this.reports = new ReportsClient(call);
  }

  /** Who the token is, and what it may do. */
  async me(options?: CallOptions): Promise<Me> {
    return (await this.#call(["me", "get"], { options })).data;
  }
}
