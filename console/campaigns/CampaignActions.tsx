/** Actions on a campaign: edit, pause or publish, test, duplicate, copy, archive, delete. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { valuesOfMessage } from "../notifications/NotificationForm.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { loadedLater } from "../parts/LoadedLater.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf } from "../routing/Router.ts";
import { isOperator, may } from "../session/SessionState.ts";
import { archiveCampaigns } from "./CampaignBatch.tsx";
import { isInEffect, valuesOf } from "./CampaignForm.ts";
import { copyAction, CopyDialog, type CopyPlan, planCopy } from "./CopyDialog.tsx";
import { PublishDialog, type PublishSummary, summaryOf } from "./PublishSummary.tsx";

const CampaignTest = loadedLater(
  () => import("./CampaignTest.tsx"),
  (program) => program.CampaignTest,
);

interface ActionsProps {
  readonly campaign: Campaign;
  /** The version that is on the page, which a change expects. */
  readonly version: string | undefined;
  readonly messages: ReadonlyArray<Notification> | undefined;
}

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

const DeleteCampaign = ({ campaign, messages, version }: ActionsProps) => (
  <ConfirmButton
    title={`Delete “${campaign.name}”?`}
    action="Delete"
    send={() => change(platform.campaigns.delete(campaign.id, { ifMatch: version }))}
    done={`“${campaign.name}” is deleted.`}
    leadsTo="/campaigns"
  >
    <p>This cannot be undone.</p>
    <ul class="bullets">
      {isInEffect(campaign) && <li>It is {campaign.status}: devices get nothing more from it.</li>}
      {messages !== undefined && messages.length > 0 && (
        <li>
          {formatCount(messages.length, "notification")} of it: those that are on no other campaign are
          deleted with it.
        </li>
      )}
      {campaign.type === "push" && <li>Sends that are due are cancelled.</li>}
      <li>What was delivered stays in the totals of reports.</li>
    </ul>
  </ConfirmButton>
);

/** The buttons beside the name of a campaign. */
export const CampaignActions = ({ campaign, messages, version }: ActionsProps) => {
  const [isTesting, setTesting] = useState(false);
  const [summary, setSummary] = useState<PublishSummary | null>(null);
  const [copy, setCopy] = useState<CopyPlan | null>(null);
  const { id, name } = campaign;
  const done = async (
    request: ApiRequest<unknown>,
    sentence: string,
    undo?: ApiRequest<unknown>,
  ): Promise<void> => {
    await change(request);
    await refresh();
    showToast(sentence, undo && (() => send(undo).then(refresh)));
  };
  const askToPublish = async (): Promise<void> => {
    if (messages?.length === 0) throw new Error("It has no message yet: add a notification first.");
    const own = messages?.map((message) => valuesOfMessage(message, campaign, ""));
    setSummary(await summaryOf(valuesOf(campaign, version ?? ""), own ?? null));
  };
  const mayWrite = may("campaigns:write");
  return (
    <>
      {mayWrite && <ButtonLink href={addressOf(`/campaigns/${id}/edit`)}>Edit</ButtonLink>}
      {mayWrite && isInEffect(campaign) && (
        <ActionButton
          onPress={() =>
            done(
              platform.campaigns.pause(id, { ifMatch: version }),
              `“${name}” is paused.`,
              platform.campaigns.publish(id),
            )
          }
        >
          Pause
        </ActionButton>
      )}
      {mayWrite && campaign.status === "paused" && (
        <ActionButton variant="primary" onPress={askToPublish}>
          Publish
        </ActionButton>
      )}
      {may("devices:read") && <Button onPress={() => setTesting(true)}>Test</Button>}
      {mayWrite && <ButtonLink href={addressOf("/campaigns/new", { from: id })}>Duplicate</ButtonLink>}
      {isOperator() && (
        <ActionButton onPress={async () => setCopy(await planCopy(campaign))}>{copyAction()}</ActionButton>
      )}
      {mayWrite && !campaign.archived && (
        <ActionButton onPress={() => archiveCampaigns([campaign])}>Archive</ActionButton>
      )}
      {mayWrite && campaign.archived && (
        <ActionButton
          onPress={() => done(platform.campaigns.unarchive(id), `“${name}” is in the lists again, paused.`)}
        >
          Unarchive
        </ActionButton>
      )}
      {mayWrite && <DeleteCampaign campaign={campaign} messages={messages} version={version} />}
      {isTesting && (
        <CampaignTest campaign={campaign} messages={messages ?? []} onClose={() => setTesting(false)} />
      )}
      {copy !== null && <CopyDialog campaign={campaign} plan={copy} onClose={() => setCopy(null)} />}
      {summary !== null && (
        <PublishDialog
          summary={summary}
          onConfirm={() =>
            done(platform.campaigns.publish(id, { ifMatch: version }), `“${name}” is published.`)
          }
          onClose={() => setSummary(null)}
        />
      )}
    </>
  );
};
