/** Saving a campaign: a new one, a copy with its notifications, or a change that expects a version. */
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { copyMessages, sentencesOf, unfinished } from "./CampaignCopies.ts";
import { type CampaignValues, draftOf } from "./CampaignForm.ts";

/** The purpose of a save. A check is refused in any case, and publishes and pauses nothing. */
export type SaveIntent = "paused" | "publish" | "check";

interface Save {
  readonly values: CampaignValues;
  readonly intent: SaveIntent;
  readonly idempotencyKey: string;
  /** The campaign that is changed; null for a new one. */
  readonly stored: Campaign | null;
  /** Notifications that a copy gets. */
  readonly copies: ReadonlyArray<Notification>;
}

const create = async ({ copies, idempotencyKey, intent, values }: Save): Promise<Campaign> => {
  // Nobody gets a copy before it is whole.
  const paused = intent !== "publish" || copies.length > 0;
  const draft = draftOf(values, paused);
  const { data: made } = await send(platform.campaigns.create(draft, { idempotencyKey }));
  if (copies.length === 0) return made;
  const missed = await copyMessages(made, copies, idempotencyKey);
  let publishProblem: string | null = null;
  if (intent === "publish" && missed.length > 0)
    publishProblem = "It was not published, because some notifications are missing.";
  else if (intent === "publish")
    await send(platform.campaigns.publish(made.id)).catch((error: unknown) => {
      publishProblem = `It was not published. ${sentencesOf(error)}`;
    });
  if (missed.length > 0 || publishProblem !== null)
    unfinished.value = { campaignId: made.id, missed, publishProblem };
  return made;
};

const change = async (stored: Campaign, { idempotencyKey, intent, values }: Save): Promise<Campaign> => {
  const paused = intent === "check" ? undefined : intent === "paused";
  const options = { ifMatch: values.version, idempotencyKey };
  const { data } = await send(platform.campaigns.update(stored.id, draftOf(values, paused), options));
  return data;
};

/** Saves, and shows the campaign. @throws ApiProblem */
export const saveCampaign = async (save: Save): Promise<void> => {
  const saved = await (save.stored === null ? create(save) : change(save.stored, save));
  navigate(addressOf(`/campaigns/${saved.id}`));
  if (unfinished.value?.campaignId === saved.id) return;
  showToast(save.intent === "publish" ? `“${saved.name}” is published.` : `“${saved.name}” is saved.`);
};
