/** "Campaigns": the list with its filters, search and pages. */
import { platform } from "../data/Api.ts";
import type { Campaign } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { TablePage } from "../parts/list/ListPage.tsx";
import { addressOf, changedAddress } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { CampaignBadge } from "./CampaignBadge.tsx";

const typeTexts = { geo: "Geo", push: "Push", event: "Event" } as const;

const statuses = [
  { value: "", text: "All statuses" },
  { value: "active", text: "Active" },
  { value: "scheduled", text: "Scheduled" },
  { value: "paused", text: "Paused" },
  { value: "ended", text: "Ended" },
];

const types = [
  { value: "", text: "All types" },
  { value: "geo", text: "Geo" },
  { value: "push", text: "Push" },
  { value: "event", text: "Event" },
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

const columns: ReadonlyArray<Column<Campaign>> = [
  {
    key: "name",
    heading: "Name",
    cell: ({ id, name }) => (
      <a class="row-link" href={addressOf(`/campaigns/${id}`)}>
        {name}
      </a>
    ),
  },
  { key: "status", heading: "Status", cell: ({ status }) => <CampaignBadge status={status} /> },
  { key: "type", heading: "Type", cell: ({ type }) => typeTexts[type] },
  {
    key: "starts",
    heading: "Starts",
    cell: ({ starts_at: at, timezone }) => <InstantText at={at} zone={timezone} />,
  },
  {
    key: "ends",
    heading: "Ends",
    cell: ({ ends_at: at, timezone }) =>
      at === null ? <span class="quiet">no end</span> : <InstantText at={at} zone={timezone} />,
  },
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
