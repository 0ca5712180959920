/** Saving a campaign: a new one, a copy with its notifications, or a change that expects a version. */
import { type Answered, platform } from "../data/ApiCall.ts";
import type { Campaign, One } from "../data/Resources.ts";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { copyMessages, sentencesOf, unfinished } from "./CampaignCopies.ts";
import { type CampaignValues, draftOf } from "./CampaignForm.ts";
import type { AttachedMessage } from "./CampaignResources.ts";

/** The purpose of a save. A check is refused in any case, and publishes and pauses nothing. */
export type SaveIntent = "paused" | "publish" | "check";

interface Save {
  readonly values: CampaignValues;
  readonly intent: SaveIntent;
  readonly idempotencyKey: string;
  /** The campaign that is changed; null for a new one. */
  readonly stored: Campaign | null;
  /** Notifications that a copy gets. */
  readonly copies: ReadonlyArray<AttachedMessage>;
}

const create = async ({ copies, idempotencyKey, intent, values }: Save): Promise<Campaign> => {
  // Nobody gets a copy before it is whole.
  const paused = intent !== "publish" || copies.length > 0;
  const { body } = await platform<One<Campaign>>("/campaigns", {
    method: "POST",
    json: draftOf(values, paused),
    idempotencyKey,
  });
  const made = body.data;
  if (copies.length === 0) return made;
  const missed = await copyMessages(made, copies, idempotencyKey);
  let publishProblem: string | null = null;
  if (intent === "publish" && missed.length > 0)
    publishProblem = "It was not published, because some notifications are missing.";
  else if (intent === "publish")
    await platform(`/campaigns/${made.id}/publish`, { method: "POST" }).catch((error: unknown) => {
      publishProblem = `It was not published. ${sentencesOf(error)}`;
    });
  if (missed.length > 0 || publishProblem !== null)
    unfinished.value = { campaignId: made.id, missed, publishProblem };
  return made;
};

const change = async ({ idempotencyKey, intent, stored, values }: Save): Promise<Campaign> => {
  const paused = intent === "check" ? undefined : intent === "paused";
  const { body }: Answered<One<Campaign>> = await platform(`/campaigns/${stored?.id}`, {
    method: "PATCH",
    json: draftOf(values, paused),
    ifMatch: values.version,
    idempotencyKey,
  });
  return body.data;
};

/** Saves, and shows the campaign. @throws ApiProblem */
export const saveCampaign = async (save: Save): Promise<void> => {
  const saved = await (save.stored === null ? create(save) : change(save));
  navigate(addressOf(`/campaigns/${saved.id}`));
  if (unfinished.value?.campaignId === saved.id) return;
  showToast(save.intent === "publish" ? `“${saved.name}” is published.` : `“${saved.name}” is saved.`);
};
