/** "Webhook": one of them with its attempts, and "Resend". */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { type ApiProblem, send } from "../data/ApiCall.ts";
import { useLast } from "../data/LastData.ts";
import { refresh, useData } from "../data/Query.ts";
import type { WebhookAttempt } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { FactList } from "../parts/FactList.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, parameter } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { InstantOr } from "./AccessKeys.tsx";
import { WebhookActions } from "./WebhookActions.tsx";
import { WebhookBadge } from "./WebhookSettings.tsx";

/** Types of calls that cannot be sent again: a batch has no event's id, a test no event. */
const onlyOnce = new Set(["batch", "webhook.test"]);

/** "Resend": sends an event again. */
const Resend = ({
  attempt: { event_id: event, event_type: type },
  onProblem,
  webhookId,
}: {
  readonly attempt: WebhookAttempt;
  readonly webhookId: string;
  readonly onProblem: (problem: ApiProblem | undefined) => void;
}) => {
  const [isBusy, setBusy] = useState(false);
  const resend = async (): Promise<void> => {
    setBusy(true);
    onProblem(undefined);
    try {
      await send(platform.webhooks.resend(webhookId, event));
      showToast("The event is sent again.");
      await refresh();
    } catch (error) {
      onProblem(error as ApiProblem);
    }
    setBusy(false);
  };
  if (onlyOnce.has(type) || !may("webhooks:write")) return null;
  return (
    <Button variant="plain" isBusy={isBusy} label={`Resend ${type} ${event}`} onPress={() => void resend()}>
      Resend
    </Button>
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

const columnsWith = (
  webhookId: string,
  onProblem: (problem: ApiProblem | undefined) => void,
): ReadonlyArray<Column<WebhookAttempt>> => [
  { key: "at", heading: "Time", cell: ({ created_at: at }) => <InstantText at={at} /> },
  { key: "event", heading: "Event", cell: ({ event_type: type }) => type },
  { key: "attempt", heading: "Attempt", isFigure: true, cell: ({ attempt }) => formatNumber(attempt) },
  { key: "result", heading: "Result", cell: (attempt) => <AttemptResult {...attempt} /> },
  {
    key: "duration",
    heading: "Duration (ms)",
    isFigure: true,
    cell: ({ duration_ms: millis }) => formatNumber(millis),
  },
  {
    key: "next",
    heading: "Next attempt",
    cell: ({ next_attempt_at: at }) => <InstantOr at={at} none="none" />,
  },
  {
    key: "resend",
    heading: "Actions",
    cell: (attempt) => <Resend attempt={attempt} webhookId={webhookId} onProblem={onProblem} />,
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
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined);
  const shown = webhook.data?.data;
  return (
    <PageFrame
      title="Webhook"
      lead={shown?.url}
      actions={
        shown === undefined ? (
          <ButtonLink href={addressOf("/settings")}>All settings</ButtonLink>
        ) : (
          <WebhookActions webhook={shown} onProblem={setProblem} />
        )
      }
    >
      <LoadProblem problem={problem ?? webhook.problem ?? attempts.problem} />
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
            columns={columnsWith(id, setProblem)}
            rows={list.data}
            rowKey={({ id }) => id}
            empty="No attempt yet. Successes are kept for a day, failures for a week."
          />
          <Pager nextCursor={list.meta.next_cursor} />
        </>
      )}
    </PageFrame>
  );
};
