/** "Campaigns": the list with its filters, search and pages. */
import { platform } from "../data/Api.ts";
import type { Campaign } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import { linkColumn, textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { TablePage, wholeList } from "../parts/list/ListPage.tsx";
import { campaignStatuses, campaignTypes } from "../reports/ReportFilters.ts";
import { addressOf, changedAddress } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { CampaignBadge } from "./CampaignBadge.tsx";
import { CampaignBatch } from "./CampaignBatch.tsx";

const statuses = [{ value: "", text: "All statuses" }, ...campaignStatuses];

const types = [
  { value: "", text: "All types" },
  ...Object.entries(campaignTypes).map(([value, text]) => ({ value, text })),
];

const archiveChoices = [
  { value: "", text: "Not archived" },
  { value: "true", text: "Archived" },
];

const filters = [
  { name: "q", label: "Search campaigns" },
  { name: "status", label: "Status", choices: statuses },
  { name: "type", label: "Type", choices: types },
  { name: "archived", label: "Archive", choices: archiveChoices },
] as const;

const zoneOf = ({ timezone }: Campaign): string => timezone;

const columns: ReadonlyArray<Column<Campaign>> = [
  linkColumn(
    "Name",
    ({ name }) => name,
    ({ id }) => addressOf(`/campaigns/${id}`),
  ),
  {
    key: "status",
    heading: "Status",
    cell: (campaign) => <CampaignBadge {...campaign} />,
    sortBy: ({ status }) => status,
  },
  textColumn("type", "Type", ({ type }) => campaignTypes[type]),
  timeColumn("starts", "Starts", (row) => row.starts_at, "", zoneOf),
  timeColumn("ends", "Ends", (row) => row.ends_at, "no end", zoneOf),
];

const NewCampaign = () =>
  may("campaigns:write") ? (
    <ButtonLink variant="primary" href={addressOf("/campaigns/new")}>
      New campaign
    </ButtonLink>
  ) : null;

/** The campaigns of the environment. */
export const CampaignListPage = () => (
  <TablePage
    title="Campaigns"
    list={platform.campaigns.list}
    options={wholeList}
    actions={may("campaigns:write") ? (selection) => <CampaignBatch selection={selection} /> : undefined}
    filters={filters}
    columns={columns}
    action={<NewCampaign />}
    noMatch="No campaign matches these filters."
    empty={[
      "No campaigns yet",
      <>
        {"A geo campaign greets devices that enter or leave your locations. " +
          "A push campaign sends at set times. "}
        <a href={changedAddress({ archived: "true" })}>Archived campaigns</a> are in a list of their own.
      </>,
    ]}
  />
);
