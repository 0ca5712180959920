/** "Why": whether each campaign would reach a device now, and if not the first reason. */
import { obstacles } from "../../src/devices/Obstacle.ts";
import { platform } from "../data/Api.ts";
import type { Explanation } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { MorePages } from "../parts/MorePages.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";

/** The id of the heading. */
export const whyId = "why";

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
            Until <InstantText at={until} />
          </span>
        )}
      </>
    ),
  },
];

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
  </CardSection>
);
