/** "Webhook": one of them with its attempts, and "Resend". */
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { useLast } from "../data/LastData.ts";
import { refresh, useData } from "../data/Query.ts";
import type { WebhookAttempt } from "../data/Resources.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { Badge } from "../parts/Badge.tsx";
import { ButtonLink } from "../parts/Button.tsx";
import { figureColumn, textColumn, timeColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { FactList } from "../parts/FactList.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, parameter } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { WebhookActions } from "./WebhookActions.tsx";
import { WebhookBadge } from "./WebhookSettings.tsx";

/** Types of calls that cannot be sent again: a batch has no event's id, a test no event. */
const onlyOnce = new Set(["batch", "webhook.test"]);

/** "Resend": sends an event again. */
const Resend = ({
  attempt: { event_id: event, event_type: type },
  webhookId,
}: {
  readonly attempt: WebhookAttempt;
  readonly webhookId: string;
}) => {
  const resend = async (): Promise<void> => {
    await send(platform.webhooks.resend(webhookId, event));
    showToast("The event is sent again.");
    await refresh();
  };
  if (onlyOnce.has(type) || !may("webhooks:write")) return null;
  return (
    <ActionButton variant="plain" label={`Resend ${type} ${event}`} onPress={resend}>
      Resend
    </ActionButton>
  );
};

const AttemptResult = ({ error, status_code: status }: WebhookAttempt) =>
  error === null ? (
    <Badge text={`Delivered, ${status ?? ""}`} tone="good" />
  ) : (
    <p class="wide-cell">
      <Badge text="Failed" tone="bad" /> {error}
    </p>
  );

const columnsWith = (webhookId: string): ReadonlyArray<Column<WebhookAttempt>> => [
  timeColumn("at", "Time", (row) => row.created_at),
  textColumn("event", "Event", (row) => row.event_type),
  figureColumn("attempt", "Attempt", ({ attempt }) => attempt),
  { key: "result", heading: "Result", cell: (attempt) => <AttemptResult {...attempt} /> },
  figureColumn("duration", "Duration (ms)", (row) => row.duration_ms),
  timeColumn("next", "Next attempt", (row) => row.next_attempt_at),
  {
    key: "resend",
    heading: "Actions",
    cell: (attempt) => <Resend attempt={attempt} webhookId={webhookId} />,
  },
];

/** A webhook with its attempts, newest first. */
export const WebhookPage = ({ ids }: PageProps) => {
  const { webhook: id = "" } = ids;
  const webhook = useData(platform.webhooks.get(id));
  const attempts = useData(
    platform.webhooks.attempts(id, { limit: 50, cursor: parameter("cursor") || undefined }),
  );
  const list = useLast(attempts.data);
  const shown = webhook.data?.data;
  return (
    <PageFrame
      title="Webhook"
      lead={shown?.url}
      actions={
        shown === undefined ? (
          <ButtonLink href={addressOf("/settings")}>All settings</ButtonLink>
        ) : (
          <WebhookActions webhook={shown} />
        )
      }
    >
      <LoadProblem problem={webhook.problem ?? attempts.problem} />
      {shown !== undefined && (
        <div class="card">
          <FactList
            facts={[
              ["Status", <WebhookBadge {...shown} />],
              ["Purpose", shown.description ?? "none"],
              ["Events", shown.events.includes("*") ? "all" : shown.events.join(", ")],
              ["Calls", shown.batch ? "up to 500 events each" : "one event each"],
            ]}
          />
        </div>
      )}
      {list === undefined && attempts.problem === undefined && <Loading />}
      {list !== undefined && (
        <>
          <DataTable
            label="Attempts"
            columns={columnsWith(id)}
            rows={list.data}
            rowKey={({ id }) => id}
            empty="No attempt yet. Successes are kept for a day, failures for a week."
          />
          <Pager nextCursor={list.meta.next_cursor} shown={list.data.length} />
        </>
      )}
    </PageFrame>
  );
};
