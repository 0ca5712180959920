import type { Notification } from "../../client/WaypostClient.ts";
import { textFlag } from "../Flags.ts";
import { inSandbox, resource } from "../Resource.ts";
import { campaigns } from "./CampaignResource.ts";

/** A campaign, whose notifications a command is about. */
export const campaignTarget = campaigns.one(textFlag("campaign", "The campaign, by id or name"));

/** When a notification is sent: its time, or what triggers it. */
const triggerOf = ({ trigger_config: config, trigger_type: type }: Notification): string =>
  config?.local === true
    ? `${config.send_at} local`
    : (config?.send_at ??
      config?.event ??
      (config?.minutes === undefined ? type : `${type} (${config.minutes} min)`));

/** The push options that are set, as JSON. */
const pushText = (push: Notification["push"]): string => {
  const set = Object.entries(push ?? {}).filter(([, value]) => value !== null);
  return set.length === 0 ? "none" : JSON.stringify(Object.fromEntries(set));
};

const variantsText = ({ variants }: Notification): string =>
  variants.length === 0 ? "none" : variants.map(({ key, weight }) => `${key} ${weight} %`).join(", ");

/** The button of a message, and its address. */
export const buttonText = (message: Pick<Notification, "cta_label" | "cta_url">): string =>
  message.cta_url === null ? "none" : `${message.cta_label ?? ""} (${message.cta_url})`;

/** The flags of examples. */
export const inCampaign = `--campaign "Opening week" ${inSandbox}`;

/** Notifications of a campaign, found by id or name. */
export const notifications = resource({
  target: campaignTarget,
  command: "notification",
  at: inCampaign,
  sample: "Hello",
  list: (client, _, campaign) => client.notifications.list(campaign),
  isWhole: true,
  columns: (each) => ["id", "name", "type", "headline", ["trigger", triggerOf(each)]],
  card: (notification) => [
    "id",
    "name",
    "type",
    "headline",
    "body",
    ["media", notification.media?.url ?? "none"],
    ["button", buttonText(notification)],
    ["questions", notification.questions.length],
    ["push", pushText(notification.push)],
    ["variants", variantsText(notification)],
    ["trigger", triggerOf(notification)],
    ["from", notification.starts_at, "instant"],
    ["until", notification.ends_at, "instant"],
    "updated_at",
  ],
});
