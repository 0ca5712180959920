/** "Devices": the registered devices, searched by their installation id or the person behind them. */
import { platform } from "../data/Api.ts";
import type { Device } from "../data/Resources.ts";
import { linkColumn, textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import type { Choice } from "../parts/form/Fields.tsx";
import { TablePage } from "../parts/list/ListPage.tsx";
import { addressOf } from "../routing/Router.ts";
import { environment } from "../session/Scope.ts";
import { TryHere } from "./TryHere.tsx";
import { ApprovalBadge, ApprovalButton } from "./Approval.tsx";
import { platformTexts, transportText } from "./DeviceWords.ts";

const platforms: ReadonlyArray<Choice> = [
  { value: "", text: "All platforms" },
  ...Object.entries(platformTexts).map(([value, text]) => ({ value, text })),
];

const approvals: ReadonlyArray<Choice> = [
  { value: "", text: "Test devices and others" },
  { value: "true", text: "Test devices" },
  { value: "false", text: "Other devices" },
];

const filters = [
  { name: "q", label: "Search devices" },
  { name: "user_id", label: "Devices of the person with the user id", placeholder: "User id" },
  { name: "platform", label: "Platform", choices: platforms },
  { name: "approved", label: "Test devices", choices: approvals },
] as const;

const columns: ReadonlyArray<Column<Device>> = [
  linkColumn(
    "Installation",
    (device) => device.installation_id,
    ({ id }) => addressOf(`/devices/${id}`),
  ),
  textColumn("person", "Person", (device) => device.user_id, "unknown"),
  textColumn("platform", "Platform", (device) => platformTexts[device.platform]),
  textColumn("transport", "Reached by", transportText),
  timeColumn("seen", "Last seen", (device) => device.last_seen_at),
  {
    key: "approved",
    heading: "Test device",
    cell: (device) => (
      <div class="actions">
        <ApprovalBadge approved={device.approved} />
        {environment.value === "sandbox" && <ApprovalButton device={device} />}
      </div>
    ),
  },
];

/** The devices of the environment. */
export const DeviceListPage = () => (
  <TablePage
    title="Devices"
    list={platform.devices.list}
    filters={filters}
    columns={columns}
    action={<TryHere />}
    noMatch="No device matches these filters."
    empty={[
      "No devices yet",
      "Devices register themselves. Give your app an SDK key of this workspace and environment; each " +
        "installation then appears here.",
    ]}
  />
);
