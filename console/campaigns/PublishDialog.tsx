/** The summary before a campaign is published: whom it reaches, where, when and how often. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import type { CampaignEstimate, Notification } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import { numberWords } from "../parts/NumberWords.ts";
import { environment, workspace } from "../session/Scope.ts";
import { type CampaignValues, targetingOf } from "./CampaignForm.ts";
import { campaignQuietText } from "./CampaignPacing.tsx";

/** The campaign that is published, and whom it reaches. */
export interface PublishSummary {
  readonly values: CampaignValues;
  readonly estimate: CampaignEstimate;
  /** The notifications that it has, null if they are not known. */
  readonly messages: ReadonlyArray<Pick<Notification, "name" | "trigger_type" | "trigger_config">> | null;
  /** The messages of a push campaign whose time some devices have behind them. */
  readonly late: ReadonlyArray<LateMessage>;
}

interface LateMessage {
  readonly name: string;
  readonly passed: number;
  readonly isSentLate: boolean;
}

/** Whom a campaign would reach, and whom too late. @throws ApiProblem, with the problems of its targets */
export const summaryOf = async (
  values: CampaignValues,
  messages: PublishSummary["messages"],
): Promise<PublishSummary> => {
  const targeting = targetingOf(values);
  const { data: estimate } = await send(platform.estimates.estimate(targeting));
  const late: Array<LateMessage> = [];
  for (const { name, trigger_config: config } of (values.type === "push" && messages) || []) {
    if (config?.send_at === undefined) continue;
    const at = `${values.starts_at.slice(0, 10)} ${config.send_at.slice(-5)}`;
    const time = { at, timezone: values.timezone, local: config.local === true };
    const { data } = await send(platform.estimates.estimate({ ...targeting, send: time }));
    const passed = data.devices_passed ?? 0;
    if (passed > 0) late.push({ name, passed, isSentLate: config.late === "send" });
  }
  return { values, estimate, messages, late };
};

const lateText = ({ isSentLate, name, passed }: LateMessage, devices: number): string => {
  const whom =
    passed >= devices ? "every device" : `${formatNumber(passed)} of ${formatCount(devices, "device")}`;
  const end = isSentLate ? "" : passed >= devices ? " Nobody gets it." : " They do not get it.";
  return `The time of “${name}” has passed for ${whom} of the audience.${end}`;
};

const inWords = (count: number, one: string, many: string): string =>
  `${numberWords(count)} ${count === 1 ? one : many}`;

const Audience = ({ estimate, values }: PublishSummary) => {
  const everyone = values.type !== "geo" && values.segmentation_ids.length === 0;
  return (
    <>
      <p>
        {formatCount(estimate.devices, "device")}
        {everyone && ": everyone"}, {formatCount(estimate.reachable, "device")} of them reachable now.
      </p>
      {estimate.devices_seen_30_days !== null && (
        <p>
          {formatCount(estimate.devices_seen_30_days, "device")} entered these locations in the last 30 days.
        </p>
      )}
    </>
  );
};

const triggers = (messages: PublishSummary["messages"]): string => {
  const kinds = new Set(messages?.map(({ trigger_type: kind }) => kind));
  if (kinds.size !== 1) return "enters or leaves a location";
  if (kinds.has("on_dwell")) return "is inside a location for some minutes";
  return kinds.has("on_exit") ? "leaves a location" : "enters a location";
};

/** When the first message goes out. */
const firstSend = ({ messages, values }: PublishSummary): string => {
  if (messages?.length === 0) return "None yet: it has no notification. Nothing is sent until one is added.";
  if (values.type === "geo")
    return `When a device ${triggers(messages)}, from ${values.starts_at} (${values.timezone}).`;
  if (values.type === "event") {
    const names = new Set(messages?.flatMap(({ trigger_config: config }) => config?.event ?? []));
    return `When ${[...names].join(" or ")} is reported, from ${values.starts_at} (${values.timezone}).`;
  }
  // Sends are at their time of day, on the campaign's day.
  const day = values.starts_at.slice(0, 10);
  const times = (messages ?? []).flatMap(({ trigger_config: config }) => config?.send_at?.slice(-5) ?? []);
  const first = times.toSorted()[0];
  return `${first === undefined ? `On ${day}` : `${day} ${first}`} (${values.timezone}).`;
};

const capOf = (values: CampaignValues): string => {
  const receiver = values.cap_by === "user" ? "person" : "device";
  if (values.frequency_cap_count !== "")
    return `At most ${values.frequency_cap_count} per ${values.frequency_cap_period} for each ${receiver}.`;
  const cap = workspace.value?.default_frequency_cap;
  if (cap === undefined) return "That of the workspace.";
  return cap === null
    ? "None, neither here nor in the workspace."
    : `That of the workspace: at most ${cap.count} per ${cap.period} for each ${receiver}.`;
};

const quietOf = (values: CampaignValues): string => {
  const { quiet_action: action, quiet_from: from, quiet_to: to } = values;
  if (action === "") return campaignQuietText(null);
  return campaignQuietText(action === "none" ? { enabled: false } : { from, to, action });
};

const Fact = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface PublishDialogProps {
  readonly summary: PublishSummary;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Shows the summary and asks. A refusal stands in the dialog, unless the caller closes it. */
export const PublishDialog = ({ onClose, onConfirm, summary }: PublishDialogProps) => {
  const {
    estimate: { devices, places: locations, reachable },
    values,
  } = summary;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem(null, "unexpected", String(error)));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Publish “${values.name}”?`}
      onClose={onClose}
      actions={
        <>
          <Button variant="primary" isBusy={isBusy} onPress={() => void confirm()}>
            Publish
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <dl class="summary">
        <Fact name="Audience">
          <Audience {...summary} />
        </Fact>
        {values.type === "geo" && <Fact name="Locations">{formatCount(locations, "location")}</Fact>}
        <Fact name="First send">{firstSend(summary)}</Fact>
        <Fact name="Frequency cap">{capOf(values)}</Fact>
        <Fact name="Quiet hours">{quietOf(values)}</Fact>
        {values.type === "push" && values.max_per_minute.trim() !== "" && (
          <Fact name="Pace">{values.max_per_minute.trim()} messages a minute at most.</Fact>
        )}
        {values.type === "geo" && values.cooldown_minutes.trim() !== "" && (
          <Fact name="Cooldown">{values.cooldown_minutes.trim()} minutes at each location.</Fact>
        )}
      </dl>
      {summary.late.map((message) => (
        <p key={message.name} class="notice notice-problem">
          {lateText(message, devices)}
        </p>
      ))}
      {environment.value === "production" ? (
        <p class="notice">
          This is Production. It is for {inWords(devices, "device", "devices")} of real people,{" "}
          {numberWords(reachable)} of them reachable.
        </p>
      ) : (
        <p class="notice">This is Sandbox. Only approved test devices get it.</p>
      )}
      {problem !== null && (
        <p class="notice notice-problem" role="alert">
          {problem.message}
        </p>
      )}
    </Dialog>
  );
};
