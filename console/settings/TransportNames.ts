import type { Transport } from "../data/Resources.ts";

/** The names of the push services. */
export const transportNames: Readonly<Record<Transport["transport"], string>> = {
  fcm: "Firebase Cloud Messaging",
  apns: "Apple Push Notification service",
  webpush: "Web Push",
};
