/** The resources of the settings as they are on the wire. Types only. */
import type {
  IssuedSdkKey as IssuedSdkKeySchema,
  IssuedToken as IssuedTokenSchema,
  SdkKey as SdkKeySchema,
  Token as TokenSchema,
} from "../../src/access/Token.ts";
import type { HealthReport as HealthReportSchema } from "../../src/doctor/InstallationHealth.ts";
import type { ShownTransport as ShownTransportSchema } from "../../src/sending/credentials/PushCredential.ts";
import type { TransportTest as TransportTestSchema } from "../../src/sending/push/TransportTest.ts";
import type {
  WebhookAttempt as WebhookAttemptSchema,
  WebhookTestResult as WebhookTestSchema,
} from "../../src/webhooks/Webhook.ts";

/** A token of the platform API, without its secret. */
export type AccessToken = (typeof TokenSchema)["Encoded"];
/** A new token with its secret. */
export type NewAccessToken = (typeof IssuedTokenSchema)["Encoded"];
/** An SDK key, without its secret. */
export type AppKey = (typeof SdkKeySchema)["Encoded"];
/** A new SDK key with its secret. */
export type NewAppKey = (typeof IssuedSdkKeySchema)["Encoded"];
/** A push service, and whether it has credentials. */
export type PushTransport = (typeof ShownTransportSchema)["Encoded"];
/** A push service's answer to a test. */
export type PushTest = (typeof TransportTestSchema)["Encoded"];
/** An attempt to call a webhook. */
export type CallAttempt = (typeof WebhookAttemptSchema)["Encoded"];
/** A receiver's answer to a test event. */
export type WebhookTest = (typeof WebhookTestSchema)["Encoded"];
/** The report of `waypost doctor`. */
export type InstallationReport = (typeof HealthReportSchema)["Encoded"];
