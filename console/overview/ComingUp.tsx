/** Coming events: sends that are due, and campaigns that start or end. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, Send } from "../data/Resources.ts";
import { serverNow } from "../data/ServerTime.ts";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { addressOf } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

const maxItems = 8;
const aheadMillis = 30 * 86_400_000;
/** The next of all come first, so all are read. */
const whole = { isWhole: true };

/** Something that will happen at a time. */
interface Upcoming {
  readonly key: string;
  readonly at: string;
  readonly zone: string;
  readonly what: string;
  readonly name: string;
  readonly href: string;
}

const campaignsOf = (status: string) => (may("campaigns:read") ? platform.campaigns.list({ status }) : null);

const startOf = ({ id, name, starts_at: at, timezone: zone }: Campaign): Upcoming => ({
  key: `start ${id}`,
  at,
  zone,
  what: "starts",
  name,
  href: addressOf(`/campaigns/${id}`),
});

const endsOf = ({ ends_at: at, id, name, timezone: zone }: Campaign): ReadonlyArray<Upcoming> =>
  at === null
    ? []
    : [{ key: `end ${id}`, at, zone, what: "ends", name, href: addressOf(`/campaigns/${id}`) }];

/** A send at the local time of devices is next as long as a part is; one whose time has passed is not. */
const sendsOf = ({ due_at, id, notification_name: name, parts }: Send): ReadonlyArray<Upcoming> => {
  const due = parts === null ? [due_at] : parts.filter(isToCome).map((part) => part.due_at);
  const at = due.find((each) => Date.parse(each) >= serverNow());
  if (at === undefined) return [];
  const zone = workspace.value?.timezone ?? "UTC";
  const href = addressOf(`/sends/${id}`);
  return [{ key: `send ${id}`, at, zone, what: "is sent", name: name ?? "Deleted notification", href }];
};

const isToCome = ({ status }: NonNullable<Send["parts"]>[number]): boolean => status === "scheduled";

/** Says that nothing comes up, only of what the session may read. */
const nothing = (): string => {
  const [campaigns, sends] = [may("campaigns:read"), may("sends:read")];
  if (!campaigns && !sends) return "Your access key may read neither campaigns nor sends.";
  if (campaigns && sends) return "Nothing is sent, starts or ends in the next 30 days.";
  return campaigns
    ? "No campaign starts or ends in the next 30 days. Your access key may not read sends."
    : "Nothing is sent in the next 30 days. Your access key may not read campaigns.";
};

/** Sends that are due and campaigns that start or end within 30 days, the next first. */
export const ComingUp = () => {
  const scheduled = useData(campaignsOf("scheduled"), whole);
  const active = useData(campaignsOf("active"), whole);
  const sends = useData(may("sends:read") ? platform.sends.list({ status: "scheduled" }) : null, whole);
  const until = serverNow() + aheadMillis;
  const items = [
    ...(sends.data?.data.flatMap(sendsOf) ?? []),
    ...(scheduled.data?.data.map(startOf) ?? []),
    ...(active.data?.data.flatMap(endsOf) ?? []),
  ]
    .filter(({ at }) => Date.parse(at) <= until)
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .slice(0, maxItems);
  const isLoading = [may("campaigns:read") && [scheduled, active], may("sends:read") && [sends]].some(
    (lists) => lists && lists.some(({ data, problem }) => data === undefined && problem === undefined),
  );
  const problem = scheduled.problem ?? active.problem ?? sends.problem;
  return (
    <section class="card" aria-labelledby="coming-up">
      <h2 id="coming-up">What is next</h2>
      <LoadProblem problem={problem} />
      {isLoading && <Loading />}
      {!isLoading && items.length === 0 && problem === undefined && <p class="quiet">{nothing()}</p>}
      <ul class="lines">
        {items.map(({ at, href, key, name, what, zone }) => (
          <li key={key}>
            <a href={href} dir="auto">
              {name}
            </a>{" "}
            {what}
            <InstantText at={at} zone={zone} />
          </li>
        ))}
      </ul>
    </section>
  );
};
