import { randomUUID } from "node:crypto";

/** The content of a message without media and button, for what sends a push without a database. */
export const plainContent = {
  type: "message",
  campaign_id: randomUUID(),
  notification_id: randomUUID(),
  headline: "Hello",
  body: "World",
  media: null,
  cta_label: null,
  cta_url: null,
  push: null,
  language: null,
} as const;
