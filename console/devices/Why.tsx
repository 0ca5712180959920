/** "Why": whether each campaign would reach a device now, and if not the first reason. */
import { obstacles } from "../../src/devices/Obstacle.ts";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { serverNow } from "../data/ServerTime.ts";
import type { Campaign, Explanation } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { SearchChoiceFilter, useFoundChoices } from "../parts/form/SearchChoice.tsx";
import { DayTimeField } from "../parts/form/TimeFields.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { MorePages } from "../parts/MorePages.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { instantOf } from "../parts/WallClock.ts";
import { addressOf, parameter, setParameters } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

/** The id of the heading. */
export const whyId = "why";

/** The word before the instant of a reason. */
export const instantWord = (reason: Explanation["reason"]): string =>
  reason === "scheduled" || reason === "already_sent" ? "At" : "Until";

const columns: ReadonlyArray<Column<Explanation>> = [
  {
    key: "campaign",
    heading: "Campaign",
    cell: ({ campaign_id: id, campaign_name: name }) =>
      may("campaigns:read") ? (
        <a class="row-link" href={addressOf(`/campaigns/${id}`)}>
          {name}
        </a>
      ) : (
        name
      ),
  },
  {
    key: "reaches",
    heading: "Would reach it now",
    cell: ({ reaches }) => (reaches ? <Badge text="Yes" tone="good" /> : <Badge text="No" tone="waiting" />),
  },
  {
    key: "reason",
    heading: "Reason",
    cell: ({ reason, until }) => (
      <>
        {reason !== null && obstacles[reason]}
        {until !== null && (
          <span class="second-line">
            {instantWord(reason)} <InstantText at={until} />
          </span>
        )}
      </>
    ),
  },
];

const zoneOf = (): string => workspace.value?.timezone ?? "UTC";

/** The state of the campaign in the address, now or at the typed time. */
const Answer = ({ deviceId }: { readonly deviceId: string }) => {
  const campaign = parameter("campaign");
  const typed = instantOf(parameter("at"), zoneOf());
  // All of the typed minute, as far as it is over. The future is refused in the API's words.
  const end = typed === null ? null : typed > serverNow() ? typed : Math.min(typed + 59_000, serverNow());
  const at = end === null ? undefined : `${new Date(end).toISOString().slice(0, 19)}Z`;
  const { data, problem } = useData(platform.explanations.explain(deviceId, { campaign, at }), {
    millis: Infinity,
  });
  const found = data?.data[0];
  if (problem !== undefined) return <LoadProblem problem={problem} />;
  if (data === undefined) return <Loading />;
  if (found === undefined) return <p>There is no such campaign.</p>;
  return (
    <p role="status">
      <strong dir="auto">{found.campaign_name}</strong>:{" "}
      {found.reason === null ? "It would reach the device now." : obstacles[found.reason]}
      {found.until !== null && (
        <>
          {" "}
          {instantWord(found.reason)} <InstantText at={found.until} />.
        </>
      )}
    </p>
  );
};

const campaignsFound = {
  list: platform.campaigns.list,
  get: platform.campaigns.get,
  textOf: ({ name }: Campaign) => name,
  none: "Choose a campaign",
};

/** "Why not?": a campaign and a time, kept in the address. */
const WhyNot = ({ deviceId }: { readonly deviceId: string }) => {
  const chosen = parameter("campaign");
  const found = useFoundChoices(campaignsFound, chosen);
  return (
    <>
      <h3>Why not?</h3>
      <div class="filters">
        <SearchChoiceFilter
          {...found}
          label="Campaign"
          value={chosen}
          onValue={(campaign) => setParameters({ campaign })}
        />
        <DayTimeField
          name="at"
          label={`At (${zoneOf()}; empty for now)`}
          value={parameter("at")}
          onValue={(at) => setParameters({ at })}
        />
      </div>
      {chosen !== "" && <Answer deviceId={deviceId} />}
    </>
  );
};

/** The explanations of a device. */
export const Why = ({ deviceId }: { readonly deviceId: string }) => (
  <CardSection title="Why" id={whyId}>
    <p class="quiet">Whether each active campaign would reach this device now, and if not, why.</p>
    <div class="why">
      <MorePages
        list={platform.explanations.explain(deviceId, { limit: 20 })}
        more="Show more campaigns"
        empty="No campaign is active."
      >
        {(explanations) => (
          <DataTable label="Why" columns={columns} rows={explanations} rowKey={({ campaign_id: id }) => id} />
        )}
      </MorePages>
    </div>
    {may("campaigns:read") && <WhyNot deviceId={deviceId} />}
  </CardSection>
);
