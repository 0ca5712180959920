/** "Recipients": the devices that a campaign has messages for, and what came of each. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { CampaignRecipient } from "../data/Resources.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { Badge, type Tone } from "../parts/Badge.tsx";
import { timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { ListPage } from "../parts/list/ListPage.tsx";
import { LoadProblem } from "../parts/PageFrame.tsx";
import { saveCsv } from "../reports/ReportFiles.ts";
import { addressOf, parameter } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { RecipientsFunnel } from "./RecipientsFunnel.tsx";

const outcomes = [
  { value: "", text: "All" },
  { value: "delivered", text: "Delivered" },
  { value: "opened", text: "Opened" },
  { value: "clicked", text: "Clicked" },
  { value: "answered", text: "Answered" },
  { value: "held", text: "Held by quiet hours" },
  { value: "failed", text: "Failed" },
  { value: "queued", text: "On the way" },
];

const states: Readonly<Record<CampaignRecipient["status"], readonly [text: string, tone: Tone]>> = {
  delivered: ["Delivered", "good"],
  held: ["Held", "waiting"],
  queued: ["On the way", "waiting"],
  handed_over: ["On the way", "waiting"],
  failed: ["Failed", "bad"],
};

/** The page of a device, which says why the campaign reaches it or not. */
const whyAddress = (device: string, campaign: string): string =>
  addressOf(`/devices/${device}`, { campaign });

const columnsOf = (campaign: string): ReadonlyArray<Column<CampaignRecipient>> => [
  {
    key: "device",
    heading: "Device",
    cell: ({ device_id: id, installation_id: name, user_id: user }) => (
      <>
        {id === null || name === null ? (
          <span class="quiet">Erased</span>
        ) : may("devices:read") ? (
          <a class="row-link" href={whyAddress(id, campaign)} dir="auto">
            {name}
          </a>
        ) : (
          <span dir="auto">{name}</span>
        )}
        {user !== null && (
          <span class="second-line" dir="auto">
            {user}
          </span>
        )}
      </>
    ),
  },
  {
    key: "status",
    heading: "Outcome",
    cell: ({ reason, status, test }) => (
      <>
        <Badge text={states[status][0]} tone={states[status][1]} />{" "}
        {test && <Badge text="Test" tone="quiet" />}
        {reason !== null && <span class="second-line">{reason}</span>}
      </>
    ),
  },
  timeColumn("at", "When", ({ at }) => at),
  timeColumn("opened", "Opened", (row) => row.opened_at, "no"),
  timeColumn("clicked", "Clicked", (row) => row.clicked_at, "no"),
  timeColumn("answered", "Answered", (row) => row.answered_at, "no"),
];

/** Devices that the search finds, which are no such recipients. */
const NotReached = ({ campaign }: { readonly campaign: string }) => {
  const q = parameter("q");
  const { data, problem } = useData(
    q && may("devices:read") ? platform.devices.list({ q, limit: 10 }) : null,
  );
  return (
    <>
      <p>No recipient matches.</p>
      <LoadProblem problem={problem} />
      <ul class="lines">
        {data?.data.map(({ id, installation_id: name }) => (
          <li key={id}>
            <span dir="auto">{name}</span>{" "}
            <a href={whyAddress(id, campaign)} aria-label={`Why not? ${name}`}>
              Why not?
            </a>
          </li>
        ))}
      </ul>
    </>
  );
};

const saveRecipients = (id: string): Promise<void> => {
  const [outcome, q] = [parameter("outcome") || undefined, parameter("q") || undefined];
  return saveCsv(platform.recipients.list(id, { outcome, q }), null);
};

/** The recipients of a campaign. */
export const RecipientsPage = ({ ids: { campaign: id = "" } }: PageProps) => {
  const { data } = useData(may("campaigns:read") ? platform.campaigns.get(id) : null);
  const campaign = data?.data;
  const columns = columnsOf(id);
  return (
    <ListPage
      title="Recipients"
      lead={
        <>
          {campaign !== undefined && <a href={addressOf(`/campaigns/${id}`)}>{campaign.name}</a>} Test
          messages are listed, and count in no figure.
        </>
      }
      list={(query?: Parameters<typeof platform.recipients.list>[1]) => platform.recipients.list(id, query)}
      above={campaign !== undefined && <RecipientsFunnel campaign={campaign} />}
      filters={[
        { name: "outcome", label: "Outcome", choices: outcomes },
        { name: "q", label: "Search recipients", placeholder: "Installation or user id" },
      ]}
      besideFilters={<ActionButton onPress={() => saveRecipients(id)}>Save CSV</ActionButton>}
      empty={["No recipients yet", "Devices are here once the campaign has a message for them."]}
    >
      {(rows) => (
        <DataTable
          label="Recipients"
          columns={columns}
          rows={rows}
          rowKey={({ delivery_id: key }) => key}
          empty={<NotReached campaign={id} />}
        />
      )}
    </ListPage>
  );
};
