/** "Campaigns": the list with its filters, search and pages. */
import { usePlatform } from "../data/Query.ts";
import type { Campaign, Page } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { ChoiceFilter, SearchFilter } from "../parts/Filters.tsx";
import { formatInstant } from "../parts/DisplayFormats.ts";
import { useLast } from "../data/LastData.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { addressOf, changedAddress, parameter, setParameters } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { CampaignBadge } from "./CampaignBadge.tsx";

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
];

const archiveChoices = [
  { value: "", text: "Not archived" },
  { value: "true", text: "Archived" },
];

const filters = ["status", "type", "q", "archived"] as const;

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
  { key: "type", heading: "Type", cell: ({ type }) => (type === "geo" ? "Geo" : "Push") },
  {
    key: "starts",
    heading: "Starts",
    cell: ({ starts_at: at, timezone }) => (
      <time dateTime={at} title={timezone}>
        {formatInstant(at, timezone)}
      </time>
    ),
  },
  {
    key: "ends",
    heading: "Ends",
    cell: ({ ends_at: at, timezone }) =>
      at === null ? (
        <span class="quiet">no end</span>
      ) : (
        <time dateTime={at} title={timezone}>
          {formatInstant(at, timezone)}
        </time>
      ),
  },
];

/** The query of the list: the filters of the address, which have the API's names. */
const listPath = (): string => {
  const query = new URLSearchParams({ limit: "50" });
  for (const name of [...filters, "cursor"]) {
    const value = parameter(name);
    if (value !== "") query.set(name, value);
  }
  return `/campaigns?${query.toString()}`;
};

const NewCampaign = () =>
  may("campaigns:write") ? (
    <ButtonLink variant="primary" href={addressOf("/campaigns/new")}>
      New campaign
    </ButtonLink>
  ) : null;

/** The campaigns of the environment. */
export const CampaignListPage = () => {
  const { data, problem } = usePlatform<Page<Campaign>>(listPath());
  const list = useLast(data);
  const isFiltered = filters.some((name) => parameter(name) !== "");
  const isEmpty = list?.data.length === 0 && !isFiltered && parameter("cursor") === "";
  const filter = (name: string) => (value: string) => setParameters({ [name]: value, cursor: undefined });
  return (
    <PageFrame title="Campaigns" actions={!isEmpty && <NewCampaign />}>
      {!isEmpty && (
        <div class="filters" role="search">
          <SearchFilter label="Search campaigns" value={parameter("q")} onValue={filter("q")} />
          <ChoiceFilter
            label="Status"
            value={parameter("status")}
            choices={statuses}
            onValue={filter("status")}
          />
          <ChoiceFilter label="Type" value={parameter("type")} choices={types} onValue={filter("type")} />
          <ChoiceFilter
            label="Archive"
            value={parameter("archived")}
            choices={archiveChoices}
            onValue={filter("archived")}
          />
        </div>
      )}
      <LoadProblem problem={problem} />
      {list === undefined && problem === undefined && <Loading />}
      {isEmpty && (
        <EmptyState title="No campaigns yet" action={<NewCampaign />}>
          A geo campaign greets devices that enter or leave your locations. A push campaign sends at set
          times. <a href={changedAddress({ archived: "true" })}>Archived campaigns</a> are in a list of their
          own.
        </EmptyState>
      )}
      {list !== undefined && !isEmpty && (
        <>
          <DataTable
            label="Campaigns"
            columns={columns}
            rows={list.data}
            rowKey={({ id }) => id}
            empty="No campaign matches these filters."
          />
          <Pager nextCursor={list.meta.next_cursor} />
        </>
      )}
    </PageFrame>
  );
};
