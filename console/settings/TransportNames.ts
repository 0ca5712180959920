import { environment, workspaceId } from "../session/Scope.ts";
import type { PushTransport } from "./SettingsResources.ts";

/** The names of the push services. */
export const transportNames: Readonly<Record<PushTransport["transport"], string>> = {
  fcm: "Firebase Cloud Messaging",
  apns: "Apple Push Notification service",
  webpush: "Web Push",
};

/** The path of the push services of the page's environment. */
export const transportsPath = (): string =>
  `/workspaces/${workspaceId.value}/${environment.value}/transports`;
