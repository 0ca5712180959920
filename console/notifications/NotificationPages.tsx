/** "Add notification" and the editor of one that is there. */
import { useMemo } from "preact/hooks";
import { nextMessageDraft } from "../campaigns/EditorForms.ts";
import { platform } from "../data/Api.ts";
import type { Campaign } from "../data/Resources.ts";
import { useData } from "../data/Query.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { addressOf } from "../routing/Router.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { NotificationEditor } from "./NotificationEditor.tsx";
import { newMessage, valuesOfMessage } from "./NotificationForm.ts";

const CampaignLink = ({ campaign }: { readonly campaign: Campaign | undefined }) =>
  campaign === undefined ? null : <a href={addressOf(`/campaigns/${campaign.id}`)}>{campaign.name}</a>;

/** "Add notification". */
export const NewNotificationPage = ({ ids: { campaign: id = "" } }: PageProps) => {
  const { data, problem } = useData(platform.campaigns.get(id));
  const campaign = data?.data;
  const initial = useMemo(() => newMessage(campaign?.type ?? "geo"), [campaign?.type]);
  return (
    <PageFrame title="Add notification" lead={<CampaignLink campaign={campaign} />}>
      <LoadProblem problem={problem} />
      {campaign === undefined && problem === undefined && <Loading />}
      {campaign !== undefined && (
        <NotificationEditor
          campaign={campaign}
          draft={nextMessageDraft(id)}
          initial={initial}
          stored={null}
        />
      )}
    </PageFrame>
  );
};

/** The editor of a notification. */
export const EditNotificationPage = ({ ids }: PageProps) => {
  const { campaign: id = "", notification = "" } = ids;
  const { data, problem } = useData(platform.campaigns.get(id));
  const message = useData(platform.notifications.get(id, notification));
  const failed = problem ?? message.problem;
  const isReady = data !== undefined && message.data !== undefined;
  const values =
    isReady && message.data ? valuesOfMessage(message.data.data, data.data, message.etag ?? "") : null;
  return (
    <PageFrame
      title={message.data === undefined ? "Edit notification" : `Edit ${message.data.data.name}`}
      lead={<CampaignLink campaign={data?.data} />}
    >
      <LoadProblem problem={failed} />
      {values === null && failed === undefined && <Loading />}
      {data !== undefined && values !== null && (
        <NotificationEditor
          campaign={data.data}
          draft={`notification ${notification}`}
          initial={values}
          stored={{ id: notification, values }}
        />
      )}
    </PageFrame>
  );
};
