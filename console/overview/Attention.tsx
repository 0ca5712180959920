/** Problems that need a person: failing transports and webhooks, missed sends, and limits nearly reached. */
import { useState } from "preact/hooks";
import { here, operator, platform } from "../data/Api.ts";
import type { ApiProblem } from "../data/ApiCall.ts";
import { isNearlyReached, limitsOf, type PlanLimit, usePlanUsage } from "../data/PlanLimits.ts";
import { useData } from "../data/Query.ts";
import type { Ability, Campaign, Webhook } from "../data/Resources.ts";
import { serverNow } from "../data/ServerTime.ts";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { InstantText } from "../parts/InstantText.tsx";
import { Loading } from "../parts/PageFrame.tsx";
import { addressOf } from "../routing/Router.ts";
import { workspaceId } from "../session/Scope.ts";
import { isOperator, may } from "../session/SessionState.ts";
import { FoundReport, useFound } from "./AttentionStates.ts";

const webhooksRead: Ability = "webhooks:read";
const recentMillis = 7 * 86_400_000;
/** The checks of the installation take seconds and are read less often, in milliseconds. */
const healthMillis = 60_000;
/** The newest drafts, each of which takes a request. */
const maxDrafts = 10;

/** Names parts that cannot be read, too: nobody knows whether they work. */
const Unread = ({ problem }: { readonly problem: ApiProblem | undefined }) =>
  problem === undefined ? null : <li>{problem.message}</li>;

const mayDraft = (): boolean => may("campaigns:read") && may("notifications:read");

const nameOf = ({ description, url }: Webhook): string => description ?? url;

/** An active webhook whose last call failed. */
const FailingWebhook = ({ webhook }: { readonly webhook: Webhook }) => {
  const { data, problem } = useData(platform.webhooks.attempts(webhook.id, { limit: 1 }));
  const last = data?.data[0];
  const isFailing = last !== undefined && last.error !== null;
  useFound(`webhook ${webhook.id}`, data === undefined && problem === undefined ? undefined : +isFailing);
  if (!isFailing) return null;
  return (
    <li>
      The last call of the webhook {nameOf(webhook)} failed
      {last.status_code !== null && ` with status ${last.status_code}`}
      <InstantText at={last.created_at} />
    </li>
  );
};

const Webhooks = () => {
  const { data, problem } = useData(platform.webhooks.list(), { isWhole: true });
  useFound(
    "webhooks",
    data === undefined ? problem && 1 : data.data.filter(({ disabled_at: at }) => at !== null).length,
  );
  return (
    <>
      {data === undefined && <Unread problem={problem} />}
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
  const { data, problem } = useData(platform.sends.list({ status: "missed", limit: 20 }));
  const since = serverNow() - recentMillis;
  const missed = data?.data.filter(({ due_at: at }) => Date.parse(at) >= since);
  useFound("sends", missed === undefined ? problem && 1 : missed.length);
  return (
    <>
      {missed === undefined && <Unread problem={problem} />}
      {missed?.map(({ due_at: at, id, notification_name: name }) => (
        <li key={id}>
          <a href={addressOf(`/sends/${id}`)}>{name ?? "A deleted notification"}</a> was missed
          <InstantText at={at} />
        </li>
      ))}
    </>
  );
};

/** A draft that cannot be published: it has no message. */
const DraftWithoutMessage = ({ draft: { id, name } }: { readonly draft: Campaign }) => {
  const { data, problem } = useData(platform.notifications.list(id), { millis: healthMillis });
  const isEmpty = data?.data.length === 0;
  useFound(`draft ${id}`, data === undefined && problem === undefined ? undefined : +isEmpty);
  return isEmpty ? (
    <li>
      The draft{" "}
      <a href={addressOf(`/campaigns/${id}`)} dir="auto">
        {name}
      </a>{" "}
      has no message yet
    </li>
  ) : null;
};

const Drafts = () => {
  const { data, problem } = useData(platform.campaigns.list({ draft: "true", limit: maxDrafts }));
  useFound("drafts", data === undefined ? problem && 1 : 0);
  return (
    <>
      {data === undefined && <Unread problem={problem} />}
      {data?.data.map((draft) => (
        <DraftWithoutMessage key={draft.id} draft={draft} />
      ))}
    </>
  );
};

/** Credentials and push services that do not work, in the words of the checks of the installation. */
const Transports = () => {
  const { data, problem } = useData(operator.health.report(), { millis: healthMillis });
  const failing = data?.data.findings.filter(
    ({ area, verdict }) => area === "push services" && verdict !== "ok",
  );
  useFound("transports", failing === undefined ? problem && 1 : failing.length);
  return (
    <>
      {failing === undefined && <Unread problem={problem} />}
      {failing?.map(({ advice, check, observation }) => (
        <li key={check + observation}>
          {observation} <span class="quiet">{advice}</span>
        </li>
      ))}
    </>
  );
};

const limitText = ({ max, name, used = 0 }: PlanLimit): string =>
  `${name}: ${formatNumber(used)} of the ${formatNumber(max ?? 0)} that the plan allows.`;

const Limits = () => {
  const workspace = useData(operator.workspaces.get(here()[0]));
  const usage = usePlanUsage();
  const isLoaded = workspace.data !== undefined && usage.data !== undefined;
  const reached = isLoaded
    ? limitsOf(workspace.data.data.plan, usage.data.data).filter(isNearlyReached)
    : undefined;
  const problem = workspace.problem ?? usage.problem;
  useFound("limits", reached === undefined ? problem && 1 : reached.length);
  return (
    <>
      {reached === undefined && <Unread problem={problem} />}
      {reached?.map((limit) => (
        <li key={limit.key}>{limitText(limit)}</li>
      ))}
    </>
  );
};

/** The things of this workspace that do not work and that a person can mend. */
export const Attention = () => {
  const [found, setFound] = useState<ReadonlyMap<string, number | undefined>>(new Map());
  const report = (part: string, count: number | undefined | null): void =>
    setFound((before) => {
      const others = [...before].filter(([each]) => each !== part);
      return new Map(count === null ? others : [...others, [part, count] as const]);
    });
  const counts = [...found.values()];
  const isAnyFound = counts.some((count) => count !== undefined && count > 0);
  const isLoading = counts.includes(undefined);
  const isKnown = isOperator() || may(webhooksRead) || may("sends:read") || mayDraft();
  return (
    <FoundReport.Provider value={report}>
      <section class="card" aria-labelledby="attention">
        <h2 id="attention">Needs attention</h2>
        <ul class="lines">
          {isOperator() && <Transports />}
          {may(webhooksRead) && <Webhooks />}
          {may("sends:read") && <MissedSends />}
          {mayDraft() && <Drafts />}
          {isOperator() && workspaceId.value !== null && <Limits />}
        </ul>
        {isKnown && !isAnyFound && (isLoading || counts.length === 0) && <Loading />}
        {isKnown && !isAnyFound && !isLoading && counts.length > 0 && <p class="quiet">Everything works.</p>}
        {!isKnown && (
          <p class="quiet">
            Your access key may read neither webhooks, sends nor drafts, so nothing is checked here.
          </p>
        )}
      </section>
    </FoundReport.Provider>
  );
};
