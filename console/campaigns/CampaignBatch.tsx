/** Actions on several campaigns at once. */
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { Campaign } from "../data/Resources.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { forEach, type Selection } from "../parts/list/Selection.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { isInEffect } from "./CampaignForm.ts";

/** Pauses campaigns that are live. @throws ApiProblem */
const pauseCampaigns = async (campaigns: ReadonlyArray<Campaign>): Promise<void> => {
  const live = campaigns.filter(isInEffect);
  await forEach(live, ({ id }) => send(platform.campaigns.pause(id)));
  showToast(`${textOf(live)} paused.`, () => forEach(live, ({ id }) => send(platform.campaigns.publish(id))));
};

/** Archives campaigns, which pauses them. The way back makes them as they were. @throws ApiProblem */
export const archiveCampaigns = async (campaigns: ReadonlyArray<Campaign>): Promise<void> => {
  await forEach(campaigns, ({ id }) => send(platform.campaigns.archive(id)));
  showToast(`${textOf(campaigns)} archived.`, () =>
    forEach(campaigns, async (campaign) => {
      await send(platform.campaigns.unarchive(campaign.id));
      if (isInEffect(campaign)) await send(platform.campaigns.publish(campaign.id));
    }),
  );
};

const textOf = (campaigns: ReadonlyArray<Campaign>): string => {
  const [first] = campaigns;
  return first !== undefined && campaigns.length === 1
    ? `“${first.name}” is`
    : `${formatCount(campaigns.length, "campaign")} are`;
};

/** The buttons. */
export const CampaignBatch = ({
  selection: { clear, items },
}: {
  readonly selection: Selection<Campaign>;
}) => {
  const live = items.filter(isInEffect).length;
  const count = formatCount(items.length, "campaign");
  const act = async (change: (campaigns: ReadonlyArray<Campaign>) => Promise<void>): Promise<void> => {
    await change(items);
    clear();
  };
  const remove = async (): Promise<void> => {
    await forEach(items, ({ id }) => send(platform.campaigns.delete(id)));
    clear();
  };
  return (
    <>
      {live > 0 && <ActionButton onPress={() => act(pauseCampaigns)}>Pause</ActionButton>}
      {items.some(({ archived }) => !archived) && (
        <ActionButton onPress={() => act(archiveCampaigns)}>Archive</ActionButton>
      )}
      <ConfirmButton
        title={`Delete ${count}?`}
        action="Delete"
        send={remove}
        done={`${textOf(items)} deleted.`}
      >
        <p>
          Their notifications that are on no other campaign are deleted with them
          {live > 0 && `, and ${formatCount(live, "campaign")} of them would still send`}. What was delivered
          stays in the totals of reports. This cannot be undone.
        </p>
      </ConfirmButton>
    </>
  );
};
