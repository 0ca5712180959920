import type { ResourceChange } from "../activity/Activity.ts";
import type { Content, Notification } from "./Notification.ts";

type ShownContent = Omit<Content, "campaign_ids">;

const contentOf = (shown: ShownContent) => ({
  name: shown.name,
  type: shown.type,
  headline: shown.headline,
  body: shown.body,
  media_asset_id: shown.media_asset_id,
  cta_label: shown.cta_label,
  cta_url: shown.cta_url,
  questions: shown.questions,
  template: shown.template,
  translations: shown.translations,
  push: shown.push,
  variants: shown.variants,
});

const triggerOf = (shown: Notification) => ({
  campaign_id: shown.campaign_id,
  trigger_type: shown.trigger_type,
  trigger_config: shown.trigger_config,
  starts_at: shown.starts_at,
  ends_at: shown.ends_at,
});

const change = <Shown extends ShownContent>(
  action: ResourceChange["action"],
  before: Shown | null,
  after: Shown | null,
  recorded: (shown: Shown) => object,
): ResourceChange => {
  const shown = after ?? before;
  return {
    action,
    resource: { type: "notification", id: shown?.id ?? null, name: shown?.name ?? null },
    before: before && { ...recorded(before) },
    after: after && { ...recorded(after) },
  };
};

/** The change of a notification's content for activity (contract S5). */
export const contentChange = (
  action: ResourceChange["action"],
  before: ShownContent | null,
  after: ShownContent | null,
): ResourceChange => change(action, before, after, contentOf);

/** The change of a notification on a campaign: its content and its trigger there. */
export const notificationChange = (
  action: ResourceChange["action"],
  before: Notification | null,
  after: Notification | null,
): ResourceChange => change(action, before, after, (shown) => ({ ...contentOf(shown), ...triggerOf(shown) }));

/** A notification that is attached to a campaign, or detached from it: its content is kept. */
export const attachmentChange = (
  action: "attach" | "detach",
  before: Notification | null,
  after: Notification | null,
): ResourceChange => change(action, before, after, triggerOf);
