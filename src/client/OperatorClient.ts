import type { ConnectionSettings } from "./ClientOptions.ts";
import { Connection, credential, serverAddress } from "./Connection.ts";
import { endpointGroups } from "./EndpointGroups.ts";
import { operatorEndpoints, type OperatorGroups } from "./generated/OperatorEndpoints.ts";

export type { CallOptions, ConnectionSettings, Deleted } from "./ClientOptions.ts";
export type * from "./generated/OperatorEndpoints.ts";
export type { Page, Pages } from "./Pages.ts";
export type * from "./Portable.ts";
export { defaultRetryPolicy, type Retry, type RetryPolicy } from "./Retries.ts";
export { type FieldProblems, WaypostError, type WaypostErrorCode } from "./WaypostError.ts";

/** Settings of a client of the operator interface. */
export interface OperatorSettings extends ConnectionSettings {
  /** The operator key of the server: `WAYPOST_OPERATOR_KEY`, or `operator.key` in its data directory. */
  readonly operatorKey: string;
}

/**
 * A client of the operator interface. Every method returns a promise and rejects with a `WaypostError`. This
 * interface has no idempotency keys: a `POST` or `PATCH` is retried only if the server refused it with 429.
 */
export class OperatorClient {
  readonly workspaces: OperatorGroups["workspaces"];
  /** Platform API tokens of a workspace. */
  readonly tokens: OperatorGroups["tokens"];
  /** SDK keys, with which apps register devices. */
  readonly sdkKeys: OperatorGroups["sdkKeys"];
  /** Credentials with which pushes are sent to push services. */
  readonly transports: OperatorGroups["transports"];
  readonly segments: OperatorGroups["segments"];
  /** The content of notifications, which several campaigns can share. */
  readonly notifications: OperatorGroups["notifications"];
  readonly locations: OperatorGroups["locations"];
  readonly devices: OperatorGroups["devices"];
  readonly sends: OperatorGroups["sends"];
  readonly deliveries: OperatorGroups["deliveries"];
  readonly reports: OperatorGroups["reports"];

  /** @throws TypeError if the url or the key is invalid */
  constructor(settings: OperatorSettings) {
    const key = credential(
      settings.operatorKey,
      "The client needs the operator key: new OperatorClient({ url, operatorKey }).",
    );
    const { origin, path } = serverAddress(settings.url);
    const groups = endpointGroups(operatorEndpoints, {
      connection: new Connection(settings),
      base: `${origin}${path.replace(/\/operator\/v1$/, "")}/operator/v1`,
      credentialFor: () => key,
    }) as OperatorGroups;
    this.workspaces = groups.workspaces;
    this.tokens = groups.tokens;
    this.sdkKeys = groups.sdkKeys;
    this.transports = groups.transports;
    this.segments = groups.segments;
    this.notifications = groups.notifications;
    this.locations = groups.locations;
    this.devices = groups.devices;
    this.sends = groups.sends;
    this.deliveries = groups.deliveries;
    this.reports = groups.reports;
  }
}
