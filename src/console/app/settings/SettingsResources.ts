/** The resources of the settings as they are on the wire. Types only. */
import type {
  IssuedSdkKey as IssuedSdkKeySchema,
  IssuedToken as IssuedTokenSchema,
  SdkKey as SdkKeySchema,
  Token as TokenSchema,
} from "../../../access/Token.ts";
import type { HealthReport as HealthReportSchema } from "../../../doctor/InstallationHealth.ts";
import type { ShownTransport as ShownTransportSchema } from "../../../sending/push/PushCredential.ts";
import type { TransportTest as TransportTestSchema } from "../../../sending/push/TransportTest.ts";
import type { WebhookAttempt as WebhookAttemptSchema } from "../../../webhooks/Webhook.ts";

export type AccessToken = (typeof TokenSchema)["Encoded"];
export type NewAccessToken = (typeof IssuedTokenSchema)["Encoded"];
export type AppKey = (typeof SdkKeySchema)["Encoded"];
export type NewAppKey = (typeof IssuedSdkKeySchema)["Encoded"];
export type PushTransport = (typeof ShownTransportSchema)["Encoded"];
export type PushTest = (typeof TransportTestSchema)["Encoded"];
export type CallAttempt = (typeof WebhookAttemptSchema)["Encoded"];
export type InstallationReport = (typeof HealthReportSchema)["Encoded"];
