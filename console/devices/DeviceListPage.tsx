/** "Devices": the registered devices, searched by their installation id or the person behind them. */
import { useLast } from "../data/LastData.ts";
import { listPath } from "../data/ListPath.ts";
import { usePlatform } from "../data/Query.ts";
import type { Device, Page } from "../data/Resources.ts";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { ChoiceFilter, SearchFilter } from "../parts/Filters.tsx";
import type { Choice } from "../parts/form/Fields.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { addressOf, parameter, setParameters } from "../routing/Router.ts";
import { ApprovalBadge, ApprovalButton } from "./Approval.tsx";
import { platformTexts, transportTexts } from "./DeviceWords.ts";

const filters = ["q", "user_id", "platform", "approved"] as const;

const platforms: ReadonlyArray<Choice> = [
  { value: "", text: "All platforms" },
  ...Object.entries(platformTexts).map(([value, text]) => ({ value, text })),
];

const approvals: ReadonlyArray<Choice> = [
  { value: "", text: "Approved or not" },
  { value: "true", text: "Approved" },
  { value: "false", text: "Not approved" },
];

const columns: ReadonlyArray<Column<Device>> = [
  {
    key: "installation",
    heading: "Installation",
    cell: ({ id, installation_id: installation }) => (
      <a class="row-link" href={addressOf(`/devices/${id}`)}>
        {installation}
      </a>
    ),
  },
  {
    key: "person",
    heading: "Person",
    cell: ({ user_id: userId }) => userId ?? <span class="quiet">unknown</span>,
  },
  { key: "platform", heading: "Platform", cell: ({ platform }) => platformTexts[platform] },
  {
    key: "transport",
    heading: "Reached by",
    cell: ({ address_gone: isGone, transport }) =>
      isGone ? `${transportTexts[transport]}, address gone` : transportTexts[transport],
  },
  { key: "seen", heading: "Last seen", cell: ({ last_seen_at: at }) => <InstantText at={at} /> },
  {
    key: "approved",
    heading: "Test device",
    cell: (device) => (
      <div class="approval">
        <ApprovalBadge approved={device.approved} />
        <ApprovalButton device={device} />
      </div>
    ),
  },
];

/** The devices of the environment. */
export const DeviceListPage = () => {
  const { data, problem } = usePlatform<Page<Device>>(listPath("/devices", filters));
  const list = useLast(data);
  const isFiltered = filters.some((name) => parameter(name) !== "");
  const isEmpty = list?.data.length === 0 && !isFiltered && parameter("cursor") === "";
  const filter = (name: string) => (value: string) => setParameters({ [name]: value, cursor: undefined });
  return (
    <PageFrame title="Devices">
      {!isEmpty && (
        <div class="filters" role="search">
          <SearchFilter label="Search devices" value={parameter("q")} onValue={filter("q")} />
          <SearchFilter
            label="Devices of the person with the user id"
            placeholder="User id"
            value={parameter("user_id")}
            onValue={filter("user_id")}
          />
          <ChoiceFilter
            label="Platform"
            value={parameter("platform")}
            choices={platforms}
            onValue={filter("platform")}
          />
          <ChoiceFilter
            label="Approval"
            value={parameter("approved")}
            choices={approvals}
            onValue={filter("approved")}
          />
        </div>
      )}
      <LoadProblem problem={problem} />
      {list === undefined && problem === undefined && <Loading />}
      {isEmpty && (
        <EmptyState title="No devices yet">
          Devices register themselves. Give your app an SDK key of this workspace and environment; each
          installation then appears here.
        </EmptyState>
      )}
      {list !== undefined && !isEmpty && (
        <>
          <DataTable
            label="Devices"
            columns={columns}
            rows={list.data}
            rowKey={({ id }) => id}
            empty="No device matches these filters."
          />
          <Pager nextCursor={list.meta.next_cursor} />
        </>
      )}
    </PageFrame>
  );
};
