/** What needs a person: transports and webhooks that fail, missed sends, and limits nearly reached. */
import type { ComponentChildren } from "preact";
import { useOperator, usePlatform } from "../data/Query.ts";
import type {
  Ability,
  HealthReport,
  One,
  Page,
  Send,
  SummaryReport,
  Webhook,
  WebhookAttempt,
  Workspace,
} from "../data/Resources.ts";
import { serverNow } from "../data/ServerTime.ts";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import { InstantText } from "../parts/InstantText.tsx";
import { addressOf } from "../routing/Router.ts";
import { workspaceId } from "../session/Scope.ts";
import { isOperator, may } from "../session/SessionState.ts";

const webhooksRead: Ability = "webhooks:read";
const recentMillis = 7 * 86_400_000;
/** The checks of the installation take seconds and are read less often, in milliseconds. */
const healthMillis = 60_000;
/** The share of a limit from which it is named. */
const nearlyReached = 0.9;

const nameOf = ({ description, url }: Webhook): string => description ?? url;

/** An active webhook whose last call failed. */
const FailingWebhook = ({ webhook }: { readonly webhook: Webhook }) => {
  const { data } = usePlatform<Page<WebhookAttempt>>(`/webhooks/${webhook.id}/attempts?limit=1`);
  const last = data?.data[0];
  if (last === undefined || (last.status_code !== null && last.status_code < 300)) return null;
  return (
    <li>
      The last call of the webhook {nameOf(webhook)} failed
      {last.status_code !== null && ` with status ${last.status_code}`}
      <InstantText at={last.created_at} />
    </li>
  );
};

const Webhooks = () => {
  const { data } = usePlatform<Page<Webhook>>("/webhooks?limit=100");
  return (
    <>
      {data?.data.map((webhook) =>
        webhook.disabled_at === null ? (
          <FailingWebhook key={webhook.id} webhook={webhook} />
        ) : (
          <li key={webhook.id}>
            The webhook {nameOf(webhook)} is disabled since
            <InstantText at={webhook.disabled_at} />
          </li>
        ),
      )}
    </>
  );
};

const MissedSends = () => {
  const { data } = usePlatform<Page<Send>>("/sends?status=missed&limit=20");
  const since = serverNow() - recentMillis;
  return (
    <>
      {data?.data
        .filter(({ due_at: at }) => Date.parse(at) >= since)
        .map(({ due_at: at, id, notification_name: name }) => (
          <li key={id}>
            <a href={addressOf(`/sends/${id}`)}>{name ?? "A deleted notification"}</a> was missed
            <InstantText at={at} />
          </li>
        ))}
    </>
  );
};

/** Credentials and push services that do not work, in the words of the checks of the installation. */
const Transports = () => {
  const { data } = useOperator<One<HealthReport>>("/health/report", { millis: healthMillis });
  return (
    <>
      {data?.data.findings
        .filter(({ area, verdict }) => area === "push services" && verdict !== "ok")
        .map(({ advice, check, observation }) => (
          <li key={check + observation}>
            {observation} <span class="quiet">{advice}</span>
          </li>
        ))}
    </>
  );
};

const Limits = ({ totals }: { readonly totals: SummaryReport["totals"] }) => {
  const { data } = useOperator<One<Workspace>>(`/workspaces/${workspaceId.value}`);
  const limit = data?.data.plan.max_campaigns ?? null;
  // Campaigns that have ended do not count towards the limit, so those that are active are the sure part.
  if (limit === null || totals.active_campaigns < limit * nearlyReached) return null;
  return (
    <li>
      {formatCount(totals.active_campaigns, "active campaign")}; the plan allows {formatNumber(limit)}.
    </li>
  );
};

const Part = ({ children, isShown }: { readonly isShown: boolean; readonly children: ComponentChildren }) =>
  isShown ? <>{children}</> : null;

/** The things of this workspace that do not work and that a person can mend. */
export const Attention = ({ totals }: { readonly totals: SummaryReport["totals"] | undefined }) => (
  <section class="card" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <ul class="lines attention">
      <Part isShown={isOperator()}>
        <Transports />
      </Part>
      <Part isShown={may(webhooksRead)}>
        <Webhooks />
      </Part>
      <Part isShown={may("sends:read")}>
        <MissedSends />
      </Part>
      <Part isShown={isOperator() && workspaceId.value !== null && totals !== undefined}>
        {totals !== undefined && <Limits totals={totals} />}
      </Part>
    </ul>
    <p class="quiet all-works">Everything works.</p>
  </section>
);
