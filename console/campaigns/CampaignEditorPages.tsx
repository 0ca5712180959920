/** "New campaign", also as a copy of another one, and "Edit". */
import { useMemo } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { copyOfMessage, newMessage, valuesOfMessage } from "../notifications/NotificationForm.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { parameter } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { CampaignEditor } from "./CampaignEditor.tsx";
import { copyOf, newCampaign, valuesOf } from "./CampaignForm.ts";
import { nextMessageDraft } from "./EditorForms.ts";

const mayWriteMessages = (): boolean => may("notifications:read") && may("notifications:write");

/** A campaign with its notifications, as far as the session may write them, the first with its version. */
const useCampaign = (id: string, millis?: number) => {
  const options = millis === undefined ? {} : { millis };
  const isAllowed = mayWriteMessages();
  const campaign = useData(platform.campaigns.get(id), options);
  const list = useData(isAllowed ? platform.notifications.list(id) : null, options);
  const firstId = list.data?.data[0]?.id;
  const first = useData(firstId === undefined ? null : platform.notifications.get(id, firstId), options);
  const isReady =
    !isAllowed || (list.data !== undefined && (firstId === undefined || first.data !== undefined));
  return {
    campaign: isReady ? campaign.data?.data : undefined,
    version: campaign.etag ?? "",
    first: first.data?.data,
    firstVersion: first.etag ?? "",
    others: list.data?.data.slice(1) ?? [],
    problem: campaign.problem ?? list.problem ?? first.problem,
  };
};

const CopyEditor = ({ from }: { readonly from: string }) => {
  const { campaign, first, others, problem } = useCampaign(from, Infinity);
  if (campaign === undefined) return problem ? <LoadProblem problem={problem} /> : <Loading />;
  const draft = `campaign copy ${from}`;
  const initial = first === undefined ? newMessage(campaign.type) : copyOfMessage(first, campaign);
  return (
    <CampaignEditor
      draft={draft}
      initial={copyOf(campaign)}
      stored={null}
      message={mayWriteMessages() ? { draft: `${draft} message`, initial, storedId: null } : null}
      others={others}
    />
  );
};

const NewEditor = () => {
  const zone = workspace.value?.timezone ?? "UTC";
  const initial = useMemo(() => newCampaign(zone), [zone]);
  const message = { draft: "campaign new message", initial: newMessage("geo"), storedId: null };
  return (
    <CampaignEditor
      draft="campaign new"
      initial={initial}
      stored={null}
      message={mayWriteMessages() ? message : null}
      others={[]}
    />
  );
};

/** "New campaign". The parameter `from` names a campaign to copy. */
export const NewCampaignPage = () => {
  const from = parameter("from");
  return (
    <PageFrame title="New campaign" lead={from === "" ? undefined : "An unsaved copy."}>
      {from === "" ? <NewEditor /> : <CopyEditor key={from} from={from} />}
    </PageFrame>
  );
};

/** "Edit" of a campaign. */
export const EditCampaignPage = ({ ids: { campaign: id = "" } }: PageProps) => {
  const { campaign, first, firstVersion, others, problem, version } = useCampaign(id);
  const message =
    campaign === undefined || first === undefined
      ? { draft: nextMessageDraft(id), initial: newMessage(campaign?.type ?? "geo"), storedId: null }
      : {
          draft: `notification ${first.id}`,
          initial: valuesOfMessage(first, campaign, firstVersion),
          storedId: first.id,
        };
  return (
    <PageFrame title={campaign === undefined ? "Edit" : `Edit ${campaign.name}`}>
      <LoadProblem problem={problem} />
      {campaign === undefined && problem === undefined && <Loading />}
      {campaign !== undefined && (
        <CampaignEditor
          // The first message that somebody adds begins another form.
          key={message.draft}
          draft={`campaign ${id}`}
          initial={valuesOf(campaign, version)}
          stored={{ campaign, version }}
          message={mayWriteMessages() ? message : null}
          others={others}
        />
      )}
    </PageFrame>
  );
};
