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
 * A client of the operator interface: `workspaces`, `tokens`, `segments` and the other groups of endpoints.
 * Every method returns a promise and rejects with a `WaypostError`. This interface has no idempotency keys: a
 * `POST` or `PATCH` is retried only if the server refused it with 429.
 */
export type OperatorClient = OperatorGroups;

/**
 * Makes a client of the operator interface.
 * @throws TypeError if the url or the key is invalid
 */
export const OperatorClient = class OperatorClient {
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
    });
    Object.assign(this, groups);
  }
} as unknown as new (settings: OperatorSettings) => OperatorClient;
