/** "New campaign", also as a copy of another one, and "Edit". */
import { useMemo } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { parameter } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { CampaignEditor } from "./CampaignEditor.tsx";
import { copyOf, newCampaign, valuesOf } from "./CampaignForm.ts";

/** A campaign with its notifications; null for those while they are not known. */
const useCampaign = (id: string, millis?: number) => {
  const options = millis === undefined ? {} : { millis };
  const campaign = useData(platform.campaigns.get(id), options);
  const isAllowed = may("notifications:read");
  const messages = useData(isAllowed ? platform.notifications.list(id) : null, options);
  return {
    campaign: campaign.data?.data,
    version: campaign.etag ?? "",
    messages: messages.data?.data ?? null,
    problem: campaign.problem ?? messages.problem,
    isReady: campaign.data !== undefined && (!isAllowed || messages.data !== undefined),
  };
};

const CopyEditor = ({ from }: { readonly from: string }) => {
  const { campaign, isReady, messages, problem } = useCampaign(from, Infinity);
  if (campaign === undefined || !isReady) return problem ? <LoadProblem problem={problem} /> : <Loading />;
  const copies = may("notifications:write") ? messages : null;
  return (
    <CampaignEditor
      draft={`campaign copy ${from}`}
      initial={copyOf(campaign)}
      stored={null}
      messages={copies ?? []}
    />
  );
};

/** "New campaign". The parameter `from` names a campaign to copy. */
export const NewCampaignPage = () => {
  const from = parameter("from");
  const zone = workspace.value?.timezone ?? "UTC";
  const initial = useMemo(() => newCampaign(zone), [zone]);
  return (
    <PageFrame title="New campaign" lead={from === "" ? undefined : "An unsaved copy."}>
      {from === "" ? (
        <CampaignEditor draft="campaign new" initial={initial} stored={null} messages={[]} />
      ) : (
        <CopyEditor key={from} from={from} />
      )}
    </PageFrame>
  );
};

/** "Edit" of a campaign. */
export const EditCampaignPage = ({ ids: { campaign: id = "" } }: PageProps) => {
  const { campaign, isReady, messages, problem, version } = useCampaign(id);
  const isLoaded = campaign !== undefined && isReady;
  return (
    <PageFrame title={campaign === undefined ? "Edit" : `Edit ${campaign.name}`}>
      <LoadProblem problem={problem} />
      {!isLoaded && problem === undefined && <Loading />}
      {isLoaded && (
        <CampaignEditor
          draft={`campaign ${id}`}
          initial={valuesOf(campaign, version)}
          stored={{ campaign, version }}
          messages={messages}
        />
      )}
    </PageFrame>
  );
};
