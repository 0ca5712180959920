/** "Add notification" and the editor of one that is there. */
import { useMemo } from "preact/hooks";
import { nextMessageDraft } from "../campaigns/EditorForms.ts";
import { platform } from "../data/Api.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { useData } from "../data/Query.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { addressOf, parameter } from "../routing/Router.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { NotificationEditor } from "./NotificationEditor.tsx";
import { copyOfMessage, newMessage, valuesOfMessage } from "./NotificationForm.ts";

const CampaignLink = ({ campaign }: { readonly campaign: Campaign | undefined }) =>
  campaign === undefined ? null : <a href={addressOf(`/campaigns/${campaign.id}`)}>{campaign.name}</a>;

const NewEditor = ({
  campaign,
  source,
}: {
  readonly campaign: Campaign;
  readonly source: Notification | undefined;
}) => {
  const initial = useMemo(
    () => (source === undefined ? newMessage(campaign.type) : copyOfMessage(source, campaign)),
    [campaign.id, source?.id],
  );
  const draft = `${nextMessageDraft(campaign.id)}${source === undefined ? "" : ` ${source.id}`}`;
  return <NotificationEditor campaign={campaign} draft={draft} initial={initial} stored={null} />;
};

/** "Add notification". The parameters `from` and `notification` name one of another campaign to copy. */
export const NewNotificationPage = ({ ids: { campaign: id = "" } }: PageProps) => {
  const { data, problem } = useData(platform.campaigns.get(id));
  const from = parameter("from");
  const isCopy = from !== "" && parameter("notification") !== "";
  const source = useData(isCopy ? platform.notifications.get(from, parameter("notification")) : null, {
    millis: Infinity,
  });
  const isReady = data !== undefined && (!isCopy || source.data !== undefined);
  const failed = problem ?? source.problem;
  return (
    <PageFrame title="Add notification" lead={<CampaignLink campaign={data?.data} />}>
      <LoadProblem problem={failed} />
      {!isReady && failed === undefined && <Loading />}
      {isReady && <NewEditor campaign={data.data} source={source.data?.data} />}
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
