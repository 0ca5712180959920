/** Platforms and transports in words. */
import type { Device } from "../data/Resources.ts";

/** The platforms of devices. */
export const platformTexts: Readonly<Record<Device["platform"], string>> = {
  android: "Android",
  ios: "iOS",
  web: "Web",
  other: "Other",
};

/** How messages reach a device. */
export const transportTexts: Readonly<Record<Device["transport"], string>> = {
  fcm: "Firebase Cloud Messaging",
  apns: "Apple Push Notification service",
  webpush: "Web Push",
  inbox: "Inbox",
};

/** How messages reach one device. */
export const transportText = ({ address_gone: isGone, transport }: Device): string =>
  transportTexts[transport] + (isGone ? ", address gone" : "");
