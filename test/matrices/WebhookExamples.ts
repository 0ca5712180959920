import { Effect } from "effect";
import { type Example, type Examples, plain } from "./Example.ts";
import type { MatrixFixture } from "./MatrixFixture.ts";

/** A webhook whose receiver refuses connections. */
const webhookBody = {
  url: "http://127.0.0.1:9/hook",
  // Few requests of the matrices record such an event.
  events: ["send.finished"],
  description: "Warehouse",
  batch: true,
};

/** The body of a new webhook, where there is room for one. */
const newWebhookBody = ({ make }: MatrixFixture) => Effect.as(make.roomForWebhook, webhookBody);

const onWebhook: Example = {
  request: ({ make }) => Effect.map(make.webhook, (webhook) => ({ params: { webhook } })),
};

/** The endpoints of webhooks. */
export const webhookExamples: Examples = {
  "GET /webhooks": plain({ query: { limit: "1" } }),
  "POST /webhooks": { request: (fixture) => Effect.map(newWebhookBody(fixture), (body) => ({ body })) },
  "GET /webhooks/:webhook": onWebhook,
  "PATCH /webhooks/:webhook": {
    request: ({ make }) =>
      Effect.map(make.webhook, (webhook) => ({ params: { webhook }, body: webhookBody })),
  },
  "DELETE /webhooks/:webhook": onWebhook,
  "POST /webhooks/:webhook/secret": onWebhook,
  "GET /webhooks/:webhook/attempts": onWebhook,
  "POST /webhooks/:webhook/events/:event/resend": {
    request: ({ make }) =>
      Effect.map(make.webhookEvent, ({ event, webhook }) => ({ params: { webhook, event } })),
  },
  "POST /webhooks/:webhook/test": onWebhook,
};
