/** A campaign: its status, its locations, its notifications with their results, and its timeline. */
import { useEffect } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import { formatCount, formatInstant } from "../parts/DisplayFormats.ts";
import { type Fact, FactList } from "../parts/FactList.tsx";
import { loadedLater } from "../parts/LoadedLater.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { wallTimeAt } from "../parts/WallClock.ts";
import { campaignTypes } from "../reports/ReportFilters.ts";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { CampaignActions } from "./CampaignActions.tsx";
import { CampaignBadge } from "./CampaignBadge.tsx";
import { unfinished } from "./CampaignCopies.ts";
import { CampaignNotifications } from "./CampaignNotifications.tsx";
import { valuesOf } from "./CampaignForm.ts";
import { limitFacts } from "./CampaignPacing.tsx";
import { CampaignLocations } from "./CampaignLocations.tsx";
import { CampaignSegments } from "./CampaignSegments.tsx";
import { recurrenceWords } from "./RecurrenceForm.ts";
import { RecipientsFunnel } from "./RecipientsFunnel.tsx";
import { CampaignTimeline } from "./CampaignTimeline.tsx";

const ExperimentCard = loadedLater(
  () => import("./experiment/ExperimentCard.tsx"),
  (program) => program.ExperimentCard,
);

const Facts = ({ campaign }: { readonly campaign: Campaign }) => {
  const { archived, ends_at: end, recurrence, starts_at: start, timezone, type } = campaign;
  const facts: ReadonlyArray<Fact> = [
    [
      "Status",
      <>
        <CampaignBadge {...campaign} />
        {archived && " Archived"}
      </>,
    ],
    ["Type", campaignTypes[type]],
    ["Starts", <time dateTime={start}>{formatInstant(start, timezone)}</time>],
    ["Ends", end === null ? "No end" : <time dateTime={end}>{formatInstant(end, timezone)}</time>],
    ["Time zone", timezone],
    ...(recurrence === null
      ? []
      : ([["Repeats", recurrenceWords(recurrence, wallTimeAt(start, timezone))]] as const)),
    ...limitFacts(valuesOf(campaign, "")),
  ];
  return <FactList kind="summary card" facts={facts} />;
};

/** Work that a copy left. It is forgotten with the page. */
const UnfinishedNotice = ({ campaign }: { readonly campaign: Campaign }) => {
  useEffect(() => () => void (unfinished.value = null), []);
  const left = unfinished.value;
  if (left === null || left.campaignId !== campaign.id) return null;
  return (
    <div class="notice notice-problem" role="alert">
      <p>It is saved. {left.publishProblem}</p>
      {left.missed.length > 0 && (
        <ul class="lines">
          {left.missed.map(({ message, reason }) => (
            <li key={message.id}>
              “{message.name}” was not copied. {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

/** Steps that are missing before somebody gets anything. */
const NextStep = ({
  campaign,
  messages,
}: {
  readonly campaign: Campaign;
  readonly messages: ReadonlyArray<Notification> | undefined;
}) => {
  if (campaign.status === "ended" || messages === undefined) return null;
  if (messages.length === 0)
    return <p class="notice">It has no notification yet, so nobody gets anything.</p>;
  if (campaign.status !== "paused") return null;
  return (
    <p class="notice">
      It is paused with {formatCount(messages.length, "notification")}. Nobody gets anything until it is
      published.
    </p>
  );
};

/** The page of a campaign. */
export const CampaignPage = ({ ids: { campaign: id = "" } }: PageProps) => {
  const { data, etag, problem } = useData(platform.campaigns.get(id));
  const list = useData(may("notifications:read") ? platform.notifications.list(id) : null);
  const campaign = data?.data;
  const messages = list.data?.data;
  if (campaign === undefined)
    return (
      <PageFrame title="Campaign">{problem ? <LoadProblem problem={problem} /> : <Loading />}</PageFrame>
    );
  const mayAdd = may("notifications:write");
  return (
    <PageFrame
      title={campaign.name}
      actions={<CampaignActions campaign={campaign} version={etag ?? undefined} messages={messages} />}
    >
      <LoadProblem problem={problem ?? list.problem} />
      <UnfinishedNotice campaign={campaign} />
      <NextStep campaign={campaign} messages={messages} />
      <ExperimentCard campaign={campaign} messages={messages} />
      <section aria-labelledby="notifications" class="page-section">
        <div class="section-head">
          <h2 id="notifications">Notifications</h2>
          {mayAdd && (
            <ButtonLink href={addressOf(`/campaigns/${id}/notifications/new`)}>Add notification</ButtonLink>
          )}
        </div>
        {messages !== undefined && <CampaignNotifications campaign={campaign} messages={messages} />}
        {!may("notifications:read") && <p class="quiet">Your access key may not see notifications.</p>}
      </section>
      {may("sends:read") && (
        <section aria-labelledby="recipients" class="page-section">
          <div class="section-head">
            <h2 id="recipients">Recipients</h2>
            <ButtonLink href={addressOf(`/campaigns/${id}/recipients`)}>Show recipients</ButtonLink>
          </div>
          <RecipientsFunnel campaign={campaign} />
        </section>
      )}
      <div class="columns">
        <Facts campaign={campaign} />
        <CampaignTimeline campaign={campaign} />
      </div>
      {campaign.type === "geo" ? (
        <CampaignLocations campaign={campaign} />
      ) : (
        <CampaignSegments campaign={campaign} />
      )}
    </PageFrame>
  );
};
