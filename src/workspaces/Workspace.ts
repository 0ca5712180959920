import { Schema } from "effect";
import { TimeZoneName } from "../time/TimeZone.ts";
import { nullableInstant, nullableInteger, shownId, shownText } from "../wire/ShownFields.ts";
import { flag, text, Timestamp, whole } from "../wire/Text.ts";
import type { TenantKey } from "./Environment.ts";
import { Plan, PlanPatch } from "./Plan.ts";
import { QuietHours, quietExample } from "./QuietHours.ts";

/** A cap on the deliveries of a campaign to one device in a calendar period of its zone (contract E7, L4). */
export const FrequencyCap = Schema.Struct({
  count: whole({
    min: 1,
    max: 1000,
    description: "The most deliveries to one device in the period.",
    example: 3,
  }),
  period: Schema.Literals(["day", "week", "month"]).annotate({
    description: "Calendar day, ISO week or month.",
    examples: ["day"],
  }),
}).annotate({ identifier: "FrequencyCap" });
export type FrequencyCap = typeof FrequencyCap.Type;

const Name = text({ max: 255, description: "Name of the workspace, for people.", example: "Acme" });

/** A limit of deliveries a minute (contract T5). */
export const pace = (description: string) => whole({ min: 1, max: 10_000_000, description, example: 60_000 });

/** A workspace in the operator interface. */
export const Workspace = Schema.Struct({
  id: shownId("Id of the workspace.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  name: shownText("Name of the workspace, for people.", "Acme"),
  timezone: shownText("IANA time zone in which reports count days.", "Europe/Amsterdam").pipe(
    Schema.brand("TimeZoneName"),
  ),
  platform_api_enabled: flag("Whether the full platform API works in Production.", false),
  deletion_scheduled_at: nullableInstant(
    "When the deletion was scheduled, since when all tokens are refused; null if it is not.",
    "2026-11-21T09:30:00+00:00",
  ),
  trial_ended: flag("Whether a trial has ended, so that campaigns cannot be created or published.", false),
  user_hash_required: flag("Whether a device needs a `user_hash` to register with a `user_id`.", false),
  default_frequency_cap: Schema.NullOr(FrequencyCap).annotate({
    description: "The cap of campaigns without a cap of their own; null for none.",
    examples: [{ count: 3, period: "day" }],
  }),
  quiet_hours: Schema.NullOr(QuietHours).annotate({
    description: "The quiet hours of campaigns without their own; null for none.",
    examples: [quietExample],
  }),
  max_per_minute: nullableInteger(
    "The most deliveries of each of its environments in any 60 seconds; null for no limit. Sends wait for " +
      "it; events, test sends and what quiet hours release count and go at once.",
    60_000,
  ),
  plan: Plan,
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "Workspace" });
export type Workspace = typeof Workspace.Type;

/** Body of a new workspace. */
export const WorkspaceDraft = Schema.Struct({
  name: Name,
  timezone: Schema.optionalKey(TimeZoneName),
  plan: Schema.optionalKey(PlanPatch),
}).annotate({ identifier: "WorkspaceDraft" });
export type WorkspaceDraft = typeof WorkspaceDraft.Type;

/** Body of a change: missing fields are kept; `plan` is merged by key. */
export const WorkspacePatch = Schema.Struct({
  name: Schema.optionalKey(Name),
  timezone: Schema.optionalKey(TimeZoneName),
  platform_api_enabled: Schema.optionalKey(
    flag("Turns the full platform API in Production on or off.", true),
  ),
  deletion_scheduled: Schema.optionalKey(flag("Schedules the deletion, or cancels it.", false)),
  trial_ended: Schema.optionalKey(flag("Whether a trial has ended.", false)),
  user_hash_required: Schema.optionalKey(
    flag("Whether a device needs a `user_hash` to register with a `user_id`.", true),
  ),
  default_frequency_cap: Schema.optionalKey(
    Schema.NullOr(FrequencyCap).annotate({
      description: "The cap of campaigns without a cap of their own; null removes it.",
      examples: [{ count: 3, period: "day" }],
    }),
  ),
  quiet_hours: Schema.optionalKey(
    Schema.NullOr(QuietHours).annotate({
      description: "The quiet hours of campaigns without their own; null removes them.",
      examples: [quietExample],
    }),
  ),
  max_per_minute: Schema.optionalKey(
    Schema.NullOr(
      pace("The most deliveries of each of its environments in any 60 seconds; null removes the limit."),
    ),
  ),
  plan: Schema.optionalKey(PlanPatch),
}).annotate({ identifier: "WorkspacePatch" });
export type WorkspacePatch = typeof WorkspacePatch.Type;

/**
 * One environment of one workspace: the first parameter of every service method and every statement.
 * `workspace` is the row as it was when the request was authenticated.
 */
export interface Tenant extends TenantKey {
  readonly workspace: Workspace;
}
