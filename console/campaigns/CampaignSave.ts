/** Saving a campaign with its message: a new one, a copy with all notifications, or a change of a version. */
import { platform } from "../data/Api.ts";
import { ApiProblem, fetchResponse, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign, Notification, One } from "../data/Resources.ts";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { copyMessages, sentencesOf, unfinished } from "./CampaignCopies.ts";
import { type CampaignValues, draftOf } from "./CampaignForm.ts";

/** The purpose of a save. A check is refused in any case, and publishes and pauses nothing. */
export type SaveIntent = "paused" | "publish" | "check";

/** The message that is saved with a campaign. */
export interface MessageSave {
  /** Returns whether it was saved; otherwise what is wrong stands at its fields. */
  readonly save: (campaign: Campaign) => Promise<boolean>;
  /** Continues with a new campaign that is there without it. */
  readonly resume: (campaign: Campaign) => void;
}

interface Save {
  readonly values: CampaignValues;
  readonly intent: SaveIntent;
  /** The key of the values. A request adds the intent: the answer to one never stands for the other. */
  readonly idempotencyKey: string;
  /** The campaign that is changed; null for a new one. */
  readonly stored: Campaign | null;
  /** Null without one, or without a change of it. */
  readonly message: MessageSave | null;
  /** Further notifications that a copy gets. */
  readonly copies: ReadonlyArray<Notification>;
  /** Called with a campaign that was changed although its message was not. */
  readonly onSaved: (campaign: Campaign, version: string) => Promise<void>;
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

/** Publishes what is whole now. A refusal is left for the page of the campaign. */
const publish = async (id: string, missed: NonNullable<typeof unfinished.value>["missed"]): Promise<void> => {
  let publishProblem: string | null = null;
  if (missed.length > 0) publishProblem = "It was not published, because some notifications are missing.";
  else
    await send(platform.campaigns.publish(id)).catch((error: unknown) => {
      publishProblem =
        error instanceof ApiProblem && error.status === null
          ? "There was no answer to publishing it: its status says whether it is."
          : `It was not published. ${sentencesOf(error)}`;
    });
  if (publishProblem !== null) unfinished.value = { campaignId: id, missed, publishProblem };
};

const create = async (save: Save): Promise<Campaign | null> => {
  const { copies, idempotencyKey, intent, message } = save;
  // Nobody gets anything before all of it is saved.
  const isWhole = message === null && copies.length === 0;
  const made = await createOnce(save, intent !== "publish" || !isWhole);
  if (isWhole) return made;
  const isSaved = message === null || (await message.save(made));
  const missed = await copyMessages(made, copies, idempotencyKey);
  if (missed.length > 0) unfinished.value = { campaignId: made.id, missed, publishProblem: null };
  if (!isSaved) {
    message.resume(made);
    return null;
  }
  if (intent === "publish") await publish(made.id, missed);
  return (await send(platform.campaigns.get(made.id))).data;
};

const change = async (stored: Campaign, save: Save): Promise<Campaign> => {
  const { intent, message, onSaved, values } = save;
  const isLast = message !== null && stored.paused && intent === "publish";
  const paused = intent === "check" || isLast ? undefined : intent === "paused";
  const options = { ifMatch: values.version, idempotencyKey: keyOf(save) };
  const response = await fetchResponse(
    platform.campaigns.update(stored.id, draftOf(values, paused), options),
  );
  const { data: changed } = (await response.json()) as One<Campaign>;
  if (message === null) return changed;
  if (!(await message.save(changed))) {
    await onSaved(changed, response.headers.get("etag") ?? "");
    throw new ApiProblem(null, "message_refused", "The campaign is saved, its message is not.");
  }
  if (isLast) await publish(stored.id, []);
  return (await send(platform.campaigns.get(stored.id))).data;
};

/** The state that a saved campaign is in, whatever button was pressed. */
const stateOf = ({ name, published_at: publishedAt, status }: Campaign): string => {
  if (status === "paused") return `“${name}” is saved${publishedAt === null ? " as a draft" : ", paused"}.`;
  return status === "ended" ? `“${name}” is saved. It has ended.` : `“${name}” is published.`;
};

/** Saves, and shows the campaign. @throws ApiProblem */
export const saveCampaign = async (save: Save): Promise<void> => {
  const saved = await (save.stored === null ? create(save) : change(save.stored, save));
  if (saved === null) return;
  navigate(addressOf(`/campaigns/${saved.id}`));
  void refresh();
  if (unfinished.value?.campaignId !== saved.id) showToast(stateOf(saved));
};
