/** "Sends": what runs, what is due, and what was sent. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Send } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { figureColumn, linkColumn, timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { ListPage } from "../parts/list/ListPage.tsx";
import { addressOf, changedAddress, parameter } from "../routing/Router.ts";
import { SendBadge, sendName } from "./SendBadge.tsx";
import { SendProgress } from "./SendProgress.tsx";

/** A running send is at most so old on the page, in milliseconds. */
export const runningPollMillis = 2_000;

const statuses = [
  { value: "", text: "Due and past" },
  { value: "running", text: "Running" },
  { value: "scheduled", text: "Scheduled" },
  { value: "done", text: "Done" },
  { value: "skipped", text: "Skipped" },
  { value: "missed", text: "Missed" },
  { value: "cancelled", text: "Cancelled" },
];

const names: ReadonlyArray<Column<Send>> = [
  linkColumn("Notification", sendName, ({ id }) => addressOf(`/sends/${id}`)),
  {
    key: "campaign",
    heading: "Campaign",
    cell: ({ campaign_id: id, campaign_name: name }) =>
      name === null ? (
        <span class="quiet">deleted</span>
      ) : (
        <a href={addressOf(`/campaigns/${id}`)} dir="auto">
          {name}
        </a>
      ),
    sortBy: (send) => send.campaign_name,
  },
  timeColumn("due", "Due", (send) => send.due_at),
];

const columns: ReadonlyArray<Column<Send>> = [
  ...names,
  {
    key: "status",
    heading: "Status",
    cell: ({ status }) => <SendBadge status={status} />,
    sortBy: ({ status }) => status,
  },
  figureColumn("targeted", "Targeted", ({ targeted }) => targeted),
  figureColumn("delivered", "Delivered", ({ delivered }) => delivered),
  {
    key: "failed",
    heading: "Failed",
    isFigure: true,
    cell: ({ failed, id }) =>
      failed === 0 ? "0" : <a href={addressOf(`/sends/${id}`)}>{formatNumber(failed)}</a>,
    sortBy: ({ failed }) => failed,
  },
];

const ofStatus = (status: string) =>
  platform.sends.list({ status, campaign: parameter("campaign") || undefined });

const rowKey = ({ id }: Send): string => id;

const Running = () => {
  const { data } = useData(ofStatus("running"), {
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
  <section class="stack" aria-labelledby="due-sends">
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

const Sections = ({ sends }: { readonly sends: ReadonlyArray<Send> }) => {
  const status = parameter("status");
  // The newest of all may be the last that are due.
  const { data: due } = useData(status === "" ? ofStatus("scheduled") : null, { isWhole: true });
  const past = sends.filter((send) => send.status !== "scheduled" && send.status !== "running");
  return (
    <>
      {(status === "" || status === "running") && <Running />}
      {status === "" && parameter("cursor") === "" && <Due sends={due?.data ?? []} />}
      {status !== "running" && (
        <section class="stack" aria-labelledby="past-sends">
          <h2 id="past-sends">{status === "scheduled" ? "Scheduled" : "Past"}</h2>
          <DataTable
            label={status === "scheduled" ? "Scheduled sends" : "Past sends"}
            columns={columns}
            rows={status === "" ? past : sends}
            rowKey={rowKey}
            empty="No send matches."
          />
        </section>
      )}
    </>
  );
};

/** The sends of the environment. */
export const SendListPage = () => (
  <ListPage
    title="Sends"
    list={platform.sends.list}
    filters={[{ name: "status", label: "Status", choices: statuses }]}
    parameters={["campaign"]}
    limit={100}
    options={parameter("status") === "running" ? { millis: runningPollMillis } : {}}
    besideFilters={
      parameter("campaign") !== "" && (
        <a class="button button-secondary" href={changedAddress({ campaign: undefined })}>
          Show all campaigns
        </a>
      )
    }
    empty={[
      "No sends yet",
      <>
        A push campaign sends at set times. Add a notification with a time to one, and its send is here.{" "}
        <a href={addressOf("/campaigns")}>Go to the campaigns</a>
      </>,
    ]}
  >
    {(sends) => <Sections sends={sends} />}
  </ListPage>
);
