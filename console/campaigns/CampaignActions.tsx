/** Actions on a campaign: edit, pause or publish, test, duplicate, copy, archive, delete. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { ProblemText } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { isOperator, may } from "../session/SessionState.ts";
import { archiveCampaigns } from "./CampaignBatch.tsx";
import { sentencesOf } from "./CampaignCopies.ts";
import { valuesOf } from "./CampaignForm.ts";
import { CampaignTest } from "./CampaignTest.tsx";
import { copyAction, CopyDialog, type CopyPlan, planCopy } from "./CopyDialog.tsx";
import { PublishDialog, type PublishSummary, summaryOf } from "./PublishDialog.tsx";

interface ActionsProps {
  readonly campaign: Campaign;
  /** The version that is on the page, which a change expects. */
  readonly version: string | undefined;
  readonly messages: ReadonlyArray<Notification> | undefined;
}

const isLive = ({ status }: Campaign): boolean => status === "active" || status === "scheduled";

/** Changes the campaign if it is still the one on the page. @throws ApiProblem */
const change = async (request: ApiRequest<unknown>): Promise<void> => {
  try {
    await send(request);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== "version_conflict") throw error;
    await refresh();
    const sentence =
      "Somebody else changed the campaign meanwhile. The page shows it as it is now: try again.";
    throw new ApiProblem(error.status, error.code, sentence);
  }
};

const DeleteCampaign = ({
  campaign,
  messages,
  onClose,
  version,
}: ActionsProps & { readonly onClose: () => void }) => (
  <ConfirmDialog
    title={`Delete “${campaign.name}”?`}
    action="Delete"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await change(platform.campaigns.delete(campaign.id, { ifMatch: version }));
      navigate(addressOf("/campaigns"));
      showToast(`“${campaign.name}” is deleted.`);
    }}
  >
    <p>This cannot be undone.</p>
    <ul class="bullets">
      {isLive(campaign) && <li>It is {campaign.status}: devices get nothing more from it.</li>}
      {messages !== undefined && messages.length > 0 && (
        <li>
          {formatCount(messages.length, "notification")} of it: those that are on no other campaign are
          deleted with it.
        </li>
      )}
      {campaign.type === "push" && <li>Sends that are due are cancelled.</li>}
      <li>What was delivered stays in the totals of reports.</li>
    </ul>
  </ConfirmDialog>
);

/** The buttons beside the name of a campaign. */
export const CampaignActions = ({ campaign, messages, version }: ActionsProps) => {
  const [open, setOpen] = useState<"delete" | "test" | null>(null);
  const [summary, setSummary] = useState<PublishSummary | null>(null);
  const [copy, setCopy] = useState<CopyPlan | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { id } = campaign;
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(sentencesOf(error));
    }
    setBusy(false);
  };
  const pause = () =>
    act(async () => {
      await change(platform.campaigns.pause(id, { ifMatch: version }));
      await refresh();
      showToast(`“${campaign.name}” is paused.`, async () => {
        await send(platform.campaigns.publish(id));
        await refresh();
      });
    });
  const askToPublish = () =>
    act(async () => {
      const values = valuesOf(campaign, version ?? "");
      setSummary(await summaryOf(values, messages ?? null));
    });
  const publish = async (): Promise<void> => {
    await change(platform.campaigns.publish(id, { ifMatch: version }));
    await refresh();
    showToast(`“${campaign.name}” is published.`);
  };
  const askToCopy = () => act(async () => setCopy(await planCopy(campaign)));
  const unarchive = () =>
    act(async () => {
      await change(platform.campaigns.unarchive(id));
      await refresh();
      showToast(`“${campaign.name}” is in the lists again, paused.`);
    });
  const mayWrite = may("campaigns:write");
  return (
    <>
      {mayWrite && <ButtonLink href={addressOf(`/campaigns/${id}/edit`)}>Edit</ButtonLink>}
      {mayWrite && isLive(campaign) && (
        <Button isBusy={isBusy} onPress={() => void pause()}>
          Pause
        </Button>
      )}
      {mayWrite && campaign.status === "paused" && (
        <Button variant="primary" isBusy={isBusy} onPress={() => void askToPublish()}>
          Publish
        </Button>
      )}
      {may("devices:read") && <Button onPress={() => setOpen("test")}>Test</Button>}
      {mayWrite && (
        <ButtonLink href={addressOf("/campaigns/new", { from: campaign.id })}>Duplicate</ButtonLink>
      )}
      {isOperator() && (
        <Button isBusy={isBusy} onPress={() => void askToCopy()}>
          {copyAction()}
        </Button>
      )}
      {mayWrite && !campaign.archived && (
        <Button isBusy={isBusy} onPress={() => void act(() => archiveCampaigns([campaign]))}>
          Archive
        </Button>
      )}
      {mayWrite && campaign.archived && (
        <Button isBusy={isBusy} onPress={() => void unarchive()}>
          Unarchive
        </Button>
      )}
      {mayWrite && <Button onPress={() => setOpen("delete")}>Delete</Button>}
      <ProblemText text={problem} />
      {open === "test" && (
        <CampaignTest campaign={campaign} messages={messages ?? []} onClose={() => setOpen(null)} />
      )}
      {open === "delete" && (
        <DeleteCampaign
          campaign={campaign}
          messages={messages}
          version={version}
          onClose={() => setOpen(null)}
        />
      )}
      {copy !== null && <CopyDialog campaign={campaign} plan={copy} onClose={() => setCopy(null)} />}
      {summary !== null && (
        <PublishDialog summary={summary} onConfirm={publish} onClose={() => setSummary(null)} />
      )}
    </>
  );
};
