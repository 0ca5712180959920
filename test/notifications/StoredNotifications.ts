import { Effect } from "effect";
import { ContentsSql } from "../../src/notifications/ContentsSql.ts";
import type { MessageContent } from "../../src/notifications/MessageContent.ts";
import { NotificationsSql } from "../../src/notifications/NotificationsSql.ts";
import type { Trigger } from "../../src/notifications/Trigger.ts";
import { TimeOfDay } from "../../src/time/LocalTime.ts";
import { type CampaignId, idAt, NotificationId } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { suiteStart } from "../TestTenants.ts";

/** A message without button and media file. */
const messageContent: MessageContent = {
  type: "message",
  headline: "Welcome",
  body: "Have a coffee.",
  cta_label: null,
  cta_url: null,
  media_asset_id: null,
  media_kind: null,
  questions: [],
  template: null,
  translations: null,
  push: null,
  variants: [],
};

/** On entering a location, at any time of the campaign. */
export const onEnter: Trigger = {
  triggerType: "on_enter",
  sendAt: null,
  late: null,
  dwellMinutes: null,
  maxSilenceMinutes: null,
  event: null,
  startsAt: null,
  endsAt: null,
};

/** At a time of day of the campaign's day. */
export const atTime = (time: string): Trigger => ({
  ...onEnter,
  triggerType: "fixed_time",
  sendAt: TimeOfDay.make(time),
});

/** Inserts a notification; gives its id. */
export const insertNotification = (
  tenant: Tenant,
  name = "Coffee",
  content = messageContent,
  now = suiteStart,
) =>
  Effect.gen(function* () {
    const id = NotificationId(idAt(now));
    yield* (yield* ContentsSql).insert(tenant, id, name, content, now);
    return id;
  });

/** Attaches a notification to a campaign. */
export const attach = (
  tenant: Tenant,
  campaignId: CampaignId,
  notificationId: NotificationId,
  trigger = onEnter,
  now = suiteStart,
) =>
  Effect.flatMap(NotificationsSql, (repository) =>
    repository.attach(tenant, idAt(now), campaignId, notificationId, trigger, now),
  );
