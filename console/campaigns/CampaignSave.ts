/** Saving a campaign: a new one, a copy with its notifications, or a change that expects a version. */
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
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
  /** The key of the values. A request adds the intent: the answer to one never stands for the other. */
  readonly idempotencyKey: string;
  /** The campaign that is changed; null for a new one. */
  readonly stored: Campaign | null;
  /** Notifications that a copy gets. */
  readonly copies: ReadonlyArray<Notification>;
}

const keyOf = ({ idempotencyKey, intent }: Save): string => `${idempotencyKey}.${intent}`;

/** Keys of values whose creation got no answer: it may have been made. */
const unanswered = new Set<string>();

/** Creates the campaign, or finds it if the creation that got no answer had made it. @throws ApiProblem */
const createOnce = async (save: Save, paused: boolean): Promise<Campaign> => {
  const { idempotencyKey: key, values } = save;
  try {
    const options = { idempotencyKey: keyOf(save) };
    return (await send(platform.campaigns.create(draftOf(values, paused), options))).data;
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.status === null) unanswered.add(key);
    if (!unanswered.has(key) || error.fields["name"] === undefined) throw error;
    const named = await send(platform.campaigns.list({ q: values.name.trim(), limit: 100 }));
    const made = named.data.find(({ name }) => name === values.name.trim());
    if (made === undefined) throw error;
    return made;
  }
};

const create = async (save: Save): Promise<Campaign> => {
  const { copies, idempotencyKey, intent } = save;
  // Nobody gets a copy before it is whole.
  const made = await createOnce(save, intent !== "publish" || copies.length > 0);
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
  return (await send(platform.campaigns.get(made.id))).data;
};

const change = async (stored: Campaign, save: Save): Promise<Campaign> => {
  const { intent, values } = save;
  const paused = intent === "check" ? undefined : intent === "paused";
  const options = { ifMatch: values.version, idempotencyKey: keyOf(save) };
  const { data } = await send(platform.campaigns.update(stored.id, draftOf(values, paused), options));
  return data;
};

/** The state that a saved campaign is in, whatever button was pressed. */
const stateOf = ({ name, status }: Campaign): string => {
  if (status === "paused") return `“${name}” is saved, paused.`;
  return status === "ended" ? `“${name}” is saved. It has ended.` : `“${name}” is published.`;
};

/** Saves, and shows the campaign. @throws ApiProblem */
export const saveCampaign = async (save: Save): Promise<void> => {
  const saved = await (save.stored === null ? create(save) : change(save.stored, save));
  navigate(addressOf(`/campaigns/${saved.id}`));
  if (unfinished.value?.campaignId === saved.id) return;
  showToast(stateOf(saved));
};
