/** Messages that wait until the quiet hours of a device end. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Delivery } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { timeColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { LoadProblem } from "../parts/PageFrame.tsx";
import { addressOf } from "../routing/Router.ts";

const CampaignLink = ({ id }: { readonly id: string }) => {
  const { data, problem } = useData(platform.campaigns.get(id), { millis: Infinity });
  if (data === undefined) return <span class="quiet">{problem === undefined ? "…" : "deleted"}</span>;
  return (
    <a class="row-link" href={addressOf(`/campaigns/${id}`)}>
      {data.data.name}
    </a>
  );
};

const columns: ReadonlyArray<Column<Delivery>> = [
  { key: "campaign", heading: "Campaign", cell: ({ campaign_id: id }) => <CampaignLink id={id} /> },
  timeColumn("made", "Since", (held) => held.created_at),
  timeColumn("until", "Held until", (held) => held.held_until, ""),
];

const maxShown = 100;

/** The held messages of a device, which the operator sees. */
export const HeldMessages = ({ deviceId }: { readonly deviceId: string }) => {
  const { data, problem } = useData(
    platform.deliveries.list({ device: deviceId, status: "held", limit: maxShown }),
  );
  return (
    <CardSection title="Held by quiet hours">
      <LoadProblem problem={problem} />
      {data?.data.length === 0 && <p class="quiet">No message waits for the end of quiet hours.</p>}
      {data !== undefined && data.data.length > 0 && (
        <DataTable label="Held messages" columns={columns} rows={data.data} rowKey={({ id }) => id} />
      )}
    </CardSection>
  );
};
