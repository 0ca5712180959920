/** The calendar: all that is due in the environment, month by month. */
import { daysOf } from "../campaigns/RecurrenceDates.ts";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, Send } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { dayOf, formatTime, today } from "../parts/DisplayFormats.ts";
import { MonthCalendar } from "../parts/MonthCalendar.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { wallTimeAt } from "../parts/WallClock.ts";
import { addressOf, changedAddress, navigate, parameter } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

/** Something that is due on a day. */
interface Due {
  readonly day: string;
  readonly text: string;
  readonly href: string;
}

const ofSend = (send: Send, timezone: string): Due => {
  const at = Date.parse(send.due_at);
  const name = send.campaign_name ?? "A deleted campaign";
  return {
    day: dayOf(at, timezone),
    text: `${formatTime(at, timezone)} ${name}`,
    href: addressOf(`/sends/${send.id}`),
  };
};

/** The dates of a recurring campaign in a month that have no send yet: those after 35 days. */
const ofCampaign = (
  { ends_at: end, id, name, recurrence, starts_at: start, timezone }: Campaign,
  month: string,
  planned: ReadonlySet<string>,
): ReadonlyArray<Due> => {
  if (recurrence === null) return [];
  const first = wallTimeAt(start, timezone);
  const now = today(timezone);
  const last = end === null ? "" : wallTimeAt(end, timezone).slice(0, 10);
  const monthEnd = `${month}-31`;
  const to = last !== "" && last < monthEnd ? last : monthEnd;
  const days = daysOf(recurrence, first, { from: `${month}-01`, to, most: 31 });
  if (typeof days === "string") return [];
  return days
    .filter((day) => day > now && !planned.has(`${id} ${day}`))
    .map((day) => ({ day, text: name, href: addressOf(`/campaigns/${id}`) }));
};

/** The calendar of an environment. */
export const CalendarPage = () => {
  const timezone = workspace.value?.timezone ?? "UTC";
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/.exec(parameter("month"))?.[0] ?? today(timezone).slice(0, 7);
  const whole = { isWhole: true };
  const sends = useData(platform.sends.list({ status: "scheduled", limit: 100 }), whole);
  const active = useData(platform.campaigns.list({ type: "push", status: "active", limit: 100 }), whole);
  const coming = useData(platform.campaigns.list({ type: "push", status: "scheduled", limit: 100 }), whole);
  const problem = sends.problem ?? active.problem ?? coming.problem;
  const isLoading = [sends, active, coming].some(({ data }) => data === undefined);
  const rows = sends.data?.data ?? [];
  const planned = new Set(rows.map(({ campaign_id: id, occurrence }) => `${id} ${occurrence ?? ""}`));
  const campaigns = [...(active.data?.data ?? []), ...(coming.data?.data ?? [])];
  const due = [
    ...rows.map((send) => ofSend(send, timezone)),
    ...campaigns.flatMap((campaign) => ofCampaign(campaign, month, planned)),
  ].filter(({ day }) => day.startsWith(month));
  const byDay = Map.groupBy(
    due.toSorted((a, b) => (a.text < b.text ? -1 : 1)),
    ({ day }) => day,
  );
  return (
    <PageFrame title="Calendar">
      <LoadProblem problem={problem} />
      <p class="quiet">
        All that push campaigns are to send, in the time zone {timezone}. Times of recurring campaigns are
        known 35 days ahead.
      </p>
      {isLoading && problem === undefined && <Loading />}
      {!isLoading && rows.length + campaigns.length === 0 ? (
        <EmptyState
          title="Nothing is due"
          action={
            may("campaigns:write") && (
              <ButtonLink variant="primary" href={addressOf("/campaigns/new")}>
                New campaign
              </ButtonLink>
            )
          }
        >
          Write a push campaign first: it sends at a set time, or again and again.
        </EmptyState>
      ) : (
        <MonthCalendar month={month} onMonth={(next) => navigate(changedAddress({ month: next }))}>
          {(day) => (
            <ul class="lines">
              {(byDay.get(day) ?? []).map(({ href, text }) => (
                <li key={href + text}>
                  <a href={href}>{text}</a>
                </li>
              ))}
            </ul>
          )}
        </MonthCalendar>
      )}
    </PageFrame>
  );
};
