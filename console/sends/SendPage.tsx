/** One send: how far it is, its parts, and why deliveries failed. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { SendDetail } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { figureColumn, InstantOr, textColumn, timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { FactList, type Fact } from "../parts/FactList.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { addressOf } from "../routing/Router.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { SendBadge, sendName } from "./SendBadge.tsx";
import { runningPollMillis } from "./SendListPage.tsx";
import { SendProgress } from "./SendProgress.tsx";

type Failure = SendDetail["failures"][number];
type SendPart = NonNullable<SendDetail["parts"]>[number];

const columns: ReadonlyArray<Column<Failure>> = [
  textColumn("reason", "Reason", ({ reason }) => reason),
  figureColumn("deliveries", "Deliveries", ({ deliveries }) => deliveries),
];

const factsOf = (send: SendDetail): ReadonlyArray<Fact> => [
  ["Status", <SendBadge key="status" status={send.status} />],
  [
    "Campaign",
    send.campaign_name === null ? (
      "deleted"
    ) : (
      <a key="campaign" href={addressOf(`/campaigns/${send.campaign_id}`)}>
        {send.campaign_name}
      </a>
    ),
  ],
  ["Due", <InstantText key="due" at={send.due_at} />],
  ["Started", <InstantOr key="started" at={send.started_at} none="not yet" />],
  ["Finished", <InstantOr key="finished" at={send.finished_at} none="not yet" />],
  ...(send.pace === null
    ? []
    : ([["Pace", `${formatNumber(send.pace)} a minute at most`]] satisfies ReadonlyArray<Fact>)),
  ...(send.estimated_finish_at === null
    ? []
    : ([
        ["Estimated end", <InstantText key="estimated" at={send.estimated_finish_at} />],
      ] satisfies ReadonlyArray<Fact>)),
  ["Targeted", formatNumber(send.targeted)],
  ["Delivered", formatNumber(send.delivered)],
  ["Failed", formatNumber(send.failed)],
  ["Held by quiet hours", formatNumber(send.held)],
  ["Dropped by quiet hours", formatNumber(send.dropped)],
];

const partColumns: ReadonlyArray<Column<SendPart>> = [
  timeColumn("due", "Due", (part) => part.due_at),
  { key: "status", heading: "Status", cell: ({ status }) => <SendBadge status={status} /> },
  figureColumn("targeted", "Targeted", (part) => part.targeted),
  figureColumn("delivered", "Delivered", (part) => part.delivered),
  figureColumn("failed", "Failed", (part) => part.failed),
];

/** A send at the local time of devices has a part for each instant at which it is that time somewhere. */
const Parts = ({ parts }: { readonly parts: ReadonlyArray<SendPart> }) => (
  <CardSection title="Parts">
    <p class="quiet">Each device gets it at its own time of day.</p>
    <DataTable
      label="Parts"
      columns={partColumns}
      rows={parts}
      rowKey={({ due_at: at }) => at}
      empty="No registered device is in a zone to come."
    />
  </CardSection>
);

/** One send. While it runs, it is read every 2 seconds. */
export const SendPage = ({ ids }: PageProps) => {
  const request = platform.sends.get(ids["send"] ?? "");
  // One entry of data: its shortest interval counts.
  const { data, problem } = useData(request);
  const send = data?.data;
  const isRunning = send?.status === "running";
  useData(isRunning ? request : null, { millis: runningPollMillis });
  return (
    <PageFrame
      title={send === undefined ? "Send" : sendName(send)}
      lead="A send of a notification at its time."
      actions={
        <a class="button button-secondary" href={addressOf("/sends")}>
          All sends
        </a>
      }
    >
      <LoadProblem problem={problem} />
      {send === undefined && problem === undefined && <Loading />}
      {send !== undefined && (
        <>
          <div class="card card-section">
            {isRunning && <SendProgress send={send} />}
            <FactList facts={factsOf(send)} />
          </div>
          {send.parts !== null && <Parts parts={send.parts} />}
          <CardSection title="Failures by reason">
            {send.failed === 0 ? (
              <p class="quiet">No delivery failed.</p>
            ) : (
              <DataTable
                label="Failures by reason"
                columns={columns}
                rows={send.failures}
                rowKey={({ reason }) => reason}
                empty="The failed deliveries are past their retention."
              />
            )}
          </CardSection>
        </>
      )}
    </PageFrame>
  );
};
