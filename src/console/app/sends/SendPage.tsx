/** One send: how far it is, and why deliveries failed. */
import { usePlatform } from "../data/Query.ts";
import type { One, SendDetail } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
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

const columns: ReadonlyArray<Column<Failure>> = [
  { key: "reason", heading: "Reason", cell: ({ reason }) => reason, sortBy: ({ reason }) => reason },
  {
    key: "deliveries",
    heading: "Deliveries",
    isFigure: true,
    cell: ({ deliveries }) => formatNumber(deliveries),
    sortBy: ({ deliveries }) => deliveries,
  },
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
  ["Started", send.started_at === null ? "not yet" : <InstantText key="started" at={send.started_at} />],
  ["Finished", send.finished_at === null ? "not yet" : <InstantText key="finished" at={send.finished_at} />],
  ["Targeted", formatNumber(send.targeted)],
  ["Delivered", formatNumber(send.delivered)],
  ["Failed", formatNumber(send.failed)],
];

/** One send. While it runs, it is read every 2 seconds. */
export const SendPage = ({ ids }: PageProps) => {
  const path = `/sends/${encodeURIComponent(ids["send"] ?? "")}`;
  // One entry of data: its shortest interval counts.
  const { data, problem } = usePlatform<One<SendDetail>>(path);
  const send = data?.data;
  const isRunning = send?.status === "running";
  usePlatform(isRunning ? path : null, { millis: runningPollMillis });
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
