/**
 * One device: what it is, whose it is, its messages, where it entered and left, and why campaigns reach it or
 * not.
 */
import { useState } from "preact/hooks";
import { here, operator, platform } from "../data/Api.ts";
import { refresh, useData } from "../data/Query.ts";
import type { Device, DeviceMessage } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { type Fact, FactList } from "../parts/FactList.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { MorePages } from "../parts/MorePages.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { isOperator } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { ApprovalBadge, ApprovalButton } from "./Approval.tsx";
import { DeviceEvents } from "./DeviceEvents.tsx";
import { platformTexts, transportText } from "./DeviceWords.ts";
import { ErasureDialog } from "./ErasureDialog.tsx";
import { HeldMessages } from "./HeldMessages.tsx";
import { Person } from "./DevicePerson.tsx";
import { Why, whyId } from "./Why.tsx";

const factsOf = (device: Device): ReadonlyArray<Fact> => [
  ["Platform", platformTexts[device.platform]],
  ["Reached by", transportText(device)],
  ["Test device", <ApprovalBadge key="approved" approved={device.approved} />],
  ["Messages", device.subscribed ? "wanted" : "not wanted: nothing is sent to it"],
  ["App version", device.app_version ?? "unknown"],
  ["Language", device.locale ?? "unknown"],
  ["Time zone", device.timezone ?? "unknown"],
  ["Registered", <InstantText key="registered" at={device.registered_at} />],
  ["Last seen", <InstantText key="seen" at={device.last_seen_at} />],
  ["Device id", device.id],
];

const attributeFacts = ({ attributes }: Device): ReadonlyArray<Fact> =>
  Object.entries(attributes).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);

const messageColumns: ReadonlyArray<Column<DeviceMessage>> = [
  {
    key: "headline",
    heading: "Message",
    cell: ({ body, headline }) => (
      <>
        <bdi>{headline}</bdi>
        <span class="second-line" dir="auto">
          {body}
        </span>
      </>
    ),
  },
  timeColumn("delivered", "Delivered", (message) => message.delivered_at, "no"),
  timeColumn("opened", "Opened", (message) => message.opened_at, "no"),
  timeColumn("clicked", "Clicked", (message) => message.clicked_at, "no"),
];

const goToWhy = (): void => {
  const heading = document.getElementById(whyId);
  heading?.focus();
  heading?.scrollIntoView({ block: "start" });
  void refresh();
};

/** One device. */
export const DevicePage = ({ ids }: PageProps) => {
  const { device: id = "" } = ids;
  const { data, problem } = useData(platform.devices.get(id));
  const [isErasing, setErasing] = useState(false);
  const device = data?.data;
  if (device === undefined)
    return (
      <PageFrame title="Device">
        {problem === undefined ? <Loading /> : <LoadProblem problem={problem} />}
      </PageFrame>
    );
  const attributes = attributeFacts(device);
  return (
    <PageFrame
      title={device.installation_id}
      lead="A device, by the app's own id of the installation."
      actions={
        <>
          <Button onPress={goToWhy}>Why</Button>
          <ApprovalButton device={device} canWithdraw />
          {isOperator() && <Button onPress={() => setErasing(true)}>Erase</Button>}
        </>
      }
    >
      <LoadProblem problem={problem} />
      {isErasing && (
        <ErasureDialog
          noun="device"
          name={device.installation_id}
          erase={operator.people.eraseDevice(...here(), device.id)}
          onClose={() => setErasing(false)}
        />
      )}
      <div class="card card-section">
        <FactList facts={factsOf(device)} />
      </div>
      <CardSection title="Attributes">
        {attributes.length === 0 ? (
          <p class="quiet">The app has sent none.</p>
        ) : (
          <FactList facts={attributes} />
        )}
      </CardSection>
      <Person userId={device.user_id} />
      <Why deviceId={id} />
      {isOperator() && <HeldMessages deviceId={device.id} />}
      <CardSection title="Messages">
        <MorePages
          list={platform.deviceMessages.list(id, { limit: 20 })}
          more="Show older messages"
          empty="No message was delivered to this device."
        >
          {(messages) => (
            <DataTable label="Messages" columns={messageColumns} rows={messages} rowKey={({ id }) => id} />
          )}
        </MorePages>
      </CardSection>
      <DeviceEvents deviceId={id} />
    </PageFrame>
  );
};
