import { Schema } from "effect";
import { inParts } from "../wire/Parts.ts";
import { anyEvent, eventTypes } from "../outbox/EventType.ts";
import {
  nullableInstant,
  nullableInteger,
  nullableText,
  shownId,
  shownInteger,
  shownText,
} from "../wire/ShownFields.ts";
import { flag, optionalOrNull, optionalText, text, Timestamp } from "../wire/Text.ts";

/** The most webhooks of an environment (contract N1). */
export const maxWebhooks = 20;
/** The most events of one call of a webhook with `batch` (contract N3). */
export const maxBatchSize = 500;

/** An event type, or `*`. */
const ListenedType = Schema.Literals([...eventTypes, anyEvent]).annotate({
  message: `The {field} must be an event type: ${eventTypes.join(", ")}, or * for all.`,
});

const ListenedTypes = Schema.Array(ListenedType).annotate({
  description: "The event types that the webhook receives; `*` stands for all, also for types to come.",
  examples: [["message.delivered", "survey.answered"]],
});

/** Whether a webhook is called. */
export const WebhookStatus = Schema.Literals(["active", "disabled"]).annotate({
  description:
    "A `disabled` webhook is not called, and no events are recorded for it. It is disabled by a change, by " +
    "a receiver that answers 410, and after 5 days without a success. Making it `active` again sends the " +
    "events that waited, unless they are over 7 days old.",
  examples: ["active"],
});
export type WebhookStatus = typeof WebhookStatus.Type;

const webhookFields = {
  id: shownId("Id of the webhook.", "01980a6c-5d21-7b3e-9a41-3f1f5d7a2b80"),
  url: shownText("The address that is called.", "https://example.com/waypost"),
  events: ListenedTypes,
  description: nullableText("The purpose of the webhook; null for none.", "Data warehouse"),
  batch: flag("Whether a call carries up to 500 events; otherwise each call carries one.", false),
  status: WebhookStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
  disabled_at: nullableInstant(
    "When the webhook was disabled; null while it is active.",
    "2026-11-21T09:30:00+00:00",
  ),
  last_attempt_at: nullableInstant(
    "When the webhook was called last; null if it never was.",
    "2026-11-21T09:30:00+00:00",
  ),
};

/** A webhook: an address that receives the events of an environment (contract N1). */
export const Webhook = Schema.Struct(webhookFields).annotate({ identifier: "Webhook" });
export type Webhook = typeof Webhook.Type;

/** A webhook with its secret. */
export const WebhookWithSecret = Schema.Struct({
  ...webhookFields,
  secret: nullableText(
    "The secret that signs the calls: `whsec_` and a key in base64. It is shown only here, and null if " +
      "another caller repeats the request with its `Idempotency-Key`.",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  ),
}).annotate({ identifier: "WebhookWithSecret" });
export type WebhookWithSecret = typeof WebhookWithSecret.Type;

const draftFields = {
  url: text({
    max: 2048,
    description: "The address to call: `https` or `http`, on the public internet.",
    example: "https://example.com/waypost",
  }),
  events: ListenedTypes.check(
    Schema.isMinLength(1, { message: "The {field} must name at least one event type, or * for all." }),
    Schema.isMaxLength(100, { message: "The {field} can have at most 100 entries." }),
  ).pipe(inParts()),
  description: optionalText({
    max: 255,
    description: "The purpose of the webhook.",
    example: "Data warehouse",
  }),
  batch: optionalOrNull(flag("Whether a call carries up to 500 events; false if left out.", false)),
};

/** Body of a new webhook. */
export const WebhookDraft = Schema.Struct(draftFields).annotate({ identifier: "WebhookDraft" });
export type WebhookDraft = typeof WebhookDraft.Type;

/** Body of a change: the status alone, or the whole webhook (contract N1). */
export const WebhookPatch = Schema.Struct({
  url: Schema.optionalKey(draftFields.url),
  events: Schema.optionalKey(draftFields.events),
  description: draftFields.description,
  batch: draftFields.batch,
  status: Schema.optionalKey(WebhookStatus),
})
  .annotate({ identifier: "WebhookPatch" })
  .pipe(
    inParts((parts, problems) => {
      const wasSent = (field: keyof typeof parts) => parts[field] !== undefined || problems.has(field);
      if (
        wasSent("status") &&
        !wasSent("description") &&
        !wasSent("batch") &&
        !wasSent("url") &&
        !wasSent("events")
      )
        return;
      for (const field of ["url", "events"] as const)
        if (!wasSent(field)) problems.refuse(field, "The {field} is required.");
    }),
  );
export type WebhookPatch = typeof WebhookPatch.Type;

/** One attempt of a call (contract N5). */
export const WebhookAttempt = Schema.Struct({
  id: shownId("Id of the attempt.", "01980a6c-6e11-7c3e-9a41-3f1f5d7a2b81"),
  event_id: shownId(
    "The event that was sent; of a batch the id of the call, its header `webhook-id`.",
    "3f9a1c52-7be0-8d41-a6c3-5e2f90d1b874",
  ),
  event_type: shownText("The type of the event; `batch` for a batch.", "message.delivered"),
  attempt: shownInteger("1 for the first attempt, up to 8.", 1),
  status_code: nullableInteger("The status of the receiver's answer; null for none.", 200),
  error: nullableText(
    "Why the attempt failed; null for a success.",
    "There was no answer from the receiver: no connection, or none for 15 seconds.",
  ),
  duration_ms: shownInteger("How long it took, in milliseconds.", 84),
  created_at: Timestamp,
  next_attempt_at: nullableInstant(
    "When the call is repeated; null after a success and after the last attempt.",
    "2026-11-21T09:35:00+00:00",
  ),
}).annotate({ identifier: "WebhookAttempt" });
export type WebhookAttempt = typeof WebhookAttempt.Type;

/** The answer to a request to send an event again. */
export const ResentEvent = Schema.Struct({
  event_id: shownId("The event that is sent again.", "3f9a1c52-7be0-8d41-a6c3-5e2f90d1b874"),
}).annotate({ identifier: "ResentEvent" });

/** A receiver's answer to a test event. */
export const WebhookTestResult = Schema.Struct({
  status_code: nullableInteger("The status of the answer; null for none.", 200),
  error: nullableText(
    "Why the call failed; null for a success.",
    "The receiver answered with status 500: only 2xx is a success.",
  ),
  duration_ms: shownInteger("How long it took, in milliseconds.", 84),
  body: nullableText("The first kilobyte of the answer; null for no answer.", "ok"),
}).annotate({ identifier: "WebhookTestResult" });
export type WebhookTestResult = typeof WebhookTestResult.Type;
