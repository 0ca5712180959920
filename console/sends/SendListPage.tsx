/** "Sends": what runs, what is due, and what was sent. */
import { useLast } from "../data/LastData.ts";
import { listPath } from "../data/ListPath.ts";
import { usePlatform } from "../data/Query.ts";
import type { Page, Send } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { EmptyState } from "../parts/EmptyState.tsx";
import { ChoiceFilter } from "../parts/Filters.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { addressOf, changedAddress, parameter, setParameters } from "../routing/Router.ts";
import { SendBadge, sendName } from "./SendBadge.tsx";
import { SendProgress } from "./SendProgress.tsx";

/** A running send is at most so old on the page, in milliseconds. */
export const runningPollMillis = 2_000;

const filters = ["status", "campaign"] as const;

const statuses = [
  { value: "", text: "Due and past" },
  { value: "running", text: "Running" },
  { value: "scheduled", text: "Scheduled" },
  { value: "done", text: "Done" },
  { value: "skipped", text: "Skipped" },
  { value: "missed", text: "Missed" },
  { value: "cancelled", text: "Cancelled" },
];

const due: Column<Send> = { key: "due", heading: "Due", cell: ({ due_at: at }) => <InstantText at={at} /> };

const names: ReadonlyArray<Column<Send>> = [
  {
    key: "name",
    heading: "Notification",
    cell: (send) => (
      <a class="row-link" href={addressOf(`/sends/${send.id}`)}>
        {sendName(send)}
      </a>
    ),
  },
  {
    key: "campaign",
    heading: "Campaign",
    cell: ({ campaign_id: id, campaign_name: name }) =>
      name === null ? <span class="quiet">deleted</span> : <a href={addressOf(`/campaigns/${id}`)}>{name}</a>,
  },
  due,
];

const figure = (key: "targeted" | "delivered", heading: string): Column<Send> => ({
  key,
  heading,
  isFigure: true,
  cell: (send) => formatNumber(send[key]),
});

const columns: ReadonlyArray<Column<Send>> = [
  ...names,
  { key: "status", heading: "Status", cell: ({ status }) => <SendBadge status={status} /> },
  figure("targeted", "Targeted"),
  figure("delivered", "Delivered"),
  {
    key: "failed",
    heading: "Failed",
    isFigure: true,
    cell: ({ failed, id }) =>
      failed === 0 ? "0" : <a href={addressOf(`/sends/${id}`)}>{formatNumber(failed)}</a>,
  },
];

const ofStatus = (status: string): string => {
  const campaign = parameter("campaign");
  const filter = campaign === "" ? "" : `&campaign=${encodeURIComponent(campaign)}`;
  return `/sends?status=${status}${filter}`;
};

const rowKey = ({ id }: Send): string => id;

const Running = () => {
  const { data } = usePlatform<Page<Send>>(ofStatus("running"), {
    isWhole: true,
    millis: runningPollMillis,
  });
  const running = data?.data ?? [];
  if (running.length === 0) return null;
  return (
    <CardSection title="Running">
      <ul class="lines">
        {running.map((send) => (
          <li key={send.id}>
            <a class="row-link" href={addressOf(`/sends/${send.id}`)}>
              {sendName(send)}
            </a>{" "}
            <span class="quiet">{send.campaign_name}</span>
            <SendProgress send={send} />
          </li>
        ))}
      </ul>
    </CardSection>
  );
};

const Due = ({ sends }: { readonly sends: ReadonlyArray<Send> }) => (
  <section class="send-part" aria-labelledby="due-sends">
    <h2 id="due-sends">Due</h2>
    <DataTable
      label="Due sends"
      columns={names}
      rows={sends.toSorted((a, b) => Date.parse(a.due_at) - Date.parse(b.due_at))}
      rowKey={rowKey}
      empty="No send is due."
    />
  </section>
);

const NoSends = () => (
  <EmptyState title="No sends yet" action={<a href={addressOf("/campaigns")}>Go to the campaigns</a>}>
    A push campaign sends at set times. Add a notification with a time to one, and its send is here.
  </EmptyState>
);

/** The sends of the environment. */
export const SendListPage = () => {
  const status = parameter("status");
  const { data, problem } = usePlatform<Page<Send>>(
    listPath("/sends", filters, 100),
    status === "running" ? { millis: runningPollMillis } : {},
  );
  const { data: due } = usePlatform<Page<Send>>(status === "" ? ofStatus("scheduled") : null);
  const list = useLast(data);
  const isFirst = parameter("cursor") === "";
  const isEmpty = list?.data.length === 0 && filters.every((name) => parameter(name) === "") && isFirst;
  const past = list?.data.filter((send) => send.status !== "scheduled" && send.status !== "running");
  return (
    <PageFrame title="Sends">
      <LoadProblem problem={problem} />
      {!isEmpty && (
        <div class="filters" role="search">
          <ChoiceFilter
            label="Status"
            value={status}
            choices={statuses}
            onValue={(value) => setParameters({ status: value, cursor: undefined })}
          />
          {parameter("campaign") !== "" && (
            <a class="button button-secondary" href={changedAddress({ campaign: undefined })}>
              Show all campaigns
            </a>
          )}
        </div>
      )}
      {list === undefined && problem === undefined && <Loading />}
      {isEmpty && <NoSends />}
      {list !== undefined && !isEmpty && (
        <>
          {(status === "" || status === "running") && <Running />}
          {status === "" && isFirst && <Due sends={due?.data ?? []} />}
          {status !== "running" && (
            <section class="send-part" aria-labelledby="past-sends">
              <h2 id="past-sends">{status === "scheduled" ? "Scheduled" : "Past"}</h2>
              <DataTable
                label={status === "scheduled" ? "Scheduled sends" : "Past sends"}
                columns={columns}
                rows={(status === "" ? past : list.data) ?? []}
                rowKey={rowKey}
                empty="No send matches."
              />
              <Pager nextCursor={list.meta.next_cursor} />
            </section>
          )}
        </>
      )}
    </PageFrame>
  );
};
