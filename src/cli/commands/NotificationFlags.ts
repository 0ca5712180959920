/** The flags that commands on notifications share, and how they find the notification. */
import { Effect } from "effect";
import { listOf } from "../Ask.ts";
import { nameArgument, textFlag } from "../Flags.ts";
import { findId } from "../Lookups.ts";
import { findCampaign, type Platform, platformFlags } from "../Platform.ts";

/** The flags of a command on the notifications of a campaign. */
export const campaignFlags = {
  ...platformFlags,
  campaign: textFlag("campaign", "The campaign, by id or name"),
};

/** The notifications of a campaign, in pages. */
export const pages = (platform: Platform, campaign: string) =>
  listOf(platform, (client) => client.notifications.list(campaign));

/** The flags of a command on one notification. */
export const oneFlags = { ...campaignFlags, notification: nameArgument("notification") };

/** The ids of the campaign and of its notification. */
export const findNotification = Effect.fnUntraced(function* (
  platform: Platform,
  flags: { readonly campaign: string; readonly notification: string },
) {
  const campaign = yield* findCampaign(platform, flags.campaign);
  const id = yield* findId("notification", flags.notification, pages(platform, campaign));
  return [campaign, id] as const;
});
