/** Past and coming events of a campaign. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { ActivityEntry, Campaign, Send } from "../data/Resources.ts";
import { serverNow } from "../data/ServerTime.ts";
import { formatInstant, formatNumber } from "../parts/DisplayFormats.ts";
import { may } from "../session/SessionState.ts";

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

const verbs: Readonly<Record<string, string>> = {
  create: "created it",
  update: "changed it",
  delete: "deleted it",
  pause: "paused it",
  publish: "published it",
  archive: "archived it",
  unarchive: "took it out of the archive",
};

const sendText = ({ delivered, failed, notification_name: name, status }: Send): string => {
  const what = `“${name ?? "A deleted notification"}”`;
  const figures = `${formatNumber(delivered)} delivered, ${formatNumber(failed)} failed`;
  if (status === "scheduled") return `${what} is sent`;
  if (status === "running") return `${what} is being sent: ${figures}`;
  return status === "done" ? `${what} was sent: ${figures}` : `${what} was ${status}`;
};

const runningMillis = 2_000;

/** Whether a change ended that the campaign was live. */
const isPause = ({ action, changes }: ActivityEntry): boolean =>
  action === "pause" || (changes["paused"]?.old === false && changes["paused"].new === true);

const isPublication = ({ action, changes }: ActivityEntry): boolean =>
  action === "publish" || changes["paused"]?.new === false;

/** The planned start and end, as far as they happened or will. A draft neither starts nor ends. */
const datesOf = (campaign: Campaign, changes: ReadonlyArray<ActivityEntry>): ReadonlyArray<Moment> => {
  const { created_at: created, ends_at: end, starts_at: start, status } = campaign;
  const wasLive = status !== "paused" || changes.some(isPause);
  const published = changes.findLast(isPublication)?.at ?? created;
  const isOver = (at: string) => Date.parse(at) <= serverNow();
  const starts = isOver(start) && Date.parse(published) > Date.parse(start) ? published : start;
  const words = (at: string, past: string, future: string, plan: string): string => {
    if (isOver(at)) return wasLive ? past : plan;
    return status === "paused" ? plan : future;
  };
  return [
    { key: "start", at: starts, text: words(starts, "Started", "Starts", "Planned start") },
    ...(end === null ? [] : [{ key: "end", at: end, text: words(end, "Ended", "Ends", "Planned end") }]),
  ];
};

const useMoments = (campaign: Campaign): ReadonlyArray<Moment> => {
  const { created_at: created, id, type } = campaign;
  const ownSends =
    may("sends:read") && type === "push" ? platform.sends.list({ campaign: id, limit: 50 }) : null;
  const sends = useData(ownSends);
  const isRunning = sends.data?.data.some(({ status }) => status === "running") === true;
  // Of running sends the data is at most two seconds old.
  useData(isRunning ? ownSends : null, { millis: runningMillis });
  const changes = useData(may("activity:read") ? platform.activity.list({ resource: id, limit: 30 }) : null);
  return [
    ...(changes.data === undefined ? [{ key: "created", at: created, text: "Created" }] : []),
    ...(changes.data?.data ?? []).toReversed().map(({ action, actor, at, id: key }) => ({
      key,
      at,
      text: `${actor.name} ${verbs[action.split(".").at(-1) ?? ""] ?? action}`,
    })),
    ...datesOf(campaign, changes.data?.data ?? []),
    ...(sends.data?.data ?? []).map((send) => ({ key: send.id, at: send.due_at, text: sendText(send) })),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
};

/** The timeline, the oldest first. What is still to come is marked as such. */
export const CampaignTimeline = ({ campaign }: { readonly campaign: Campaign }) => {
  const moments = useMoments(campaign);
  const now = serverNow();
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <ol class="lines timeline">
        {moments.map(({ at, key, text }) => (
          <li key={key} class={Date.parse(at) > now ? "to-come" : undefined}>
            {text}
            <time dateTime={at}>
              {formatInstant(at, campaign.timezone)}
              {Date.parse(at) > now && ", to come"}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
};
