import { type Examples, plain, withNew } from "./Example.ts";

/** A webhook whose receiver refuses connections. */
const webhookBody = {
  url: "http://127.0.0.1:9/hook",
  // Few requests of the matrices record such an event.
  events: ["send.finished"],
  description: "Warehouse",
  batch: true,
};

const onWebhook = (body?: object) => withNew("webhook", (webhook) => ({ params: { webhook }, body }));

/** The endpoints of webhooks. */
export const webhookExamples: Examples = {
  "GET /webhooks": plain({ query: { limit: "1" } }),
  "POST /webhooks": withNew("roomForWebhook", () => ({ body: webhookBody })),
  "GET /webhooks/:webhook": onWebhook(),
  "PATCH /webhooks/:webhook": onWebhook(webhookBody),
  "DELETE /webhooks/:webhook": onWebhook(),
  "POST /webhooks/:webhook/secret": onWebhook(),
  "GET /webhooks/:webhook/attempts": onWebhook(),
  "POST /webhooks/:webhook/events/:event/resend": withNew("webhookEvent", (params) => ({ params })),
  "POST /webhooks/:webhook/test": onWebhook(),
};
