/** The summary before a campaign is published: whom it reaches, where, when and how often, and what fails. */
import type { ComponentChildren } from "preact";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { CampaignEstimate } from "../data/Resources.ts";
import type { MessageValues } from "../notifications/NotificationForm.ts";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { formatCount, formatNumber, formatPercent, formatWallTime } from "../parts/DisplayFormats.ts";
import { FactList } from "../parts/FactList.tsx";
import { numberWords } from "../parts/NumberWords.ts";
import { environment, workspace } from "../session/Scope.ts";
import { type CampaignValues, targetingOf } from "./CampaignForm.ts";
import { limitFacts } from "./CampaignPacing.tsx";

/** The campaign that is published, and whom it reaches. */
export interface PublishSummary {
  readonly values: CampaignValues;
  readonly estimate: CampaignEstimate;
  /** The notifications that it has, null if they are not known. */
  readonly messages: ReadonlyArray<MessageValues> | null;
  /** Sentences about what will not arrive, or later than it is sent. */
  readonly warnings: ReadonlyArray<string>;
}

const ofAll = (part: number, all: number): string =>
  part >= all ? "every device" : `${formatNumber(part)} of ${formatCount(all, "device")}`;

/** Devices whose time has passed. @throws ApiProblem */
const lateWarning = async (
  values: CampaignValues,
  { late, name, send_at: sendAt }: MessageValues,
  devices: number,
): Promise<ReadonlyArray<string>> => {
  // A time that has passed today is none of a recurring campaign's.
  if (values.type !== "push" || sendAt === "" || values.recurrence_rule !== "") return [];
  const at = `${values.starts_at.slice(0, 10)} ${sendAt}`;
  const time = { at, timezone: values.timezone, local: late !== "" };
  const { data } = await send(platform.estimates.estimate({ ...targetingOf(values), send: time }));
  const passed = data.devices_passed ?? 0;
  if (passed === 0) return [];
  const end = late === "send" ? "" : passed >= devices ? " Nobody gets it." : " They do not get it.";
  return [`The time of “${name}” has passed for ${ofAll(passed, devices)} of the audience.${end}`];
};

/** The quiet hours that hold for a campaign; null for none, or unknown ones. */
const quietHoursOf = (values: CampaignValues) => {
  const { quiet_action: action, quiet_from: from, quiet_to: to } = values;
  if (action === "") return workspace.value?.quiet_hours ?? null;
  return action === "none" ? null : { from, to, action };
};

const quietWarning = (
  values: CampaignValues,
  { late, name, send_at: at }: MessageValues,
): ReadonlyArray<string> => {
  const quiet = quietHoursOf(values);
  if (values.type !== "push" || quiet === null || at === "") return [];
  const { from, to } = quiet;
  if (!(from < to ? at >= from && at < to : at >= from || at < to)) return [];
  const where = late !== "" ? "" : ` for devices in ${values.timezone}`;
  const end = quiet.action === "hold" ? "it waits until they end" : "they do not get it";
  return [`“${name}” is sent in quiet hours${where}, ${from} to ${to}: ${end}.`];
};

/** Whom a campaign would reach, and whom not. @throws ApiProblem, with the problems of its targets */
export const summaryOf = async (
  values: CampaignValues,
  messages: PublishSummary["messages"],
): Promise<PublishSummary> => {
  const { data: estimate } = await send(platform.estimates.estimate(targetingOf(values)));
  const { devices, reachable } = estimate;
  const late = await Promise.all((messages ?? []).map((message) => lateWarning(values, message, devices)));
  const unapproved = environment.value === "sandbox" ? ", or are no approved test devices" : "";
  const warnings = [
    ...late.flat(),
    ...(messages ?? []).flatMap((message) => quietWarning(values, message)),
    ...(devices > reachable
      ? [`${ofAll(devices - reachable, devices)} get nothing now: they have no working address${unapproved}.`]
      : []),
  ];
  return { values, estimate, messages, warnings };
};

/** How many get nothing; empty for no holdout. */
export const holdoutText = (typed: string, devices: number | null): string => {
  const percent = Number(typed.trim());
  if (!(percent > 0 && percent <= 50)) return "";
  if (devices === null) return `About ${formatPercent(percent)} of people get nothing.`;
  const held = Math.round((devices * percent) / 100);
  return `About ${formatNumber(held)} of ${formatNumber(devices)} people get nothing.`;
};

const audienceOf = ({ estimate, values }: PublishSummary): string => {
  const everyone = values.type !== "geo" && values.segmentation_ids.length === 0 ? ": everyone" : "";
  const seen = estimate.devices_seen_30_days;
  return (
    `${formatCount(estimate.devices, "device")}${everyone}, ` +
    `${formatCount(estimate.reachable, "device")} of them reachable now.` +
    (seen === null ? "" : ` ${formatCount(seen, "device")} entered these locations in the last 30 days.`)
  );
};

const triggers = (messages: PublishSummary["messages"]): string => {
  const kinds = new Set(messages?.map(({ trigger_type: kind }) => kind));
  const minutes = new Set(messages?.map((message) => message.minutes));
  if (kinds.size !== 1) return "enters or leaves a location";
  if (kinds.has("on_dwell")) return `is inside a location for ${[...minutes].join(" or ")} minutes`;
  return kinds.has("on_exit") ? "leaves a location" : "enters a location";
};

/** When the first message goes out. */
const firstSend = ({ messages, values }: PublishSummary): string => {
  const { ends_at: end, starts_at: start, timezone, type } = values;
  if (messages?.length === 0) return "None yet: it has no notification. Nothing is sent until one is added.";
  const until = end.trim() === "" ? "" : ` until ${formatWallTime(end)}`;
  const dates = `from ${formatWallTime(start)}${until} (${timezone})`;
  if (type === "geo") return `When a device ${triggers(messages)}, ${dates}.`;
  if (type === "event") {
    const names = new Set(messages?.flatMap(({ event }) => (event === "" ? [] : [event])));
    const event = [...names].join(" or ") || "its event";
    return `When ${event} is reported, ${dates}.`;
  }
  // Sends are at their time of day, on the campaign's day.
  const [first] = (messages ?? []).toSorted((a, b) => (a.send_at < b.send_at ? -1 : 1));
  const day = formatWallTime(start.slice(0, 10));
  const zone = first !== undefined && first.late !== "" ? "where each device is" : `(${timezone})`;
  if (values.recurrence_rule !== "") {
    const at = first === undefined ? "" : ` at ${first.send_at}`;
    return `Again and again${at} ${zone}, from ${day}${until}.`;
  }
  return `${first === undefined ? `On ${day}` : `${day}, ${first.send_at}`} ${zone}.`;
};

const headsOf = (messages: PublishSummary["messages"]): string =>
  (messages ?? []).map(({ headline, name }) => `“${headline || name}”`).join(", ");

/** A sentence that says what will happen. */
export const Lead = ({ summary }: { readonly summary: PublishSummary }) => {
  const { estimate, messages, values } = summary;
  const { devices, places: locations } = estimate;
  const first = firstSend(summary);
  const when = values.type === "push" ? first : first.replace("When", "when");
  if (messages === null || messages.length === 0) return <p>{first}</p>;
  return (
    <p dir="auto">
      {headsOf(messages)} {messages.length === 1 ? "goes" : "go"}{" "}
      {values.type === "geo"
        ? `to each device, at ${formatCount(locations, "location")}: ${when}`
        : `to ${formatCount(devices, "device")}: ${when}`}
    </p>
  );
};

/** The campaign that is published, fact by fact, and what will not arrive. */
export const SummaryFacts = ({ summary }: { readonly summary: PublishSummary }) => {
  const { values, warnings } = summary;
  const { devices, places: locations } = summary.estimate;
  const holdout = holdoutText(values.holdout_percent, devices);
  const facts: ReadonlyArray<readonly [string, ComponentChildren] | false> = [
    ["Audience", audienceOf(summary)],
    values.type === "geo" && ["Locations", formatCount(locations, "location")],
    holdout !== "" && ["Holdout", holdout],
    ["First send", firstSend(summary)],
    ...limitFacts(values),
  ];
  return (
    <>
      <Lead summary={summary} />
      <FactList kind="summary" facts={facts.filter((fact) => fact !== false)} />
      {warnings.map((warning) => (
        <p key={warning} class="notice notice-problem">
          {warning}
        </p>
      ))}
    </>
  );
};

/** Whom it is for, in words. */
export const Receivers = ({ summary }: { readonly summary: PublishSummary }) => {
  const { devices, reachable } = summary.estimate;
  return environment.value === "production" ? (
    <p class="notice">
      This is Production. It is for {numberWords(devices)} {devices === 1 ? "device" : "devices"} of real
      people, {numberWords(reachable)} of them reachable.
    </p>
  ) : (
    <p class="notice">This is Sandbox. Only approved test devices get it.</p>
  );
};

interface PublishDialogProps {
  readonly summary: PublishSummary;
  /** Shown instead of the facts, where these are on the page. */
  readonly children?: ComponentChildren;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks. A refusal stands in the dialog, unless the caller closes it. */
export const PublishDialog = ({ children, summary, ...props }: PublishDialogProps) => (
  <ConfirmDialog title={`Publish “${summary.values.name}”?`} action="Publish" {...props}>
    {children ?? <SummaryFacts summary={summary} />}
    <Receivers summary={summary} />
  </ConfirmDialog>
);
